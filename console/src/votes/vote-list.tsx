/** The votes on a proposal in the order of casting, with their rationales. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { MoreButton } from "../kit/cursor-pages.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { Person } from "../kit/person.tsx";
import { useRights } from "../session/use-caller.ts";
import { plural } from "../texts/number.ts";
import { ballotTexts, votesTexts } from "../texts/votes.ts";
import { votesKey } from "./use-proposal.ts";

/** Votes per page. */
const ROWS = 100;

export function VoteList({ pid }: { readonly pid: string }) {
  const rights = useRights();
  const query = useInfiniteQuery({
    queryKey: votesKey(pid),
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === "" ? {} : { cursor: pageParam };
      const params = { path: { pid }, query: { limit: ROWS, ...cursor } };
      const { data } = await api.GET("/v1/proposals/{pid}/votes", { params, signal });
      if (data === undefined) throw new Error("an answer has data, or it is thrown");
      return data;
    },
    initialPageParam: "",
    getNextPageParam: ({ page }) => page.nextCursor,
  });
  return (
    <section className="stack" aria-labelledby="votes-cast">
      <h2 id="votes-cast">Votes</h2>
      <Loaded query={query} showsAge={false}>
        {({ pages }) => {
          const votes = pages.flatMap(({ data }) => data);
          if (votes.length === 0) return <p className="muted">No votes yet</p>;
          return (
            <>
              <p className="muted small">{`${plural(votes.length, "vote", "votes")}${query.hasNextPage ? " shown; there are more" : ""}`}</p>
              <ol className="votes-cast">
                {votes.map(({ voter, option, power, rationale, castAt }) => (
                  <li key={voter}>
                    <p className="row wrap">
                      <span className={`tally-key ${option}`} aria-hidden="true" />
                      <strong>{votesTexts.alone(votesTexts.options[option])}</strong>
                      <span className="muted">{votesTexts.withPower(power)}</span>
                      <Person did={voter} canCopy />
                      {voter === rights?.did && <Badge>{ballotTexts.you}</Badge>}
                      <span className="muted small">
                        <Age at={castAt} />
                      </span>
                    </p>
                    {rationale !== null && rationale !== "" && (
                      <blockquote className="rationale">{rationale}</blockquote>
                    )}
                  </li>
                ))}
              </ol>
              <MoreButton query={query}>Show more</MoreButton>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
