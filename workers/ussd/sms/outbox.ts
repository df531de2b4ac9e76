/**
 * The Outbox `sms`: text messages that a phone requested, which count as sent only after the provider has accepted
 * them, and the trigger of security notices. Without credentials neither exists, so no menu offers an SMS (PH-105).
 */
import * as z from "zod";
import type { SmsPort } from "../../../durable-objects/ussd-session/ports.ts";
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import { databaseOf, type DatabaseBindings } from "../../../platform/database/database-of.ts";
import { fail } from "../../../platform/failure.ts";
import { createLogger, describeThrown, type Logger } from "../../../platform/log.ts";
import { parseJson } from "../../../platform/json.ts";
import { SMS_OUTBOX } from "../../../platform/object-names.ts";
import { success } from "../../../platform/result.ts";
import { hasAccountSince } from "../accounts/customers.ts";
import type { UssdConfig } from "../config.ts";

/** Attempts, about half a minute in all: a caller who has given up must not get the message an hour later. */
export const SMS_ATTEMPTS = 3;
/** Milliseconds of one wait for the outcome; a session shows its wait screen long before. */
const OUTCOME_WAIT = 9_000;
/** Waits: longer than all attempts together, so that no message that may still be sent is reported as not sent. */
const OUTCOME_WAITS = 5;

type SmsOutbox = Pick<OutboxRpc, "enqueue" | "outcome" | "replay" | "messagesTo" | "forget">;

/** A new stub each time, because a stub whose object was lost stays broken. */
export function smsOutbox({ OUTBOX }: Pick<Env, "OUTBOX">): SmsOutbox {
  // Via `object`, because the stub's own type is too deep for the compiler.
  const stub: object = OUTBOX.getByName(SMS_OUTBOX);
  return stub as SmsOutbox;
}

export function openSms(env: Env, config: UssdConfig): SmsPort | undefined {
  if (config.AFRICAS_TALKING_API_KEY === undefined) return undefined;
  return createSmsPort(() => smsOutbox(env), openSmsLimits(env, createLogger({ surface: "ussd" })));
}

/** `outbox` returns a new stub for each call. */
export function createSmsPort(
  outbox: () => Pick<SmsOutbox, "enqueue" | "outcome" | "replay">,
  limits: Pick<SmsLimits, "allowInfo">,
): SmsPort {
  const notAccepted = fail("unavailable", "The message was not accepted");
  return {
    async send({ messageKey, to, text }) {
      try {
        // A repeated request was counted the first time.
        if ((await outbox().outcome(messageKey, 0)) === null && !(await limits.allowInfo(to))) return notAccepted;
        const message = { id: messageKey, topic: "info", body: writeSms({ to, text }), ordered: false };
        const enqueued = await outbox().enqueue([{ ...message, attempts: SMS_ATTEMPTS }]);
        if (!enqueued.ok) return enqueued;
        // Requested again after all attempts had failed.
        if (enqueued.value === 0 && (await outbox().outcome(messageKey, 0)) === "dead")
          await outbox().replay([messageKey]);
        for (let waits = 0; waits < OUTCOME_WAITS; waits += 1) {
          const outcome = await outbox().outcome(messageKey, OUTCOME_WAIT);
          if (outcome === "delivered") return success(undefined);
          if (outcome !== "pending") break;
        }
      } catch {
        // The outbox was lost in between: stored messages are still sent, but the outcome is unknown.
      }
      return notAccepted;
    },
  };
}

const message = z.object({ to: z.string(), text: z.string() });

export type SmsMessage = z.output<typeof message>;

export function writeSms({ to, text }: SmsMessage): string {
  return JSON.stringify({ to, text });
}

/** Undefined if it is not a message. */
export function readSms(body: string): SmsMessage | undefined {
  const json = parseJson(body);
  const read = json.ok ? message.safeParse(json.value) : undefined;
  return read?.success ? read.data : undefined;
}

/**
 * Notifies the Outbox `sms` that a security notice may be due: after each such event and every minute. The call carries
 * no data, so nothing is lost if it fails: the outbox knows the last audit entry that it has read. Never throws.
 */
export function openSecurityNoticeTrigger(
  env: Pick<Env, "OUTBOX">,
  { AFRICAS_TALKING_API_KEY: apiKey }: Pick<UssdConfig, "AFRICAS_TALKING_API_KEY">,
): (() => Promise<void>) | undefined {
  if (apiKey === undefined) return undefined;
  const log = createLogger({ surface: "ussd" });
  return async () => {
    try {
      // Not `wake`, which an outbox without messages ignores.
      await smsOutbox(env).enqueue([]);
    } catch (thrown) {
      log.warn("security-notices-not-triggered", { reason: describeThrown(thrown) });
    }
  };
}

/**
 * Limits, because anyone who reaches the session endpoint can claim any phone number, and each SMS costs money.
 * Information messages to one phone in 24 hours.
 */
export const INFO_PER_PHONE = 5;
/** Information messages to all phones per minute: few enough that security notices never wait long. */
export const INFO_PER_MINUTE = 60;
/** The part for phones without an older account: half, so that made-up numbers leave the other half to customers. */
export const INFO_TO_NEW_PHONES_PER_MINUTE = 30;
/** Milliseconds after which an account counts, so that accounts created for an SMS do not. */
export const OLDER_ACCOUNT_MS = 86_400_000;
/** Security notices of one kind about one account in 24 hours. Other accounts and kinds have separate limits. */
export const NOTICES_PER_KIND = 3;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

export type SmsLimitBindings = Pick<Env, "RATE_LIMITER"> & DatabaseBindings;

export interface SmsLimits {
  /** Counts an information message. Throws if it cannot be counted, and then none is sent. */
  allowInfo(phoneNumber: string): Promise<boolean>;
  /** Counts a security notice. A security notice that cannot be counted is still sent. */
  allowNotice(customerId: string, kind: string): Promise<boolean>;
}

export function openSmsLimits(env: SmsLimitBindings, log: Logger): SmsLimits {
  const { RATE_LIMITER } = env;
  async function take(name: string, limit: number, windowSeconds: number): Promise<boolean> {
    const { admitted } = await RATE_LIMITER.getByName(`ussd-sms:${name}`).take(limit, windowSeconds);
    return admitted;
  }

  return {
    async allowInfo(phoneNumber) {
      // A refusal because of all phones or new phones is not counted for this phone.
      const hasRoom = (name: string, limit: number) =>
        RATE_LIMITER.getByName(`ussd-sms:${name}`).hasRoom(limit, MINUTE_SECONDS);
      if (!(await hasRoom("all", INFO_PER_MINUTE))) return false;
      const isNew = !(await hasAccountSince(databaseOf(env), phoneNumber, Date.now() - OLDER_ACCOUNT_MS));
      if (isNew && !(await hasRoom("new-phones", INFO_TO_NEW_PHONES_PER_MINUTE))) return false;
      if (!(await take(phoneNumber, INFO_PER_PHONE, DAY_SECONDS))) return false;
      if (isNew && !(await take("new-phones", INFO_TO_NEW_PHONES_PER_MINUTE, MINUTE_SECONDS))) return false;
      return take("all", INFO_PER_MINUTE, MINUTE_SECONDS);
    },
    async allowNotice(customerId, kind) {
      try {
        return await take(`${customerId}:${kind}`, NOTICES_PER_KIND, DAY_SECONDS);
      } catch (thrown) {
        log.warn("security-notice-not-counted", { reason: describeThrown(thrown) });
        return true;
      }
    },
  };
}
