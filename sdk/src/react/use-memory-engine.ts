/** The memory engine in the room of the signed-in user and an oracle. */
"use client";
import { useMutation, useQuery, type UseMutateAsyncFunction } from "@tanstack/react-query";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways, runsAlways } from "./query-options.ts";
import { useOracleRoom, useSurroundings } from "./use-surroundings.ts";

/** The result of `useMemoryEngine`. */
export interface UseMemoryEngineResult {
  /** Invites a Matrix user to the room. Does nothing if the user is already in it. */
  inviteUser: UseMutateAsyncFunction<void, Error, string>;
  isInvitingUser: boolean;
  isLoadingOracleRoomId: boolean;
  /** Null if there is no room; `useContractOracle` creates it. */
  oracleRoomId: string | null | undefined;
  isLoadingMembers: boolean;
  /** The Matrix users who have joined the room or are invited. */
  members: string[] | undefined;
  /** Invites the memory engine by its Matrix user, and gives it the required power level. */
  enableMemoryEngine: UseMutateAsyncFunction<void, Error, string>;
  isLoadingMemoryEngine: boolean;
}

/** The power level of a moderator, because the memory engine writes state into the room. */
const MEMORY_ENGINE_LEVEL = 50;

/**
 * Lets a memory engine read and write in the user's room with an oracle.
 *
 * @example
 * const { enableMemoryEngine } = useMemoryEngine(oracleDid);
 * await enableMemoryEngine("@memory-engine:mx.example");
 */
export function useMemoryEngine(oracleDid: string): UseMemoryEngineResult {
  const { wallet } = useOraclesParts();
  const { account, roomId } = useSurroundings(oracleDid);
  const room = useOracleRoom(oracleDid);
  const members = useQuery({
    queryKey: ["twinedge", "room-members", wallet.did, room.data],
    queryFn: async () => (await import("../matrix/matrix-rooms.ts")).roomMembers(account, room.data ?? ""),
    ...readsAlways,
    enabled: typeof room.data === "string",
  });

  /** Reads the room again if it did not exist before. */
  async function inRoom(change: (roomId: string) => Promise<void>): Promise<void> {
    const id = room.data ?? (await roomId());
    if (id === null) throw new Error(`There is no room with ${oracleDid} yet: contract the oracle first`);
    await change(id);
    await (room.data === id ? members.refetch() : room.refetch());
  }
  const invite = useMutation({
    ...runsAlways,
    mutationFn: async (userId: string) => {
      const { inviteToRoom } = await import("../matrix/matrix-rooms.ts");
      await inRoom((id) => inviteToRoom(account, id, userId));
    },
  });
  const enable = useMutation({
    ...runsAlways,
    mutationFn: async (userId: string) => {
      const { inviteToRoom, raisePowerLevel } = await import("../matrix/matrix-rooms.ts");
      await inRoom(async (id) => {
        await inviteToRoom(account, id, userId);
        await raisePowerLevel(account, id, userId, MEMORY_ENGINE_LEVEL);
      });
    },
  });
  return {
    inviteUser: invite.mutateAsync,
    isInvitingUser: invite.isPending,
    isLoadingOracleRoomId: room.isLoading,
    oracleRoomId: room.data,
    isLoadingMembers: members.isLoading,
    members: members.data,
    enableMemoryEngine: enable.mutateAsync,
    isLoadingMemoryEngine: enable.isPending,
  };
}
