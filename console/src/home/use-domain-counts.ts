/** How many domains there are in each state of verification, in one request; the registry keeps these counts. */
import { useQuery } from "@tanstack/react-query";
import { authorizedFetch } from "../api/api.ts";
import { useKeyNumber } from "../session/use-credentials.ts";

/** As the tiles show them. */
export const verificationStates = ["Verified", "UnderVote", "AwaitingVerification", "Rejected", "Revoked"] as const;
export type DomainCounts = Readonly<Record<(typeof verificationStates)[number], number>>;

interface CountsAnswer {
  readonly data?: Readonly<Record<string, { readonly totalCount: number }>> | null;
}

const countOf = (state: string): string =>
  `${state}: entities(filter: { verificationStatus: { equalTo: "${state}" } }) { totalCount }`;
const QUERY = `query Counts { ${verificationStates.map(countOf).join(" ")} }`;

export function useDomainCounts() {
  return useQuery({
    queryKey: ["counts", "/graphql", useKeyNumber()],
    queryFn: async ({ signal }): Promise<DomainCounts> => {
      const response = await authorizedFetch(`${location.origin}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query: QUERY }),
        signal,
      });
      const { data } = (await response.json()) as CountsAnswer;
      if (data === undefined || data === null) throw new Error("the registry answered a count without data");
      const [verified, underVote, awaiting, rejected, revoked] = verificationStates.map(
        (state) => data[state]?.totalCount ?? 0,
      );
      return {
        Verified: verified ?? 0,
        UnderVote: underVote ?? 0,
        AwaitingVerification: awaiting ?? 0,
        Rejected: rejected ?? 0,
        Revoked: revoked ?? 0,
      };
    },
  });
}
