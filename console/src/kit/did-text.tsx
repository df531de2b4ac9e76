/** A DID or another long id: shortened in the middle where it is only a label, whole on hover, to copy and to assistive technology. */
import { CopyButton } from "./copy-button.tsx";

/** Characters kept at each end. */
const HEAD = 16;
const TAIL = 6;

export function shortened(id: string): string {
  return id.length <= HEAD + TAIL + 1 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`;
}

export function DidText({ id, canCopy = false }: { readonly id: string; readonly canCopy?: boolean }) {
  return (
    <span className="did">
      <code title={id}>{shortened(id)}</code>
      {canCopy && <CopyButton text={id} />}
    </span>
  );
}
