/**
 * One current proposal. Votes are not in the change feed, so an open proposal is polled every second while its page is visible; an
 * answer "not modified" is cheap. Its votes are reloaded when its ETag changes.
 */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiFailure } from "../api/api-failure.ts";
import { api, apiHooks } from "../api/api.ts";
import { useCaller, useRights } from "../session/use-caller.ts";
import type { OwnVote, ProposalDetail } from "./proposal.ts";

/** Milliseconds between two requests for an open proposal, within a key's limit of 600 reads per minute; and after a failure. */
const OPEN = 1_000;
const FAILED = 5_000;
/** Milliseconds: another tab of the same voter may vote. */
const OWN_VOTES = 10_000;

interface Followed {
  readonly proposal: ProposalDetail;
  readonly etag: string | null;
}

const keyOf = (pid: string) => ["get", "/v1/proposals/{pid}", { params: { path: { pid } } }] as const;

export function useProposal(pid: string) {
  const queries = useQueryClient();
  const query = useQuery<Followed>({
    queryKey: keyOf(pid),
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<Followed>(keyOf(pid));
      const header = typeof known?.etag === "string" ? { "If-None-Match": known.etag } : {};
      const { data, response } = await api.GET("/v1/proposals/{pid}", { params: { path: { pid }, header }, signal });
      if (response.status === 304 && known !== undefined) return known;
      return { proposal: data as ProposalDetail, etag: response.headers.get("ETag") };
    },
    // Its interval repeats it anyway.
    retry: false,
    refetchInterval: ({ state: { data, error } }) => {
      if (error instanceof ApiFailure && !error.isPassing) return false;
      if (error !== null) return Math.max(FAILED, ((error as ApiFailure).retryAfter ?? 0) * 1_000);
      return data?.proposal.state === "open" && OPEN;
    },
  });
  const etag = query.data?.etag;
  useEffect(() => {
    if (etag === undefined) return;
    void queries.invalidateQueries({ queryKey: votesKey(pid) });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/votes/me"] });
  }, [queries, pid, etag]);
  return query;
}

export const votesKey = (pid: string) => ["get", "/v1/proposals/{pid}/votes", pid] as const;

interface OwnVotes {
  /** The caller's part in a vote: null if they are not in its electorate, undefined while unknown. */
  readonly of: (proposalId: string) => OwnVote | null | undefined;
  /** False during the first request. */
  readonly isSettled: boolean;
}

export function useOwnVotes(proposalIds: readonly string[]): OwnVotes {
  const caller = useCaller();
  const rights = useRights();
  const { data, isPlaceholderData, failureCount } = apiHooks.useQuery(
    "get",
    "/v1/votes/me",
    { params: { query: { proposal: [...proposalIds].toSorted() } } },
    {
      enabled: rights !== undefined && proposalIds.length > 0,
      placeholderData: keepPreviousData,
      refetchInterval: OWN_VOTES,
    },
  );
  const of = (id: string): OwnVote | null | undefined => {
    const own = data?.data.find(({ proposalId }) => proposalId === id);
    // An answer about other proposals does not show whether this one's electorate includes the caller.
    return own ?? (data === undefined || isPlaceholderData ? undefined : null);
  };
  const isAnswered = data !== undefined || failureCount + caller.failureCount > 0;
  return { of, isSettled: proposalIds.length === 0 || isAnswered };
}
