/** The actor of a change: the label of their place on the roll or of their key, and their DID. */
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { labelOf } from "../api/labels.ts";
import { REGISTRY, registryName } from "../texts/changes.ts";
import { CopyButton } from "./copy-button.tsx";

/** Milliseconds: labels change rarely. */
const FRESH = 60_000;
/** The name of labels in query keys, for code that changes a label. */
export const LABELS = "labels";

function labelQuery(did: string) {
  return queryOptions({
    queryKey: [LABELS, did],
    queryFn: () => labelOf(did),
    staleTime: FRESH,
    // Without it, the DID identifies them.
    retry: false,
  });
}

/** Whether the labels of these people are known: a list that waits for them is rendered once, without layout shift. */
export function useKnowsPeople(dids: readonly string[]): boolean {
  const queries = [...new Set(dids)].filter((did) => did !== REGISTRY).map(labelQuery);
  return useQueries({ queries, combine: (results) => results.every(({ isLoading }) => !isLoading) });
}

export function Person({ did, canCopy = false }: { readonly did: string; readonly canCopy?: boolean }) {
  const { data: label } = useQuery(labelQuery(did));
  return (
    <span className="person">
      {typeof label === "string" && <strong>{label}</strong>}
      <DidText id={did} canCopy={canCopy} />
    </span>
  );
}

/** A person, or the registry. */
export function Actor({ did }: { readonly did: string }) {
  return did === REGISTRY ? registryName : <Person did={did} />;
}

/** Characters shown at each end. */
const HEAD = 16;
const TAIL = 6;

/**
 * A DID or another long id. Where the id is only a label, its middle takes up no space, but it remains selectable and readable
 * for screen readers: copying always returns the whole id.
 */
export function shortened(id: string): string {
  return id.length <= HEAD + TAIL + 1 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`;
}

/** The id itself, in any text. */
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
