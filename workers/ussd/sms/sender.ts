/**
 * Hands text messages to Africa's Talking: `POST /version1/messaging`, form body, header `apiKey`. What its answer means
 * for the Outbox: taken, worth another attempt, or never to be taken. The provider knows no idempotency key, so an attempt
 * whose answer was lost may send a message twice.
 */
import * as z from "zod";
import type { Receiver, Sender, Verdict } from "../../../durable-objects/outbox/sender.ts";
import type { SecurityNoticeText } from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import type { Fetch } from "../../platform/auth/fetch-json.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { readUssdConfig, type UssdConfig } from "../config.ts";
import { createLogger } from "../../platform/log.ts";
import { openSmsAllowance } from "./allowance.ts";
import { readSms } from "./messages.ts";
import { createNoticeCollector } from "./security-notices.ts";

export const LIVE_ADDRESS = "https://api.africastalking.com";
export const SANDBOX_ADDRESS = "https://api.sandbox.africastalking.com";
/** The user name of every sandbox. */
const SANDBOX = "sandbox";

/** Milliseconds: the provider answers within one; a caller waits meanwhile. */
export const ANSWER_TIME = 8_000;
/** Ids that are remembered, so that a message that is handed in again is not sent again. No text stays. */
const KEPT_DELIVERIES = 1_000;

/** Status codes of a recipient: processed, sent, queued. */
const TAKEN = new Set([100, 101, 102]);
/** Internal error, gateway error: the provider's own trouble. Every other code will not change. */
const PASSING = new Set([500, 501]);

const answerSchema = z.object({
  SMSMessageData: z.object({
    Message: z.string(),
    Recipients: z.array(z.object({ statusCode: z.number(), status: z.string() })),
  }),
});

export type SmsCredentials = Pick<
  UssdConfig,
  "AFRICAS_TALKING_USERNAME" | "AFRICAS_TALKING_API_KEY" | "AFRICAS_TALKING_SENDER_ID" | "AFRICAS_TALKING_URL"
>;

/** Without credentials messages wait; nothing hands any in then. */
export function openSmsSender(env: Env, noticeText: SecurityNoticeText): Sender {
  const config = readUssdConfig(env);
  const send: Fetch = (url, init) => fetch(url, init);
  if (!config.ok) return createSmsSender(undefined, send);
  const log = createLogger({ surface: "ussd" });
  const collect = createNoticeCollector({
    database: env.DATABASE,
    text: noticeText,
    app: config.value.APP_NAME,
    defaultLanguage: config.value.USSD_DEFAULT_LANGUAGE,
    allowance: openSmsAllowance(env, log),
    clock: () => Date.now(),
    log,
  });
  return createSmsSender(config.value, send, collect);
}

/** `collect`: what it fetches itself, beside what it is handed. */
export function createSmsSender(
  credentials: SmsCredentials | undefined,
  fetch: Fetch,
  collect?: Receiver["collect"],
): Sender {
  return {
    keeps: { delivered: KEPT_DELIVERIES, bodies: false },
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

async function post(fetch: Fetch, address: string, apiKey: string, form: URLSearchParams): Promise<Verdict> {
  const late = new AbortController();
  // Not AbortSignal.timeout, which would hold the object in memory long after the answer.
  const timer = setTimeout(() => late.abort(), ANSWER_TIME);
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { apiKey, Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
      body: form.toString(),
      redirect: "manual",
      signal: late.signal,
    });
    return verdictOf(response.status, await response.text());
  } catch {
    return { kind: "failed", reason: late.signal.aborted ? "timeout" : "network" };
  } finally {
    clearTimeout(timer);
  }
}

/** Only the recipient's own status says that a message was taken: the provider answers 201 to much that it was not. */
export function verdictOf(status: number, body: string): Verdict {
  if (status === 429 || status >= 500) return { kind: "failed", reason: "status", status };
  if (status < 200 || status > 299) return { kind: "refused", reason: "status", status };
  const json = parseJson(body);
  const answer = json.ok ? answerSchema.safeParse(json.value) : undefined;
  if (!answer?.success) return { kind: "failed", reason: "unreadable-answer", status };
  const { Message: message, Recipients: recipients } = answer.data.SMSMessageData;
  const [recipient] = recipients;
  if (recipient === undefined) return { kind: "refused", reason: reasonOf(message), status };
  if (TAKEN.has(recipient.statusCode)) return { kind: "delivered", status };
  const kind = PASSING.has(recipient.statusCode) ? "failed" : "refused";
  return { kind, reason: reasonOf(recipient.status), status };
}

/** A name such as `InvalidSenderId`; of anything longer nothing, for it may quote the number. */
function reasonOf(text: string): string {
  return /^[A-Za-z]{1,40}$/.test(text) ? text : "not-taken";
}
