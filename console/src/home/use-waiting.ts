/** What waits for whom is signed in: votes to cast, webhooks that the registry has switched off, keys that end soon. */
import { keepPreviousData } from "@tanstack/react-query";
import { apiHooks } from "../api/api.ts";
import { keyState } from "../session/key-state.ts";
import { useCaller } from "../session/use-caller.ts";
import { useCredentials } from "../session/use-credentials.ts";
import { useRights } from "../session/use-rights.ts";

/** Open proposals that are looked at: as many as one request about the caller's votes takes. */
const PROPOSALS = 50;
/** A registry has at most 50 webhooks. */
const WEBHOOKS = 50;
/** The newest active keys, which are looked at for their ends. */
const KEYS = 100;
/** Milliseconds: votes and webhooks are not in the change feed. */
const REFRESH = 15_000;

export interface Waiting {
  readonly votes: number;
  /** Whether there may be more than were looked at. */
  readonly hasMoreVotes: boolean;
  readonly webhooks: number;
  readonly keys: number;
  readonly hasMoreKeys: boolean;
  /** When the key of this tab ends, if that is soon. */
  readonly ownKeyEnds: string | undefined;
}

interface Looked {
  /** Undefined until everything that the keys of this tab may read is known. */
  readonly waiting: Waiting | undefined;
  /** Why it is not, if a request failed. */
  readonly error: unknown;
  readonly retry: () => Promise<unknown>;
}

export function useWaiting(): Looked {
  const { operatorToken } = useCredentials();
  const rights = useRights();
  const { data: caller } = useCaller();
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

/** By the registry: a webhook that somebody paused waits for nobody. */
function isOff({ enabled, disabledReason }: { readonly enabled: boolean; readonly disabledReason: string | null }) {
  return !enabled && disabledReason !== "operator";
}
