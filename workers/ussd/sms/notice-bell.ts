/**
 * Tells the Outbox `sms` that a security notice may be due: after each act that a customer is to hear of, and every
 * minute. It carries nothing, so that nothing is lost when it is: the outbox knows how far it has been told.
 */
import { createLogger, describeThrown } from "../../platform/log.ts";
import type { UssdConfig } from "../config.ts";
import { smsOutbox } from "./outbox-port.ts";

/** Absent without credentials. It never throws: who is not heard now is heard within a minute. */
export function openNoticeBell(
  env: Pick<Env, "OUTBOX">,
  { AFRICAS_TALKING_API_KEY: apiKey }: Pick<UssdConfig, "AFRICAS_TALKING_API_KEY">,
): (() => Promise<void>) | undefined {
  if (apiKey === undefined) return undefined;
  const log = createLogger({ surface: "ussd" });
  return async () => {
    try {
      // Not `wake`, to which an outbox that never held a message is deaf.
      await smsOutbox(env).enqueue([]);
    } catch (thrown) {
      log.warn("notices-not-woken", { reason: describeThrown(thrown) });
    }
  };
}
