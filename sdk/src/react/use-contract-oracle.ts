/** Contracting an oracle and paying its claims, signed by the user. */
"use client";
import { useMutation, useQuery, useQueryClient, type UseMutateAsyncFunction } from "@tanstack/react-query";
import type { OraclePrice, TResolvedAgentCard } from "../matrix/agent-card.ts";
import type { IAuthzConfig } from "../matrix/authz-config.ts";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways, runsAlways } from "./query-options.ts";
import { useOracleRoom, authzKey, oracleRoomKey, PUBLISHED_STALE_MS, useSurroundings } from "./use-surroundings.ts";

/** The parameter of `useContractOracle`. */
export interface IUseContractOracleProps {
  params: {
    oracleDid: string;
    /** The collection to which the oracle submits its claims. */
    userClaimCollectionId: string;
    /** The account of the entity that owns the collection. */
    adminAddress: string;
    /** The claim that `payClaim` pays. */
    claimId: string;
    /** The number of claims that the oracle may submit: 1 by default. */
    agentQuota?: number;
    /** The maximum amount of one claim, in whole units of the chain. Default: the oracle's price. */
    maxAmount?: { amount: number; denom: string };
  };
}

/** The result of `useContractOracle`. */
export interface UseContractOracleResult {
  /** Joins the rooms and lets the user sign the grant. With `useAuthz: false`, it only joins the rooms. */
  contractOracle: UseMutateAsyncFunction<void, Error, { useAuthz?: boolean }>;
  isContractingOracle: boolean;
  /** Lets the user sign the payment of `claimId`, if that claim is open. */
  payClaim: UseMutateAsyncFunction<void>;
  isPayingClaim: boolean;
  /** Null if the oracle has published no card that can be shown. */
  agentCard: TResolvedAgentCard | null | undefined;
  isLoadingAgentCard: boolean;
  /** @deprecated Use the `agentCard`, which oracles publish instead. */
  isLoadingPricingList: boolean;
  /** @deprecated Use the `agentCard`, which oracles publish instead. */
  pricingList: OraclePrice[] | undefined;
  isLoadingAuthzConfig: boolean;
  authzConfig: IAuthzConfig | undefined;
  /** The oracle's account has joined the room or is invited. */
  isOracleInRoom: boolean | undefined;
  isLoadingOracleInRoom: boolean;
  inviteOracle: UseMutateAsyncFunction<void>;
  isInvitingOracle: boolean;
}

/**
 * Lets an oracle work for the user. It creates and joins their rooms, signs the grant that lets the oracle submit
 * claims for its work, and pays a claim. The provider's `transactSignX` signs the transactions.
 *
 * @example
 * const { contractOracle } = useContractOracle({ params: { oracleDid, userClaimCollectionId, adminAddress, claimId } });
 * await contractOracle({});
 */
export function useContractOracle({ params }: IUseContractOracleProps): UseContractOracleResult {
  const { oracleDid, adminAddress, userClaimCollectionId: claimCollectionId, claimId } = params;
  const { wallet, transactSignX } = useOraclesParts();
  const { account, bot, network, entity, authzConfig, oracleUser } = useSurroundings(oracleDid);
  const queries = useQueryClient();
  const isNamed = oracleDid !== "";
  const reader = { matrix: account };
  const published = { ...readsAlways, enabled: isNamed, staleTime: PUBLISHED_STALE_MS, retry: false };

  const authz = useQuery({
    queryKey: [...authzKey(network.graphqlUrl, wallet.did, wallet.address, oracleDid), "shown"],
    queryFn: authzConfig,
    ...published,
    enabled: isNamed && wallet.address !== "",
  });
  const card = useQuery({
    queryKey: ["twinedge", "agent-card", network.graphqlUrl, wallet.did, oracleDid],
    queryFn: async () => (await import("../matrix/agent-card.ts")).readAgentCard(await entity(), reader),
    ...published,
  });
  const priceQuery = {
    queryKey: ["twinedge", "price-list", network.graphqlUrl, wallet.did, oracleDid],
    queryFn: async () => (await import("../matrix/agent-card.ts")).readPriceList(await entity(), reader),
  };
  const prices = useQuery({ ...priceQuery, ...published });

  const room = useOracleRoom(oracleDid);
  const membersKey = ["twinedge", "oracle-in-room", wallet.did, oracleDid];
  const inRoom = useQuery({
    queryKey: [...membersKey, room.data],
    queryFn: async () => {
      const { roomMembers } = await import("../matrix/matrix-rooms.ts");
      return (await roomMembers(account, room.data ?? "")).includes(await oracleUser());
    },
    ...readsAlways,
    enabled: typeof room.data === "string",
    retry: false,
  });

  const contract = useMutation({
    ...runsAlways,
    mutationFn: async ({ useAuthz = true }: { useAuthz?: boolean }) => {
      const { grantClaims, joinOracleRooms } = await import("../matrix/contract.ts");
      const cap = useAuthz ? (params.maxAmount ?? (await publishedPrice())) : undefined;
      const { granteeAddress: oracleAddress, oracleName } = await authzConfig();
      await joinOracleRooms(account, bot, wallet.did, oracleDid);
      await queries.invalidateQueries({ queryKey: oracleRoomKey(wallet.did, oracleDid) });
      await queries.invalidateQueries({ queryKey: membersKey });
      if (cap === undefined) return;
      const { agentQuota = 1 } = params;
      const accounts = { userAddress: wallet.address, adminAddress, oracleAddress };
      const grant = { ...accounts, oracleName, claimCollectionId, agentQuota, maxAmount: cap };
      await grantClaims(grant, transactSignX);
    },
  });
  const pay = useMutation({
    ...runsAlways,
    mutationFn: async () => {
      const { payClaim } = await import("../matrix/contract.ts");
      const payment = { userAddress: wallet.address, adminAddress, claimCollectionId, claimId };
      await payClaim(payment, network, transactSignX);
    },
  });
  const invite = useMutation({
    ...runsAlways,
    mutationFn: async () => {
      const { inviteToRoom } = await import("../matrix/matrix-rooms.ts");
      if (typeof room.data !== "string")
        throw new Error(`There is no room with ${oracleDid} yet: contract the oracle first`);
      await inviteToRoom(account, room.data, await oracleUser());
      await queries.invalidateQueries({ queryKey: membersKey });
    },
  });

  async function publishedPrice(): Promise<OraclePrice> {
    const list = await queries
      .fetchQuery({ ...priceQuery, ...runsAlways, staleTime: PUBLISHED_STALE_MS })
      .catch(() => []);
    const [first] = list;
    if (first !== undefined) return first;
    throw new Error(
      `${oracleDid} has published no price: set \`maxAmount\` to the most that it may charge, such as the price of a service of its agent card`,
    );
  }

  return {
    contractOracle: contract.mutateAsync,
    isContractingOracle: contract.isPending,
    payClaim: pay.mutateAsync,
    isPayingClaim: pay.isPending,
    agentCard: card.data,
    isLoadingAgentCard: card.isLoading,
    isLoadingPricingList: prices.isLoading,
    pricingList: prices.data,
    isLoadingAuthzConfig: authz.isLoading,
    authzConfig: authz.data,
    isOracleInRoom: inRoom.data,
    isLoadingOracleInRoom: inRoom.isLoading,
    inviteOracle: invite.mutateAsync,
    isInvitingOracle: invite.isPending,
  };
}
