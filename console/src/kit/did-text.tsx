/**
 * A DID or another long id. Its middle takes no room where it is only a label, and is there for everybody who selects, copies or hears it:
 * what is copied is always the whole id.
 */
import { CopyButton } from "./copy-button.tsx";

/** Characters shown at each end. */
const HEAD = 16;
const TAIL = 6;

export function shortened(id: string): string {
  return id.length <= HEAD + TAIL + 1 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`;
}

/** The id itself, in whatever text it stands. */
export function ShortId({ id, title = id }: { readonly id: string; readonly title?: string }) {
  const isLong = id.length > HEAD + TAIL + 1;
  return (
    <code className="short-id" title={title}>
      {isLong ? (
        <>
          {id.slice(0, HEAD)}
          <span>{id.slice(HEAD, -TAIL)}</span>
          {id.slice(-TAIL)}
        </>
      ) : (
        id
      )}
    </code>
  );
}

export function DidText({ id, canCopy = false }: { readonly id: string; readonly canCopy?: boolean }) {
  return (
    <span className="did">
      <ShortId id={id} />
      {canCopy && <CopyButton text={id} />}
    </span>
  );
}
