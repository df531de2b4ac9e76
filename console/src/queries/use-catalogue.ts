/** The list of paths, fetched once when the screen is opened. If it is not readable, paths can still be typed. */
import { useQuery } from "@tanstack/react-query";
import { authorizedFetch } from "../api/api.ts";
import { hasStatus } from "../api/api-failure.ts";
import { catalogueOf, emptyCatalogue, type Catalogue, type GatewayDocument } from "./gateway-catalogue.ts";

export const DOCUMENT_PATH = "/openapi/query-gateway.json";

export interface LoadedCatalogue {
  readonly catalogue: Catalogue;
  /** `hidden`: every chain profile of this host hides its list. */
  readonly state: "loading" | "ready" | "hidden" | "failed";
  readonly failure: unknown;
  readonly retry: () => unknown;
}

export function useCatalogue(): LoadedCatalogue {
  const { data, error, refetch } = useQuery({
    queryKey: ["gateway-document", DOCUMENT_PATH],
    queryFn: async ({ signal }) => {
      const response = await authorizedFetch(location.origin + DOCUMENT_PATH, { signal });
      return catalogueOf((await response.json()) as GatewayDocument);
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return { catalogue: data ?? emptyCatalogue, state: stateOf(data, error), failure: error, retry: refetch };
}

function stateOf(data: Catalogue | undefined, error: Error | null): LoadedCatalogue["state"] {
  if (data !== undefined) return "ready";
  if (error === null) return "loading";
  return hasStatus(error, 404) ? "hidden" : "failed";
}
