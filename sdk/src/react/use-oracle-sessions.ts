/** The user's sessions with an oracle: listed page by page, created and deleted. */
"use client";
import {
  useInfiniteQuery,
  useMutation,
  useQueryClient,
  type FetchNextPageOptions,
  type InfiniteData,
  type InfiniteQueryObserverResult,
  type QueryObserverResult,
  type RefetchOptions,
  type UseMutateAsyncFunction,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { OracleOverrides } from "./chat-options.ts";
import { useOraclesParts, useOracleClient } from "./oracles-context.ts";
import { readsAlways, runsAlways } from "./query-options.ts";
import { readSessions, sessionListsKey, sessionsOf, type IChatSession, type SessionPage } from "./session-lists.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";

/** Sessions per page. */
const DEFAULT_LIMIT = 20;
const NO_PAGES: readonly SessionPage[] = [];

/** The options of the list, and the address of the oracle. */
export interface SessionListOptions extends OracleOverrides {
  /** Sessions per page, 20 by default. */
  limit?: number;
}

/** Pages of sessions in the query cache. */
type SessionPages = InfiniteData<SessionPage, number>;

/** The result of `useOracleSessions`. */
export interface UseOracleSessionsResult {
  /** The sessions of all loaded pages, the most recently used first. */
  sessions: IChatSession[];
  /** The number of the user's sessions, loaded or not. */
  total: number;
  /** The hook is reading the first page for the first time. */
  isLoading: boolean;
  /** Why the list, or the address of the oracle, could not be read. */
  error: Error | null;
  /** Reads the next page. */
  fetchNextPage: (options?: FetchNextPageOptions) => Promise<InfiniteQueryObserverResult<SessionPages>>;
  /** There are more sessions than the loaded ones. */
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  /** Creates a session and reads the list again. */
  createSession: UseMutateAsyncFunction<IChatSession>;
  isCreatingSession: boolean;
  /** The last session could not be created. */
  isCreateSessionError: boolean;
  /** Deletes the session with this id and its messages, and reads the list again. */
  deleteSession: UseMutateAsyncFunction<void, Error, string>;
  isDeletingSession: boolean;
  /** The last session could not be deleted. */
  isDeleteSessionError: boolean;
  /** Reads all pages again. */
  refetch: (options?: RefetchOptions) => Promise<QueryObserverResult<SessionPages>>;
  /** The address of the oracle is known. */
  isConfigReady: boolean;
}

/**
 * The user's sessions, the most recently used first. After a turn, the hook reads the newest page again, so that titles
 * appear automatically.
 *
 * @example
 * const { sessions, createSession } = useOracleSessions(oracleDid);
 * const open = async () => setSessionId((await createSession()).sessionId);
 */
export function useOracleSessions(oracleDid: string, overrides: SessionListOptions = {}): UseOracleSessionsResult {
  const { limit = DEFAULT_LIMIT } = overrides;
  const { wallet } = useOraclesParts();
  const client = useOracleClient(oracleDid, overrides);
  const place = useOracleEndpoints(oracleDid, overrides);
  const { apiUrl } = place;
  const queries = useQueryClient();
  const lists = sessionListsKey(wallet.did, oracleDid);

  const { data, isLoading, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery<
    SessionPage,
    Error,
    SessionPages,
    readonly unknown[],
    number
  >({
    queryKey: [...lists, apiUrl, limit],
    queryFn: ({ pageParam }) => readSessions(client, limit, pageParam),
    initialPageParam: 0,
    getNextPageParam(last, pages) {
      const count = sessionsOf(pages).length;
      return last.sessions.length === 0 || count >= (last.total ?? 0) ? undefined : count;
    },
    enabled: apiUrl !== null,
    ...readsAlways,
    retry: false,
  });
  const pages = data?.pages ?? NO_PAGES;
  const sessions = useMemo(() => sessionsOf(pages), [pages]);

  // A user who declined to sign is asked again when they request the list, but not when the page refreshes it.
  const { askAgain } = client.tokens;
  const next = useCallback(
    (options?: FetchNextPageOptions) => {
      askAgain();
      return fetchNextPage(options);
    },
    [askAgain, fetchNextPage],
  );
  const again = useCallback(
    (options?: RefetchOptions) => {
      askAgain();
      return refetch(options);
    },
    [askAgain, refetch],
  );

  const changed = () => queries.invalidateQueries({ queryKey: lists });
  const creating = useMutation<IChatSession>({
    ...runsAlways,
    mutationFn: () => client.sessions.create(),
    onSettled: changed,
  });
  const deleting = useMutation<void, Error, string>({
    ...runsAlways,
    mutationFn: (sessionId) => client.sessions.delete(sessionId),
    onSettled: changed,
  });

  return {
    sessions,
    total: pages[0]?.total ?? 0,
    isLoading: isLoading || place.isLoading,
    error: error ?? place.error,
    fetchNextPage: next,
    hasNextPage,
    isFetchingNextPage,
    createSession: creating.mutateAsync,
    isCreatingSession: creating.isPending,
    isCreateSessionError: creating.isError,
    deleteSession: deleting.mutateAsync,
    isDeletingSession: deleting.isPending,
    isDeleteSessionError: deleting.isError,
    refetch: again,
    isConfigReady: apiUrl !== null,
  };
}
