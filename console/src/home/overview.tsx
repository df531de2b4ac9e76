/** The registry in numbers, and the signed-in user's waiting items. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { apiHooks, authorizedFetch } from "../api/api.ts";
import { Age } from "../kit/age.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorPanel, Loaded } from "../kit/loaded.tsx";
import { keyState } from "../session/key-state.ts";
import { useCaller, useCredentials, useKeyNumber, useRights } from "../session/use-caller.ts";
import { grouped, plural } from "../texts/number.ts";
import { verificationNames } from "../texts/registry.ts";

export function Overview() {
  const counts = useDomainCounts();
  return (
    <>
      <section aria-labelledby="home-numbers" className="home-numbers">
        <h2 id="home-numbers" className="hidden-visually">
          Domains by verification
        </h2>
        <Loaded query={counts} loading={<div className="home-tiles" />} showsAge={false}>
          {(loaded) => <Tiles counts={loaded} />}
        </Loaded>
      </section>
      <section className="card home-waiting" aria-labelledby="home-waiting">
        <h2 id="home-waiting">Waiting for you</h2>
        <WaitingList {...useWaiting()} />
      </section>
    </>
  );
}

function Tiles({ counts }: { readonly counts: DomainCounts }) {
  const all = verificationStates.reduce((sum, state) => sum + counts[state], 0);
  return (
    <ul className="plain home-tiles">
      <Tile href="/registry" count={all} name="Domains" />
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
  if (waiting === undefined) return <p className="muted">Looking for open tasks…</p>;
  const { votes, hasMoreVotes, webhooks, keys, hasMoreKeys, ownKeyEnds } = waiting;
  if (votes + webhooks + keys === 0 && ownKeyEnds === undefined)
    return <p className="muted">Nothing is waiting for you.</p>;
  return (
    <ul className="plain">
      {votes > 0 && (
        <Item href="/votes?mine=1">{`${hasMoreVotes ? "At least " : ""}${plural(votes, "open vote needs", "open votes need")} your vote`}</Item>
      )}
      {webhooks > 0 && (
        <Item href="/keys/webhooks">{`${plural(webhooks, "webhook was", "webhooks were")} switched off after failures`}</Item>
      )}
      {ownKeyEnds !== undefined && (
        <Item href="/keys">
          Your API key expires <Age at={ownKeyEnds} />
        </Item>
      )}
      {keys > 0 && (
        <Item href="/keys?state=active">{`${hasMoreKeys ? "At least " : ""}${plural(keys, "API key expires", "API keys expire")} within a week`}</Item>
      )}
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

/** The states in the order of the tiles. */
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

/** How many open proposals are examined: as many as one request about the caller's votes accepts. */
const PROPOSALS = 50;
/** A registry has at most 50 webhooks. */
const WEBHOOKS = 50;
/** How many of the newest active keys are examined for their expiry. */
const KEYS = 100;
/** Milliseconds: votes and webhooks are not in the change feed. */
const REFRESH = 15_000;

interface Waiting {
  readonly votes: number;
  /** Whether there may be more than were examined. */
  readonly hasMoreVotes: boolean;
  readonly webhooks: number;
  readonly keys: number;
  readonly hasMoreKeys: boolean;
  /** When this tab's key ends, if that is soon. */
  readonly ownKeyEnds: string | undefined;
}

interface Looked {
  /** Undefined until everything that this tab's keys may read is known. */
  readonly waiting: Waiting | undefined;
  /** The error, if a request failed. */
  readonly error: unknown;
  readonly retry: () => Promise<unknown>;
}

/** The user's waiting items: votes to cast, webhooks that the registry has disabled, keys that end soon. */
function useWaiting(): Looked {
  const { operatorToken } = useCredentials();
  const rights = useRights();
  const callerQuery = useCaller();
  const { data: caller } = callerQuery;
  const mayVote = rights?.mayVote === true;
  const isAdmin = rights?.isAdmin === true;
  const isOperator = operatorToken !== undefined;
  const open = apiHooks.useQuery(
    "get",
    "/v1/proposals",
    { params: { query: { limit: PROPOSALS, state: ["open"], electorate: ["me"] } } },
    { enabled: mayVote, refetchInterval: REFRESH },
  );
  const proposals = open.data?.data.map(({ id }) => id).toSorted() ?? [];
  const own = apiHooks.useQuery(
    "get",
    "/v1/votes/me",
    { params: { query: { proposal: proposals } } },
    { enabled: proposals.length > 0, refetchInterval: REFRESH, placeholderData: keepPreviousData },
  );
  const webhooks = apiHooks.useQuery(
    "get",
    "/v1/webhooks",
    { params: { query: { limit: WEBHOOKS } } },
    { enabled: isAdmin, refetchInterval: REFRESH },
  );
  const keys = apiHooks.useQuery(
    "get",
    "/v1/api-keys",
    { params: { query: { limit: KEYS, state: ["active"] } } },
    { enabled: isOperator },
  );
  const asked = [
    callerQuery,
    ...(mayVote ? [open] : []),
    ...(proposals.length > 0 ? [own] : []),
    ...(isAdmin ? [webhooks] : []),
    ...(isOperator ? [keys] : []),
  ];
  const missing = asked.filter(({ data }) => data === undefined);
  const error = missing.find((query) => query.error !== null)?.error;
  const retry = () => Promise.all(missing.map(({ refetch }) => refetch()));
  if (caller === undefined || missing.length > 0) return { waiting: undefined, error, retry };
  const now = Date.now();
  const waiting = {
    votes: own.data?.data.filter(({ vote }) => vote === null).length ?? 0,
    hasMoreVotes: open.data?.page.hasMore === true,
    webhooks: webhooks.data?.data.filter(isOff).length ?? 0,
    keys: keys.data?.data.filter((key) => keyState(key, now) === "expiring").length ?? 0,
    hasMoreKeys: keys.data?.page.hasMore === true,
    ownKeyEnds: keyState(caller, now) === "expiring" ? (caller.expiresAt ?? undefined) : undefined,
  };
  return { waiting, error: undefined, retry };
}

/** Disabled by the registry: a webhook that the user paused needs no attention. */
function isOff({ enabled, disabledReason }: { readonly enabled: boolean; readonly disabledReason: string | null }) {
  return !enabled && disabledReason !== "operator";
}
