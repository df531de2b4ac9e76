/** The Matrix room of the signed-in user and an oracle. */
"use client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";
import { oracleRoomKey, PUBLISHED_STALE_MS, useSurroundings } from "./use-surroundings.ts";

/** Its id, or null while there is none. */
export function useOracleRoom(oracleDid: string): UseQueryResult<string | null> {
  const { wallet } = useOraclesParts();
  const { roomId } = useSurroundings(oracleDid);
  return useQuery({
    queryKey: oracleRoomKey(wallet.did, oracleDid),
    queryFn: roomId,
    ...readsAlways,
    enabled: wallet.did !== "" && wallet.matrix.accessToken !== "" && oracleDid !== "",
    staleTime: PUBLISHED_STALE_MS,
  });
}
