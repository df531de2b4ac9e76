/** Loads the audit trail, a page of proposals at a time, each with its votes and the history of its domain. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { useChanges } from "../live/live-changes.tsx";
import { isGovernance, type AuditSource } from "./audit-entries.ts";
import { finishedStates, proposalKinds, type Proposal } from "./proposal.ts";

/** Proposals of a page; each costs a request for its votes and one for its domain's history. */
const PROPOSALS = 20;
/** Votes of one proposal, and entries of one history, that the trail shows. */
export const ITEMS = 100;

export interface AuditQuery {
  readonly domain: string;
  readonly state: string;
  readonly kind: string;
}

export function useAudit(filter: AuditQuery) {
  const queries = useQueryClient();
  useChanges((changes) => {
    if (changes.some(({ action }) => action === "proposal-opened" || isGovernance(action)))
      void queries.invalidateQueries({ queryKey: ["audit trail"] });
  });
  return useInfiniteQuery({
    // Not by its path: a change of any domain would load all of it again.
    queryKey: ["audit trail", filter],
    queryFn: ({ pageParam, signal }) => loadPage(filter, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Changes that came while it was not shown are not in what was kept.
    refetchOnMount: "always",
  });
}

interface AuditPage extends AuditSource {
  readonly nextCursor: string | null;
  /** Whether some proposal has more votes than were loaded. */
  readonly isCut: boolean;
}

async function loadPage(filter: AuditQuery, cursor: string, signal: AbortSignal): Promise<AuditPage> {
  const state = (["open", ...finishedStates] as const).filter((each) => each === filter.state);
  const kind = proposalKinds.filter((each) => each === filter.kind);
  const query = {
    limit: PROPOSALS,
    ...(cursor === "" ? {} : { cursor }),
    ...(filter.domain === "" ? {} : { domain: [filter.domain] }),
    ...(state.length === 0 ? {} : { state }),
    ...(kind.length === 0 ? {} : { kind }),
  };
  const { data } = await api.GET("/v1/proposals", { params: { query }, signal });
  const proposals: readonly Proposal[] = data?.data ?? [];
  const domains = [...new Set(proposals.map(({ domainId }) => domainId))];
  const [votes, histories] = await Promise.all([
    Promise.all(
      proposals.map(({ id, tally }) => (tally.cast === 0 ? Promise.resolve(undefined) : votesOf(id, signal))),
    ),
    Promise.all(domains.map((id) => historyOf(id, signal))),
  ]);
  return {
    proposals,
    votes: votes.flatMap((page) => page?.data ?? []),
    history: histories.flat(),
    nextCursor: data?.page.nextCursor ?? null,
    isCut: votes.some((page) => page?.page.hasMore === true),
  };
}

async function votesOf(pid: string, signal: AbortSignal) {
  const params = { path: { pid }, query: { limit: ITEMS } };
  return (await api.GET("/v1/proposals/{pid}/votes", { params, signal })).data;
}

async function historyOf(id: string, signal: AbortSignal) {
  const params = { path: { id }, query: { limit: ITEMS } };
  const { data } = await api.GET("/v1/domains/{id}/history", { params, signal });
  return (data?.data ?? []).map((entry) => ({ ...entry, domainId: id }));
}
