/**
 * The daily limits that a run counts against before it starts: the user's own, then those of their address and of the whole
 * oracle, as far as the operator has set them. Anybody can create any number of DIDs, so the limits of one user alone do
 * not limit what a deployment spends. A run that does not start is released everywhere.
 */
import type { Admission, DailyLimits, RunReservation, TokenGrant } from "../../oracle/user-vault-rpc.ts";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { BUDGET_OF_ALL, budgetOfAddress } from "../../platform/object-names.ts";
import type { OracleConfig } from "./config.ts";
import { userVault } from "./objects.ts";

/** A counted run. */
export interface CountedRun {
  /** The second half of the run's id. */
  readonly runKey: string;
  /** The run did not start. */
  release(): Promise<void>;
  /** Of what plugins keep for the user, as it was when the run was counted. */
  readonly revision?: string;
  /** What was reserved of the day's tokens; none without a limit. */
  readonly grant?: TokenGrant | undefined;
  /** A limit of the day is reached, and nothing is counted: only a run that was started before may be joined. */
  readonly limitReached?: Failure;
}

export interface RunCount {
  readonly rateLimit: Admission;
  /** Absent when the request exceeded the limit per minute. */
  readonly run?: CountedRun;
}

/** `address`: undefined for a run that comes from another surface. */
export async function countRun(
  env: Env,
  config: OracleConfig,
  did: string,
  address: string | undefined,
): Promise<RunCount> {
  const runKey = crypto.randomUUID();
  const own = userVault(env, did);
  const {
    admission: rateLimit,
    value,
    revision,
  } = await own.countRun(config.ORACLE_RATE_LIMIT_PER_MINUTE, runKey, {
    turns: config.ORACLE_USER_TURNS_PER_DAY,
    tokens: config.ORACLE_USER_TOKENS_PER_DAY,
    running: config.ORACLE_USER_RUNNING_TURNS,
  });
  if (value === undefined) return { rateLimit };
  const exceeds = (limitReached: Failure): RunCount => ({
    rateLimit,
    run: { runKey, release: async () => {}, limitReached },
  });
  if (!value.reserved) return exceeds(userLimitReached(value));
  const counted = [own];
  let { grant } = value;
  const release = async (): Promise<void> => {
    await Promise.all(counted.map((store) => store.releaseRun(runKey)));
  };
  for (const { name, limits, reached } of operatorLimits(config, address)) {
    const store = userVault(env, name);
    const reservation = await store.reserveRun(runKey, limits);
    if (!reservation.reserved) {
      await release();
      return exceeds(reached(reservation));
    }
    counted.push(store);
    grant = lesserGrant(grant, reservation.grant);
  }
  return { rateLimit, run: { runKey, release, grant, ...(revision === undefined ? {} : { revision }) } };
}

function lesserGrant(one: TokenGrant | undefined, other: TokenGrant | undefined): TokenGrant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { tokens: Math.min(one.tokens, other.tokens), until: Math.min(one.until, other.until) };
}

type Exhausted = Extract<RunReservation, { reserved: false }>;

interface OperatorLimit {
  /** Of the object that counts. */
  readonly name: string;
  readonly limits: DailyLimits;
  readonly reached: (exhausted: Exhausted) => Failure;
}

/** The limits that are set, the narrower one first. */
function operatorLimits(config: OracleConfig, address: string | undefined): readonly OperatorLimit[] {
  const ofAddress = { turns: config.ORACLE_ADDRESS_TURNS_PER_DAY, tokens: 0 };
  const ofAll = { turns: config.ORACLE_TOTAL_TURNS_PER_DAY, tokens: config.ORACLE_TOTAL_TOKENS_PER_DAY };
  const limits = [
    ...(address === undefined
      ? []
      : [{ name: budgetOfAddress(address), limits: ofAddress, reached: addressLimitReached }]),
    { name: BUDGET_OF_ALL, limits: ofAll, reached: totalLimitReached },
  ];
  return limits.filter(({ limits: { turns, tokens } }) => turns > 0 || tokens > 0);
}

function userLimitReached({ exhausted, limit, retryAfter }: Exhausted): Failure {
  if (exhausted === "running" || exhausted === "reserved") {
    const message =
      exhausted === "running"
        ? `Answers to ${limit} of your messages are being written, which is the limit. Send this one when an answer has ended.`
        : "The answers that are being written may use the rest of today's tokens. Send this one when they have ended.";
    const reason = exhausted === "running" ? "running_turn_limit" : "daily_tokens_reserved";
    return newFailure("rate_limited", message, { retryAfter, reason, retryable: true });
  }
  const what = exhausted === "turns" ? `${limit} messages` : `${limit} tokens`;
  return newFailure("rate_limited", `You have used today's ${what}. The limit starts again at 00:00 UTC.`, {
    retryAfter,
    reason: exhausted === "turns" ? "daily_turn_limit" : "daily_token_limit",
    retryable: true,
  });
}

function addressLimitReached({ limit, retryAfter }: Exhausted): Failure {
  const message = `Your network has used today's ${limit} messages. The limit starts again at 00:00 UTC.`;
  return newFailure("rate_limited", message, { retryAfter, reason: "address_turn_limit", retryable: true });
}

function totalLimitReached({ exhausted, retryAfter }: Exhausted): Failure {
  if (exhausted === "reserved") {
    const message =
      "The answers that this oracle is writing may use the rest of today's budget. Please try again soon.";
    return newFailure("unavailable", message, { retryAfter, reason: "daily_budget_reserved", retryable: true });
  }
  const message = "This oracle has answered as much as it may today. It starts again at 00:00 UTC.";
  return newFailure("unavailable", message, { retryAfter, reason: "daily_budget_exhausted", retryable: true });
}
