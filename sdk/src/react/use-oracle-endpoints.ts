/** The addresses of an oracle: those that the application sets, or else those of its entity on the chain. */
"use client";
import { useQuery } from "@tanstack/react-query";
import { networkOf } from "../matrix/network.ts";
import type { OracleOverrides } from "./chat-options.ts";
import { useOraclesParts, useOracleClient } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";

export interface OracleEndpoints {
  readonly apiUrl: string | null;
  readonly socketUrl: string | null;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** How long an entity's services are cached. */
const STALE_AFTER_MS = 5 * 60_000;

export function useOracleEndpoints(oracleDid: string, overrides: OracleOverrides = {}): OracleEndpoints {
  const { http } = useOracleClient(oracleDid, overrides);
  const { network } = useOraclesParts();
  const { graphqlUrl } = networkOf(network);
  const { baseUrl, wsUrl } = overrides;
  const isKnown = baseUrl !== undefined;
  const { data, isLoading, error } = useQuery({
    // The key contains no user, because an index returns the same address to all users.
    queryKey: ["twinedge", "endpoints", graphqlUrl, network?.registryUrl ?? null, oracleDid, wsUrl ?? null],
    queryFn: async () => ({ apiUrl: await http.apiUrl(), socketUrl: await http.socketUrl() }),
    ...readsAlways,
    enabled: !isKnown && oracleDid !== "",
    staleTime: STALE_AFTER_MS,
    retry: false,
  });
  if (isKnown) return { apiUrl: baseUrl, socketUrl: wsUrl ?? baseUrl, isLoading: false, error: null };
  return { apiUrl: data?.apiUrl ?? null, socketUrl: data?.socketUrl ?? null, isLoading, error };
}
