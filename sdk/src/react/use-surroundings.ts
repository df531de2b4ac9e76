/**
 * The services around an oracle for the signed-in user: their Matrix account, the rooms bot, the chain, and the
 * oracle's published records. No request is sent before a function is called, and the code for the requests loads then.
 */
"use client";
import { useQuery, useQueryClient, type QueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { IAuthzConfig } from "../matrix/authz-config.ts";
import type { OracleEntity } from "../matrix/chain-records.ts";
import { homeServerUrl, oracleRoomAlias, roomsBotUrl, userOfAddress } from "../matrix/home-server.ts";
import type { MatrixAccount } from "../matrix/matrix-rooms.ts";
import { networkOf, type Network } from "../matrix/network.ts";
import type { RoomsBot } from "../matrix/rooms-bot.ts";
import { useOraclesParts, type OraclesParts } from "./oracles-context.ts";
import { readsAlways, runsAlways } from "./query-options.ts";

export interface Surroundings {
  readonly network: Network;
  readonly account: MatrixAccount;
  readonly bot: RoomsBot;
  /** Shared by all functions that read records of the same oracle. */
  entity(): Promise<OracleEntity>;
  authzConfig(): Promise<IAuthzConfig>;
  /** Null if the user and the oracle have no room. */
  roomId(): Promise<string | null>;
  /** The oracle's user in Matrix. */
  oracleUser(): Promise<string>;
}

/** How long an oracle's published records are cached. */
export const PUBLISHED_STALE_MS = 5 * 60_000;
/** How long its entity is cached: shorter, so that records that are read together share it and changes appear soon. */
const ENTITY_STALE_MS = 60_000;

export function useSurroundings(oracleDid: string): Surroundings {
  const { wallet, network: settings } = useOraclesParts();
  const queries = useQueryClient();
  return useMemo(
    () => surroundingsOf(wallet, networkOf(settings), queries, oracleDid),
    [wallet, settings, queries, oracleDid],
  );
}

function surroundingsOf(
  wallet: OraclesParts["wallet"],
  network: Network,
  queries: QueryClient,
  oracleDid: string,
): Surroundings {
  const { accessToken, homeServer } = wallet.matrix;
  const account = { homeServerUrl: homeServerUrl(network.homeServerUrl ?? homeServer), accessToken };
  const bot = { url: network.roomsBotUrl ?? roomsBotUrl(homeServer), accessToken };

  const entity = (): Promise<OracleEntity> =>
    queries.fetchQuery({
      // The key contains no user, because entities are public.
      queryKey: ["twinedge", "entity", network.graphqlUrl, oracleDid],
      queryFn: async () => (await import("../matrix/chain-records.ts")).readEntity(network, oracleDid),
      ...runsAlways,
      staleTime: ENTITY_STALE_MS,
    });
  const authzConfig = (): Promise<IAuthzConfig> =>
    queries.fetchQuery({
      queryKey: authzKey(network.graphqlUrl, wallet.did, wallet.address, oracleDid),
      queryFn: async () => {
        const { readAuthzConfig } = await import("../matrix/authz-config.ts");
        return readAuthzConfig(await entity(), wallet.address, { matrix: account });
      },
      ...runsAlways,
      staleTime: PUBLISHED_STALE_MS,
    });
  return {
    network,
    account,
    bot,
    entity,
    authzConfig,
    async roomId() {
      const { roomOfAlias } = await import("../matrix/matrix-rooms.ts");
      return roomOfAlias(account, oracleRoomAlias(wallet.did, oracleDid, homeServer));
    },
    async oracleUser() {
      const [{ services }, { granteeAddress }] = await Promise.all([entity(), authzConfig()]);
      const service = services.find(({ type }) => type === "MatrixHomeServer");
      return userOfAddress(granteeAddress, service?.serviceEndpoint ?? network.defaultHomeServerUrl);
    },
  };
}

export function authzKey(graphqlUrl: string, userDid: string, address: string, oracleDid: string): readonly unknown[] {
  return ["twinedge", "authz-config", graphqlUrl, userDid, address, oracleDid];
}

export function oracleRoomKey(userDid: string, oracleDid: string): readonly unknown[] {
  return ["twinedge", "oracle-room", userDid, oracleDid];
}

/** The Matrix room of the signed-in user and an oracle: its id, or null if there is none. */
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
