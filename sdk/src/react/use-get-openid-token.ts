/** The signed-in user's Matrix OpenID token. */
"use client";
import { useQuery } from "@tanstack/react-query";
import { userOfAddress } from "../matrix/home-server.ts";
import type { IOpenIDToken } from "../matrix/matrix-rooms.ts";
import { networkOf } from "../matrix/network.ts";
import { getOpenIdToken } from "../matrix/openid-token.ts";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";

/** What `useGetOpenIdToken` returns. */
export interface UseGetOpenIdTokenResult {
  openIdToken: IOpenIDToken | undefined;
  isLoading: boolean;
  error: Error | null;
  /** Resolves to the token, a new one when the last one is about to expire. */
  refetch: () => Promise<IOpenIDToken | undefined>;
}

/** As long as a token is good for at least. */
const STALE_AFTER_MS = 5 * 60_000;

/**
 * The user's Matrix OpenID token, by which other services (such as one for calls) learn who they are. It is kept encrypted in the
 * provider's `storage` and renewed five minutes before it expires.
 */
export function useGetOpenIdToken(): UseGetOpenIdTokenResult {
  const { wallet, network, storage } = useOraclesParts();
  const { address, did, matrix } = wallet;
  const { data, isLoading, error, refetch } = useQuery({
    queryKey: ["twinedge", "openid-token", did, address, matrix.homeServer],
    queryFn: () =>
      getOpenIdToken({
        userId: userOfAddress(address, matrix.homeServer),
        matrixAccessToken: matrix.accessToken,
        did,
        homeServerUrl: networkOf(network).homeServerUrl ?? matrix.homeServer,
        storage,
      }),
    enabled: ![did, address, matrix.accessToken, matrix.homeServer].includes(""),
    ...readsAlways,
    staleTime: STALE_AFTER_MS,
    gcTime: STALE_AFTER_MS,
  });
  return { openIdToken: data, isLoading, error, refetch: async () => (await refetch()).data };
}
