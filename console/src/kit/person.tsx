/** Who has acted: the label of their place on the roll or of their key, and their DID. */
import { useQuery } from "@tanstack/react-query";
import { labelOf } from "../api/labels.ts";
import { REGISTRY, registryName } from "../texts/changes.ts";
import { DidText } from "./did-text.tsx";

/** Milliseconds: labels change rarely. */
const FRESH = 60_000;
/** In the names of queries, for those who change a label. */
export const LABELS = "labels";

export function Person({ did, canCopy = false }: { readonly did: string; readonly canCopy?: boolean }) {
  const { data: label } = useQuery({
    queryKey: [LABELS, did],
    queryFn: () => labelOf(did),
    staleTime: FRESH,
    // Without it the DID says who it is.
    retry: false,
  });
  return (
    <span className="person">
      {typeof label === "string" && <strong>{label}</strong>}
      <DidText id={did} canCopy={canCopy} />
    </span>
  );
}

/** A person, or the registry by itself. */
export function Actor({ did }: { readonly did: string }) {
  return did === REGISTRY ? registryName : <Person did={did} />;
}
