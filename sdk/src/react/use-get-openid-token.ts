/** The signed-in user's Matrix OpenID token. */
"use client";
import { useQuery } from "@tanstack/react-query";
import { userOfAddress } from "../matrix/home-server.ts";
import type { IOpenIDToken } from "../matrix/matrix-rooms.ts";
import { networkOf } from "../matrix/network.ts";
import { getOpenIdToken } from "../matrix/openid-token.ts";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";

/** The result of `useGetOpenIdToken`. */
export interface UseGetOpenIdTokenResult {
  openIdToken: IOpenIDToken | undefined;
  isLoading: boolean;
  error: Error | null;
  /** Resolves to the token. If the token is about to expire, it gets a new one. */
  refetch: () => Promise<IOpenIDToken | undefined>;
}

/** Every token is valid at least this long. */
const STALE_AFTER_MS = 5 * 60_000;

/**
 * The user's Matrix OpenID token, which proves the user's identity to other services, such as a call service. The hook
 * stores the token encrypted in the provider's `storage` and renews it five minutes before it expires.
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
