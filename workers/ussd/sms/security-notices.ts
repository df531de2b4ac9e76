/**
 * Security notices (decisions/004): the Outbox `sms` collects them from the audit log, as a webhook's does from the feed
 * of changes. The entry's number is the message's id, so whatever is repeated is one message; no step waits for one.
 */
import * as z from "zod";
import type { Receiver } from "../../../durable-objects/outbox/sender.ts";
import type { OutboxMessage } from "../../../durable-objects/outbox/rpc.ts";
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import type {
  SecurityNotice,
  SecurityNoticeText,
} from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { readDueNotices, type DueNotice } from "../accounts/notices.ts";
import type { SmsAllowance } from "./allowance.ts";
import { writeSms } from "./messages.ts";

/** Milliseconds: older acts are told no more, so that credentials that come late bring no flood. */
export const NOTICE_LIFETIME = 86_400_000;
const MINUTE_MS = 60_000;

const TOPICS: Readonly<Record<DueNotice["event"], SecurityNotice["topic"]>> = {
  PIN_CHANGED: "pinChanged",
  PIN_RESET: "pinReset",
  ACCOUNT_LOCKED: "accountLocked",
  LOGIN_NEW_PHONE: "newPhone",
};

const lockDetail = z.object({ until: z.iso.datetime(), phones: z.enum(["phone", "others"]).optional() });

export interface NoticePlatform {
  readonly database: D1Database;
  readonly text: SecurityNoticeText;
  readonly app: string;
  readonly defaultLanguage: Language;
  readonly allowance: Pick<SmsAllowance, "notice">;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
}

export function createNoticeCollector(platform: NoticePlatform): NonNullable<Receiver["collect"]> {
  const { database, allowance, clock, log } = platform;
  return async (cursor, limit) => {
    try {
      const since = clock() - NOTICE_LIFETIME;
      const { notices, end, more } = await readDueNotices(database, { after: cursor, since, limit });
      const messages: OutboxMessage[] = [];
      for (const notice of notices) {
        if (await allowance.notice(notice.customerId, notice.event)) messages.push(messageOf(platform, notice));
      }
      return { messages, cursor: end, more };
    } catch (thrown) {
      // What was handed in goes out all the same; notices are looked for again at the next bell.
      log.warn("notices-not-collected", { reason: describeThrown(thrown) });
      return { messages: [], cursor, more: false };
    }
  };
}

function messageOf({ text, app, defaultLanguage }: NoticePlatform, notice: DueNotice): OutboxMessage {
  const { entry, event, at, customerId, phoneNumber, language } = notice;
  const lock = lockOf(notice);
  // The customer's own phone is not locked when guesses came from others.
  const topic = lock?.phones === "others" ? "otherPhonesLocked" : TOPICS[event];
  const minutes = lock === undefined ? 0 : Math.max(1, Math.ceil((Date.parse(lock.until) - at) / MINUTE_MS));
  const words = { topic, customerId, at, minutes };
  const body = writeSms({ to: phoneNumber, text: text(words, language ?? defaultLanguage, app) });
  return { id: `notice-${entry}`, topic: "notice", body, ordered: false };
}

/** Undefined for any act but a lock. */
function lockOf({ detail }: DueNotice): z.output<typeof lockDetail> | undefined {
  const json = parseJson(detail);
  return json.ok ? lockDetail.safeParse(json.value).data : undefined;
}
