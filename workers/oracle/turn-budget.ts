/**
 * What a turn counts against before it starts: the user's own limits of the day, then those of their address and of the
 * whole oracle, as far as the operator has set them. Any DID can be made for nothing, so the limits of one user alone
 * do not bound what a deployment spends. A turn that does not start after all is given back everywhere.
 */
import type { Admission, RunReservation } from "../../durable-objects/user-store/rpc.ts";
import { newFailure, type Failure } from "../platform/failure.ts";
import { BUDGET_OF_ALL, budgetOfAddress } from "../platform/oracle-budgets.ts";
import type { OracleConfig } from "./config.ts";
import { userStore } from "./objects.ts";

/** A counted turn. Its id becomes the second half of its run's id. */
export interface CountedTurn {
  readonly runKey: string;
  /** The turn did not start. */
  release(): Promise<void>;
  /** A limit of the day was met, so that nothing is counted: the turn may only join one that was started before. */
  readonly refusal?: Failure;
}

export interface TurnCount {
  readonly admission: Admission;
  /** Absent when the request was refused by the limit per minute. */
  readonly turn?: CountedTurn;
}

/** `address`: none for a turn that comes from another surface. */
export async function countTurn(
  env: Env,
  config: OracleConfig,
  did: string,
  address: string | undefined,
): Promise<TurnCount> {
  const runKey = crypto.randomUUID();
  const own = userStore(env, did);
  const { admission, value } = await own.countRun(config.ORACLE_RATE_LIMIT_PER_MINUTE, runKey, {
    turns: config.ORACLE_USER_TURNS_PER_DAY,
    tokens: config.ORACLE_USER_TOKENS_PER_DAY,
  });
  if (value === undefined) return { admission };
  const refused = (refusal: Failure): TurnCount => ({ admission, turn: { runKey, release: async () => {}, refusal } });
  if (!value.reserved) return refused(userLimitReached(value));
  const counted = [own];
  const release = async (): Promise<void> => {
    await Promise.all(counted.map((vault) => vault.releaseRun(runKey)));
  };
  for (const budget of operatorBudgets(config, address)) {
    const vault = userStore(env, budget.name);
    const reservation = await vault.reserveRun(runKey, budget.limits);
    if (!reservation.reserved) {
      await release();
      return refused(budget.refusal(reservation));
    }
    counted.push(vault);
  }
  return { admission, turn: { runKey, release } };
}

type Refused = Extract<RunReservation, { reserved: false }>;

function operatorBudgets(config: OracleConfig, address: string | undefined) {
  const { ORACLE_ADDRESS_TURNS_PER_DAY, ORACLE_TOTAL_TURNS_PER_DAY, ORACLE_TOTAL_TOKENS_PER_DAY } = config;
  const ofAddress =
    address === undefined || ORACLE_ADDRESS_TURNS_PER_DAY === 0
      ? []
      : [
          {
            name: budgetOfAddress(address),
            limits: { turns: ORACLE_ADDRESS_TURNS_PER_DAY, tokens: 0 },
            refusal: addressLimitReached,
          },
        ];
  const ofAll =
    ORACLE_TOTAL_TURNS_PER_DAY === 0 && ORACLE_TOTAL_TOKENS_PER_DAY === 0
      ? []
      : [
          {
            name: BUDGET_OF_ALL,
            limits: { turns: ORACLE_TOTAL_TURNS_PER_DAY, tokens: ORACLE_TOTAL_TOKENS_PER_DAY },
            refusal: totalLimitReached,
          },
        ];
  return [...ofAddress, ...ofAll];
}

function userLimitReached({ exhausted, limit, retryAfter }: Refused): Failure {
  const what = exhausted === "turns" ? `${limit} messages` : `${limit} tokens`;
  return newFailure("rate_limited", `You have used today's ${what}. The limit starts again at 00:00 UTC.`, {
    retryAfter,
    reason: exhausted === "turns" ? "daily_turn_limit" : "daily_token_limit",
    retryable: true,
  });
}

function addressLimitReached({ limit, retryAfter }: Refused): Failure {
  return newFailure(
    "rate_limited",
    `Your network has used today's ${limit} messages. The limit starts again at 00:00 UTC.`,
    {
      retryAfter,
      reason: "address_turn_limit",
      retryable: true,
    },
  );
}

function totalLimitReached({ retryAfter }: Refused): Failure {
  return newFailure("unavailable", "This oracle has answered as much as it may today. It starts again at 00:00 UTC.", {
    retryAfter,
    reason: "daily_budget_exhausted",
    retryable: true,
  });
}
