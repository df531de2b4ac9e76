/**
 * Security notices (PH-108 to PH-111): the Outbox `sms` collects them from the audit log, as webhooks collect changes.
 * The number of the entry is the message's id, so repetitions are one message; no step waits for a notice.
 */
import type { Database } from "../../../platform/database/database.ts";
import * as z from "zod";
import type { Receiver } from "../../../durable-objects/outbox/sender.ts";
import type { OutboxMessage } from "../../../durable-objects/outbox/rpc.ts";
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import type {
  NoticeSettings,
  SecurityNotice,
  SecurityNoticeText,
} from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { parseJson } from "../../../platform/json.ts";
import { readDueNotices, type DueNotice } from "../accounts/audit.ts";
import { writeSms, type SmsLimits } from "./outbox.ts";

/** Milliseconds: older events cause no notice, so that configuring credentials late causes no flood. */
export const NOTICE_MAX_AGE = 86_400_000;
const MINUTE_MS = 60_000;

const TOPICS: Readonly<Record<DueNotice["event"], SecurityNotice["topic"]>> = {
  ACCOUNT_CREATED: "accountCreated",
  PIN_CHANGED: "pinChanged",
  PIN_RESET: "pinReset",
  ACCOUNT_LOCKED: "accountLocked",
  LOGIN_NEW_PHONE: "newPhone",
};

const lockDetail = z.object({ until: z.iso.datetime(), phones: z.enum(["phone", "others"]).optional() });

export interface SecurityNoticeDependencies {
  readonly database: Database;
  readonly text: SecurityNoticeText;
  readonly settings: NoticeSettings;
  readonly defaultLanguage: Language;
  readonly limits: SmsLimits;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
}

export function createSecurityNoticeCollector(
  dependencies: SecurityNoticeDependencies,
): NonNullable<Receiver["collect"]> {
  const { database, clock, log } = dependencies;
  return async (cursor, limit) => {
    try {
      const since = clock() - NOTICE_MAX_AGE;
      const { notices, end, more } = await readDueNotices(database, { after: cursor, since, limit });
      const messages: OutboxMessage[] = [];
      for (const notice of notices) {
        if (await isAllowed(dependencies, notice)) messages.push(messageOf(dependencies, notice));
      }
      return { messages, cursor: end, more };
    } catch (thrown) {
      // Enqueued messages are still sent; the notices are collected at the next trigger.
      log.warn("security-notices-not-collected", { reason: describeThrown(thrown) });
      return { messages: [], cursor, more: false };
    }
  };
}

/**
 * A new Customer ID is an information message, because anyone can create accounts for any number. The next dial shows
 * it too.
 */
async function isAllowed({ limits, log }: SecurityNoticeDependencies, notice: DueNotice): Promise<boolean> {
  if (notice.event !== "ACCOUNT_CREATED") return limits.allowNotice(notice.customerId, notice.event);
  try {
    return await limits.allowInfo(notice.phoneNumber);
  } catch (thrown) {
    log.warn("customer-id-not-sent", { reason: describeThrown(thrown) });
    return false;
  }
}

function messageOf({ text, settings, defaultLanguage }: SecurityNoticeDependencies, notice: DueNotice): OutboxMessage {
  const { entry, event, at, customerId, phoneNumber, language } = notice;
  const lock = lockOf(notice);
  // Guesses from other phones do not lock the customer's own phone.
  const topic = lock?.phones === "others" ? "otherPhonesLocked" : TOPICS[event];
  const minutes = lock === undefined ? 0 : Math.max(1, Math.ceil((Date.parse(lock.until) - at) / MINUTE_MS));
  const content = { topic, customerId, at, minutes };
  const body = writeSms({ to: phoneNumber, text: text(content, language ?? defaultLanguage, settings) });
  return { id: `notice-${entry}`, topic: "notice", body, ordered: false };
}

/** Undefined for any event except a lock. */
function lockOf({ detail }: DueNotice): z.output<typeof lockDetail> | undefined {
  const json = parseJson(detail);
  return json.ok ? lockDetail.safeParse(json.value).data : undefined;
}
