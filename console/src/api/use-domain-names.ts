/** The names of several domains in one request; domains without a name, or that no longer exist, are omitted. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { authorizedFetch } from "./api.ts";

interface NamesAnswer {
  readonly data?: { readonly entities: { readonly nodes: readonly NamedNode[] } } | null;
}

interface NamedNode {
  readonly id: string;
  readonly metadata: { readonly name?: unknown } | null;
}

/** Maximum domains per request, within the registry's cost limit of a query. */
const MOST = 50;
const QUERY =
  "query Names($ids: [String!], $first: Int) { entities(first: $first, filter: { id: { in: $ids } }) { nodes { id metadata } } }";

/** Keyed by DID. Empty until known. */
export function useDomainNames(domains: readonly string[]): ReadonlyMap<string, string> {
  return useNamesQuery(domains).data ?? new Map<string, string>();
}

/** Like `useDomainNames`, but undefined during the first request. */
export function useDomainNamesOrWait(domains: readonly string[]): ReadonlyMap<string, string> | undefined {
  const { data, isLoading, failureCount } = useNamesQuery(domains);
  if (isLoading && failureCount === 0) return undefined;
  return data ?? new Map<string, string>();
}

function useNamesQuery(domains: readonly string[]): UseQueryResult<ReadonlyMap<string, string>> {
  const ids = [...new Set(domains)].slice(0, MOST).toSorted();
  return useQuery({
    queryKey: ["names", "/graphql", ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const response = await authorizedFetch(`${location.origin}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query: QUERY, variables: { ids, first: ids.length } }),
        signal,
      });
      const { data: answer } = (await response.json()) as NamesAnswer;
      return new Map(
        (answer?.entities.nodes ?? []).flatMap(({ id, metadata }) =>
          typeof metadata?.name === "string" ? [[id, metadata.name] as const] : [],
        ),
      );
    },
  });
}
