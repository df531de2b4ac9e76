/**
 * The audit log (PH-104): who did what when, without a secret or a phone number. An entry is written in the batch of
 * the change itself, so every change has its entry, and the security notice that the entry causes.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { Caller } from "../../../durable-objects/ussd-session/ports.ts";
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import type { JsonObject } from "../../../platform/json.ts";
import type { KeyRing } from "../key-ring.ts";
import type { AccountSettings } from "./settings.ts";

export type AuditEvent =
  | "ACCOUNT_CREATED"
  | "LOGIN_SUCCESS"
  | "LOGIN_FAILED"
  | "LOGIN_NEW_PHONE"
  | "ACCOUNT_LOCKED"
  | "ACCOUNT_UNLOCKED"
  | "PIN_CHANGED"
  | "PIN_RESET"
  | "KEYS_ROTATED"
  | "DID_LINKED"
  | "LANGUAGE_CHANGED"
  | "ID_RECOVERED"
  | "PHONE_LINKED"
  | "SESSION_BIND_REFUSED"
  | "OPS_READ"
  | "ACCOUNT_ERASED";

/**
 * Milliseconds for which entries without a customer are stored, because anyone can cause them. Entries about customers
 * and operators are permanent.
 */
const ANONYMOUS_ENTRIES_RETENTION = 30 * 86_400_000;

export interface AuditEntry {
  readonly event: AuditEvent;
  /** Null if there is no customer, or the id is unknown. */
  readonly customerId: string | null;
  /** Null if an operator did it. */
  readonly caller: CallerKeys | null;
  readonly detail?: JsonObject;
}

export interface CallerKeys {
  readonly phoneKey: string;
  readonly sessionKey: string;
}

export async function callerKeys(ring: KeyRing, { phoneNumber, sessionId }: Caller): Promise<CallerKeys> {
  const [phoneKey, sessionKey] = await Promise.all([ring.mac("phone", phoneNumber), ring.mac("session", sessionId)]);
  return { phoneKey, sessionKey };
}

/**
 * The statement that writes the entry, for the batch of the change itself. `condition` is an SQL expression that may
 * use the customer's id as `?3` and `values` from `?7` on; the entry is written only if it is true.
 */
export function auditStatement(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  { event, customerId, caller, detail = {} }: AuditEntry,
  condition = "TRUE",
  ...values: readonly (string | number)[]
): Statement {
  return database
    .prepare(
      `INSERT INTO audit_log (at, event, customer_id, phone_key, session_key, detail)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ${condition}`,
    )
    .bind(
      clock(),
      event,
      customerId,
      caller?.phoneKey ?? null,
      caller?.sessionKey ?? null,
      JSON.stringify(detail),
      ...values,
    );
}

/** Deletes expired entries without a customer, at most `limit`. */
export function purgeAnonymousEntries(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  limit: number,
): Statement {
  return database
    .prepare(
      `DELETE FROM audit_log WHERE id IN (
         SELECT id FROM audit_log WHERE customer_id IS NULL AND phone_key IS NOT NULL AND at <= ?1 ORDER BY at LIMIT ?2)`,
    )
    .bind(clock() - ANONYMOUS_ENTRIES_RETENTION, limit);
}

/** Each causes a message to the customer: their new Customer ID, or a security notice. */
export const SECURITY_EVENTS = [
  "ACCOUNT_CREATED",
  "PIN_CHANGED",
  "PIN_RESET",
  "ACCOUNT_LOCKED",
  "LOGIN_NEW_PHONE",
] as const satisfies readonly AuditEvent[];

export interface DueNotice {
  /** The number of the audit entry; unique. */
  readonly entry: number;
  readonly event: (typeof SECURITY_EVENTS)[number];
  /** Unix milliseconds. */
  readonly at: number;
  readonly customerId: string;
  readonly phoneNumber: string;
  /** The customer's language, otherwise the phone's; null if neither has chosen one. */
  readonly language: Language | null;
  /** JSON, as stored in the entry. */
  readonly detail: string;
}

export interface DueNoticePage {
  readonly notices: readonly DueNotice[];
  /** Every entry up to this one has been read. */
  readonly end: number;
  readonly more: boolean;
}

/** A phone is new only at its first login to an account. */
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

/**
 * Entries after `after` and younger than `since` (Unix milliseconds), for the phone from which the account was created.
 */
export async function readDueNotices(
  database: Database,
  { after, since, limit }: { readonly after: number; readonly since: number; readonly limit: number },
): Promise<DueNoticePage> {
  const [due, newest] = await database.batch([
    database.prepare(READ_DUE).bind(after, since, JSON.stringify(SECURITY_EVENTS), limit),
    database.prepare("SELECT coalesce(max(id), 0) AS id FROM audit_log"),
  ]);
  const notices = (due?.results ?? []) as unknown as readonly DueNotice[];
  const [last] = (newest?.results ?? []) as readonly { readonly id: number }[];
  const more = notices.length === limit;
  return { notices, end: (more ? notices.at(-1)?.entry : last?.id) ?? after, more };
}
