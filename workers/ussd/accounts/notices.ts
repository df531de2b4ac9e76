/**
 * Which entries of the audit log their customers are to hear of, and at which phone: the one that the account was made
 * from, never the one that did it. An entry is written in the batch of the act itself, so no act is without its notice.
 */
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import type { AuditEvent } from "./audit.ts";

/** The acts that a customer is to hear of. */
export const NOTICE_EVENTS = [
  "PIN_CHANGED",
  "PIN_RESET",
  "ACCOUNT_LOCKED",
  "LOGIN_NEW_PHONE",
] as const satisfies readonly AuditEvent[];

export interface DueNotice {
  /** The entry's number in the audit log: once in all. */
  readonly entry: number;
  readonly event: (typeof NOTICE_EVENTS)[number];
  /** Unix milliseconds. */
  readonly at: number;
  readonly customerId: string;
  readonly phoneNumber: string;
  /** The customer's, else that phone's; null when neither chose one. */
  readonly language: Language | null;
  /** JSON, as the entry has it. */
  readonly detail: string;
}

export interface DueNotices {
  readonly notices: readonly DueNotice[];
  /** Everything up to this entry is among the notices or is none. */
  readonly end: number;
  readonly more: boolean;
}

/** A phone is strange at its first login to an account, and no more after it. */
const READ_DUE = `
  SELECT entry.id AS entry, entry.event, entry.at, entry.customer_id AS customerId, entry.detail,
    phones.phone_e164 AS phoneNumber, coalesce(customers.language, phones.language) AS language
  FROM audit_log AS entry
  JOIN customers ON customers.customer_id = entry.customer_id
  JOIN customer_phones ON customer_phones.customer_id = customers.id AND is_primary = 1
  JOIN phones ON phones.id = customer_phones.phone_id
  WHERE entry.id > ?1 AND entry.at > ?2 AND entry.event IN (SELECT value FROM json_each(?3))
    AND NOT (entry.event = 'LOGIN_NEW_PHONE' AND EXISTS (
      SELECT 1 FROM audit_log AS earlier WHERE earlier.customer_id = entry.customer_id AND earlier.id < entry.id
        AND earlier.event = entry.event AND earlier.phone_key = entry.phone_key))
  ORDER BY entry.id LIMIT ?4`;

/** Of the entries behind `after`, and younger than `since` (Unix milliseconds). */
export async function readDueNotices(
  database: D1Database,
  { after, since, limit }: { readonly after: number; readonly since: number; readonly limit: number },
): Promise<DueNotices> {
  const [due, newest] = await database.batch([
    database.prepare(READ_DUE).bind(after, since, JSON.stringify(NOTICE_EVENTS), limit),
    database.prepare("SELECT coalesce(max(id), 0) AS id FROM audit_log"),
  ]);
  const notices = (due?.results ?? []) as unknown as readonly DueNotice[];
  const [last] = (newest?.results ?? []) as readonly { readonly id: number }[];
  const more = notices.length === limit;
  return { notices, end: (more ? notices.at(-1)?.entry : last?.id) ?? after, more };
}
