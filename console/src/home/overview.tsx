/** The registry in numbers, and what waits for whom is signed in. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { authorizedFetch } from "../api/api.ts";
import { Age } from "../kit/age.tsx";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { Icon } from "../kit/icon.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { useKeyNumber } from "../session/use-credentials.ts";
import { homeTexts } from "../texts/home.ts";
import { grouped } from "../texts/number.ts";
import { verificationNames } from "../texts/registry.ts";
import { useWaiting } from "./use-waiting.ts";

export function Overview() {
  const counts = useDomainCounts();
  return (
    <>
      <section aria-labelledby="home-numbers" className="home-numbers">
        <h2 id="home-numbers" className="hidden-visually">
          {homeTexts.numbers}
        </h2>
        <Loaded query={counts} loading={<div className="home-tiles" />} showsAge={false}>
          {(loaded) => <Tiles counts={loaded} />}
        </Loaded>
      </section>
      <section className="card home-waiting" aria-labelledby="home-waiting">
        <h2 id="home-waiting">{homeTexts.waiting}</h2>
        <WaitingList {...useWaiting()} />
      </section>
    </>
  );
}

function Tiles({ counts }: { readonly counts: DomainCounts }) {
  const all = verificationStates.reduce((sum, state) => sum + counts[state], 0);
  return (
    <ul className="plain home-tiles">
      <Tile href="/registry" count={all} name={homeTexts.allDomains} />
      {verificationStates.map((state) => (
        <Tile
          key={state}
          href={`/registry?verificationStatus=${state}`}
          count={counts[state]}
          name={verificationNames[state]}
        />
      ))}
    </ul>
  );
}

function Tile({ href, count, name }: { readonly href: string; readonly count: number; readonly name: string }) {
  return (
    <li>
      <Link href={href} className="home-tile">
        <strong>{grouped(count)}</strong> <span>{name}</span>
      </Link>
    </li>
  );
}

function WaitingList({ waiting, error, retry }: ReturnType<typeof useWaiting>) {
  if (error !== undefined) return <ErrorPanel error={error} onRetry={retry} />;
  if (waiting === undefined) return <p className="muted">{homeTexts.waitingLooking}</p>;
  const { votes, hasMoreVotes, webhooks, keys, hasMoreKeys, ownKeyEnds } = waiting;
  if (votes + webhooks + keys === 0 && ownKeyEnds === undefined)
    return <p className="muted">{homeTexts.waitingNothing}</p>;
  return (
    <ul className="plain">
      {votes > 0 && <Item href="/votes?mine=1">{homeTexts.waitingVotes(votes, hasMoreVotes)}</Item>}
      {webhooks > 0 && <Item href="/keys/webhooks">{homeTexts.waitingWebhooks(webhooks)}</Item>}
      {ownKeyEnds !== undefined && (
        <Item href="/keys">
          {homeTexts.waitingOwnKey} <Age at={ownKeyEnds} />
        </Item>
      )}
      {keys > 0 && <Item href="/keys?state=active">{homeTexts.waitingKeys(keys, hasMoreKeys)}</Item>}
    </ul>
  );
}

function Item({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <li className="row">
      <Icon name="warning" /> <Link href={href}>{children}</Link>
    </li>
  );
}

/** As the tiles show them. */
const verificationStates = ["Verified", "UnderVote", "AwaitingVerification", "Rejected", "Revoked"] as const;
type DomainCounts = Readonly<Record<(typeof verificationStates)[number], number>>;

interface CountsAnswer {
  readonly data?: Readonly<Record<string, { readonly totalCount: number }>> | null;
}

const countOf = (state: string): string =>
  `${state}: entities(filter: { verificationStatus: { equalTo: "${state}" } }) { totalCount }`;
const QUERY = `query Counts { ${verificationStates.map(countOf).join(" ")} }`;

function useDomainCounts() {
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
