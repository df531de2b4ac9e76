/** Entries of `audit_log` (contract/ussd.md section 7): who did what when, without a secret or a phone number. */
import type { Caller } from "../../../durable-objects/ussd-session/ports.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
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
  | "SESSION_BIND_REFUSED"
  | "OPS_READ";

/**
 * Milliseconds that is remembered what strangers tried where no customer is concerned: anyone can write such entries, and
 * after a month nobody asks for them. What concerns a customer, or an operator did, stays.
 */
const STRANGERS_REMEMBERED = 30 * 86_400_000;

export interface AuditEntry {
  readonly event: AuditEvent;
  /** Null when none is concerned, or the id is not a customer's. */
  readonly customerId: string | null;
  /** Null when an operator did it. */
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
 * The statement that writes the entry, for the batch of the act itself. `condition`: an SQL expression that
 * may use the customer's id as `?3` and, from `?7` on, the values that follow; the entry is written only where it is true.
 */
export function auditStatement(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  { event, customerId, caller, detail = {} }: AuditEntry,
  condition = "1",
  ...values: readonly (string | number)[]
): D1PreparedStatement {
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

/** Forgets what strangers tried long ago, by the index of entries by customer. */
export function purgeStrangers({ database, clock }: Pick<AccountSettings, "database" | "clock">): D1PreparedStatement {
  return database
    .prepare("DELETE FROM audit_log WHERE customer_id IS NULL AND phone_key IS NOT NULL AND at <= ?1")
    .bind(clock() - STRANGERS_REMEMBERED);
}
