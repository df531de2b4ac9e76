/** Loads the audit trail, a page of proposals at a time, each with its votes and the history of its domain. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useChanges } from "../live/live-changes.tsx";
import { isGovernance } from "./audit-entries.ts";
import { loadPage, type AuditQuery } from "./load-audit.ts";

export function useAudit(filter: AuditQuery) {
  const queries = useQueryClient();
  useChanges((changes) => {
    if (changes.some(({ action }) => action === "proposal-opened" || isGovernance(action)))
      void queries.invalidateQueries({ queryKey: ["audit trail"] });
  });
  return useInfiniteQuery({
    // Not by its path: a change of any domain would load all of it again.
    queryKey: ["audit trail", filter],
    queryFn: ({ pageParam, signal }) => loadPage(filter, pageParam, { signal, isWhole: false }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Changes that came while it was not shown are not in what was kept.
    refetchOnMount: "always",
  });
}
