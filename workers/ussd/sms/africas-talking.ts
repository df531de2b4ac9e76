/**
 * Sends text messages with Africa's Talking: `POST /version1/messaging`, a form, the header `apiKey`. Its response
 * decides whether a message is delivered, worth a retry, or rejected. The provider has no idempotency key, so an
 * attempt whose response was lost may send a message twice.
 */
import { databaseOf } from "../../../platform/database/database-of.ts";
import * as z from "zod";
import type { Receiver, Sender, AttemptResult } from "../../../durable-objects/outbox/sender.ts";
import type { SecurityNoticeText } from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import type { Fetch } from "../../../platform/auth/shared-lookups.ts";
import { parseJson } from "../../../platform/json.ts";
import { readUssdConfig, type UssdConfig } from "../config.ts";
import { createLogger } from "../../../platform/log.ts";
import { openSmsLimits, readSms } from "./outbox.ts";
import { createSecurityNoticeCollector } from "./security-notices.ts";

export const LIVE_ADDRESS = "https://api.africastalking.com";
export const SANDBOX_ADDRESS = "https://api.sandbox.africastalking.com";
/** The user name of every sandbox. */
const SANDBOX = "sandbox";

/** Milliseconds: the provider usually responds within one second, while a caller waits. */
export const RESPONSE_TIMEOUT = 8_000;
/** Ids that are stored, so that a message that is enqueued again is not sent again. No text is stored. */
const STORED_DELIVERIES = 1_000;
const MS_PER_DAY = 86_400_000;

/** Status codes of a recipient: processed, sent, queued. */
const ACCEPTED = new Set([100, 101, 102]);
/** Internal error, gateway error: temporary failures of the provider. Every other code is final. */
const TEMPORARY = new Set([500, 501]);

const responseSchema = z.object({
  SMSMessageData: z.object({
    Message: z.string(),
    Recipients: z.array(z.object({ statusCode: z.number(), status: z.string() })),
  }),
});

export type SmsCredentials = Pick<
  UssdConfig,
  "AFRICAS_TALKING_USERNAME" | "AFRICAS_TALKING_API_KEY" | "AFRICAS_TALKING_SENDER_ID" | "AFRICAS_TALKING_URL"
>;

/** Without credentials messages wait; none is enqueued then. */
export function openSmsSender(env: Env, noticeText: SecurityNoticeText): Sender {
  const config = readUssdConfig(env);
  const send: Fetch = (url, init) => fetch(url, init);
  if (!config.ok) return createSmsSender(undefined, send);
  const log = createLogger({ surface: "ussd" });
  const collect = createSecurityNoticeCollector({
    database: databaseOf(env),
    text: noticeText,
    settings: { app: config.value.APP_NAME, supportPhone: config.value.SUPPORT_PHONE },
    defaultLanguage: config.value.USSD_DEFAULT_LANGUAGE,
    limits: openSmsLimits(env, log),
    clock: () => Date.now(),
    log,
  });
  const days = config.value.USSD_RECORD_DAYS;
  return createSmsSender(config.value, send, collect, days === 0 ? undefined : days * MS_PER_DAY);
}

/** `collect`: finds further messages to send. `keptTime`: milliseconds for which ended ones are kept at most. */
export function createSmsSender(
  credentials: SmsCredentials | undefined,
  fetch: Fetch,
  collect?: Receiver["collect"],
  keptTime?: number,
): Sender {
  return {
    keeps: { delivered: STORED_DELIVERIES, bodies: false, time: keptTime },
    async open() {
      const { AFRICAS_TALKING_USERNAME: username, AFRICAS_TALKING_API_KEY: apiKey } = credentials ?? {};
      if (credentials === undefined || username === undefined || apiKey === undefined) return "paused";
      return {
        ...(collect === undefined ? {} : { collect }),
        async send({ message }) {
          const sms = readSms(message.body);
          if (sms === undefined) return { kind: "refused", reason: "unreadable" };
          const form = new URLSearchParams({ username, to: sms.to, message: sms.text });
          const senderId = credentials.AFRICAS_TALKING_SENDER_ID;
          if (senderId !== undefined) form.set("from", senderId);
          return post(fetch, addressOf(credentials), apiKey, form);
        },
      };
    },
  };
}

function addressOf({ AFRICAS_TALKING_URL: address, AFRICAS_TALKING_USERNAME: username }: SmsCredentials): string {
  return `${address?.replace(/\/$/, "") ?? (username === SANDBOX ? SANDBOX_ADDRESS : LIVE_ADDRESS)}/version1/messaging`;
}

async function post(fetch: Fetch, address: string, apiKey: string, form: URLSearchParams): Promise<AttemptResult> {
  const timeout = new AbortController();
  // Not AbortSignal.timeout, which would keep the object in memory long after the response.
  const timer = setTimeout(() => timeout.abort(), RESPONSE_TIMEOUT);
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { apiKey, Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
      body: form.toString(),
      redirect: "manual",
      signal: timeout.signal,
    });
    return classifyResponse(response.status, await response.text());
  } catch {
    return { kind: "failed", reason: timeout.signal.aborted ? "timeout" : "network" };
  } finally {
    clearTimeout(timer);
  }
}

/** Only the recipient's own status means acceptance: the provider responds 201 to many messages that it rejects. */
export function classifyResponse(status: number, body: string): AttemptResult {
  if (status === 429 || status >= 500) return { kind: "failed", reason: "status", status };
  if (status < 200 || status > 299) return { kind: "refused", reason: "status", status };
  const json = parseJson(body);
  const response = json.ok ? responseSchema.safeParse(json.value) : undefined;
  if (!response?.success) return { kind: "failed", reason: "unreadable-answer", status };
  const { Message: message, Recipients: recipients } = response.data.SMSMessageData;
  const [recipient] = recipients;
  if (recipient === undefined) return { kind: "refused", reason: reasonOf(message), status };
  if (ACCEPTED.has(recipient.statusCode)) return { kind: "delivered", status };
  const kind = TEMPORARY.has(recipient.statusCode) ? "failed" : "refused";
  return { kind, reason: reasonOf(recipient.status), status };
}

/** A name such as `InvalidSenderId`; nothing longer, because it may contain the number. */
function reasonOf(text: string): string {
  return /^[A-Za-z]{1,40}$/.test(text) ? text : "not-taken";
}
