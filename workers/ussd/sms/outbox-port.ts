/**
 * Text messages for phone sessions, by the Outbox `sms` (contract/ussd.md amendments, decisions 4.8): said to be sent only
 * when the provider took them. Without credentials there is no port, so no menu offers one.
 */
import type { SmsPort } from "../../../durable-objects/ussd-session/ports.ts";
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import { fail } from "../../platform/failure.ts";
import { createLogger } from "../../platform/log.ts";
import { success } from "../../platform/result.ts";
import type { UssdConfig } from "../config.ts";
import { openSmsAllowance, type SmsAllowance } from "./allowance.ts";
import { writeSms } from "./messages.ts";

const SMS_OUTBOX = "sms";
/** Attempts, about half a minute in all: who gave up must not get the message an hour later. */
export const SMS_ATTEMPTS = 3;
/** Milliseconds of one wait for what became of it; a session shows its own wait screen long before. */
const OUTCOME_WAIT = 9_000;
/** Waits: more than all attempts can take, so that "could not be sent" is said of no message that may yet go out. */
const OUTCOME_WAITS = 5;

type SmsOutbox = Pick<OutboxRpc, "enqueue" | "outcome" | "replay">;

/** The Outbox of all text messages; a fresh stub each time, since one whose object was lost stays broken. */
export function smsOutbox({ OUTBOX }: Pick<Env, "OUTBOX">): SmsOutbox {
  // By way of `object`: the stub's own type is too deep for the compiler, and its class is known by its RPC interface.
  const stub: object = OUTBOX.getByName(SMS_OUTBOX);
  return stub as SmsOutbox;
}

export function openSms(env: Env, config: UssdConfig): SmsPort | undefined {
  if (config.AFRICAS_TALKING_API_KEY === undefined) return undefined;
  return createSmsPort(() => smsOutbox(env), openSmsAllowance(env, createLogger({ surface: "ussd" })));
}

/** `outbox`: a fresh stub for each call. */
export function createSmsPort(outbox: () => SmsOutbox, allowance: Pick<SmsAllowance, "info">): SmsPort {
  const refused = fail("unavailable", "The message was not accepted");
  return {
    async send({ messageKey, to, text }) {
      try {
        // What was asked for before was counted before.
        if ((await outbox().outcome(messageKey, 0)) === null && !(await allowance.info(to))) return refused;
        const message = { id: messageKey, topic: "info", body: writeSms({ to, text }), ordered: false };
        const taken = await outbox().enqueue([{ ...message, attempts: SMS_ATTEMPTS }]);
        if (!taken.ok) return taken;
        // Asked for once more after it was given up.
        if (taken.value === 0 && (await outbox().outcome(messageKey, 0)) === "dead")
          await outbox().replay([messageKey]);
        for (let waits = 0; waits < OUTCOME_WAITS; waits += 1) {
          const outcome = await outbox().outcome(messageKey, OUTCOME_WAIT);
          if (outcome === "delivered") return success(undefined);
          if (outcome !== "pending") break;
        }
      } catch {
        // The outbox was lost in the midst: what it stored is sent all the same, but nobody can say so.
      }
      return refused;
    },
  };
}
