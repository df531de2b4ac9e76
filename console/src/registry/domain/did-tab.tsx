/** What a DID resolver gets of this domain, also of a deactivated one, which answers 410 with its document. */
import { useQuery } from "@tanstack/react-query";
import { authorizedFetch } from "../../api/api.ts";
import type { components } from "../../api/paths.d.ts";
import { JsonTree } from "../../kit/json-tree.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import type { Domain } from "../domain-record.ts";
import { DocumentItem } from "./document-item.tsx";

interface Resolved {
  readonly isGone: boolean;
  readonly result: components["schemas"]["DidResolution"];
}

export function DidTab({ domain }: { readonly domain: Domain }) {
  const query = useQuery({
    queryKey: ["get", "/1.0/identifiers/{did}", domain.id],
    queryFn: ({ signal }) => resolveDid(domain.id, signal),
  });
  return (
    <div className="stack">
      <p className="muted">{domainTexts.didLead}</p>
      <Loaded query={query} showsAge={false}>
        {({ isGone, result }) => (
          <div className="stack">
            {isGone && <p className="notice warn">{domainTexts.deactivatedDid}</p>}
            <section className="card">
              <h2>{domainTexts.didDocument}</h2>
              <JsonTree value={result.didDocument} label={domainTexts.didDocument} openDepth={2} />
            </section>
            <section className="card">
              <h2>{domainTexts.documentMetadata}</h2>
              <DocumentItem item={result.didDocumentMetadata} />
            </section>
            <section className="card">
              <h2>{domainTexts.resolutionMetadata}</h2>
              <DocumentItem item={result.didResolutionMetadata} />
            </section>
          </div>
        )}
      </Loaded>
    </div>
  );
}

const GONE = 410;

/** For the typed client, 410 would be a failure without a body. */
async function resolveDid(did: string, signal: AbortSignal): Promise<Resolved> {
  const response = await authorizedFetch(`${location.origin}/1.0/identifiers/${did}`, { signal }, [GONE]);
  return { isGone: response.status === GONE, result: (await response.json()) as Resolved["result"] };
}
