/** The id of a request that failed, to copy for whoever reads the server's log. */
import { CopyButton } from "./copy-button.tsx";

export function RequestId({ id }: { readonly id: string }) {
  return (
    <span className="muted small">
      {"Request id"} <code>{id}</code> <CopyButton text={id} />
    </span>
  );
}
