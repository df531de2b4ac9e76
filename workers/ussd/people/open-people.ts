/** The people of a deployed Worker: the settings of this folder's functions, from the environment. */
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { createLogger } from "../../../platform/log.ts";
import { identityOf } from "../../../platform/object-names.ts";
import type { OracleUsers } from "../../../platform/ports.ts";
import type { Result } from "../../../platform/result.ts";
import type { ConfigProblem } from "../../../platform/config.ts";
import { success } from "../../../platform/result.ts";
import { openRing } from "../deployment.ts";
import { ussdSession } from "../session-client.ts";
import { smsOutbox } from "../sms/outbox.ts";
import type { PeopleSettings } from "./people-settings.ts";

/** The oracle's users, for a request or a run of the schedule; undefined while the oracle is misconfigured. */
export type OpenOracleUsers = (
  env: Env,
  waitUntil: (work: Promise<unknown>) => void,
) => Promise<OracleUsers | undefined>;

export async function openPeople(
  env: Env,
  openOracle: OpenOracleUsers,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Result<PeopleSettings, readonly ConfigProblem[]>> {
  const ring = await openRing(env);
  if (!ring.ok) return ring;
  return success({
    database: databaseOf(env),
    clock: () => Date.now(),
    ring: ring.value,
    log: createLogger({ surface: "ussd" }),
    session: (name) => ussdSession(env, identityOf(name)),
    sms: (): Pick<OutboxRpc, "forget" | "messagesTo"> => smsOutbox(env),
    oracle: () => openOracle(env, waitUntil),
  });
}
