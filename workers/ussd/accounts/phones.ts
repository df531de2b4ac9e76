/** Phones: their visits, and the language that is spoken to them (contract/ussd.md sections 4 and 6). */
import type { Caller, Dial, DialOutcome, Login } from "../../../durable-objects/ussd-session/ports.ts";
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import { auditStatement, callerKeys } from "./audit.ts";
import type { AccountSettings } from "./settings.ts";

export async function dial(
  { database, clock, ring, limits }: AccountSettings,
  { phoneNumber, sessionId, serviceCode, visitKey }: Dial,
): Promise<DialOutcome> {
  const now = clock();
  const phoneKey = await ring.mac("phone", phoneNumber);
  const [phones, sessions, accounts] = await database.batch([
    database
      .prepare(
        `INSERT INTO phones (phone_e164, first_seen, last_seen, visits, last_visit) VALUES (?1, ?2, ?2, 1, ?3)
         ON CONFLICT (phone_e164) DO UPDATE SET
           visits = visits + (last_visit IS NOT excluded.last_visit),
           last_seen = max(last_seen, excluded.last_seen),
           last_visit = excluded.last_visit
         RETURNING language`,
      )
      .bind(phoneNumber, now, visitKey),
    database
      .prepare(
        `SELECT session_id FROM ussd_sessions
         WHERE phone_key = ?1 AND service_code = ?2 AND resume_until > ?3 AND session_id <> ?4
         ORDER BY last_activity DESC LIMIT 1`,
      )
      .bind(phoneKey, serviceCode, now, sessionId),
    database
      .prepare(
        "SELECT count(*) AS count FROM customer_phones JOIN phones ON phones.id = phone_id WHERE phone_e164 = ?1",
      )
      .bind(phoneNumber),
  ]);
  const phone = phones?.results[0] as { readonly language: Language | null } | undefined;
  const session = sessions?.results[0] as { readonly session_id: string } | undefined;
  const made = accounts?.results[0] as { readonly count: number } | undefined;
  return {
    language: phone?.language ?? null,
    resumable: session?.session_id ?? null,
    accountsLeft: Math.max(0, limits.accountsPerPhone - (made?.count ?? 0)),
  };
}

/** False when the login counts no more; nothing is changed then. */
export async function setLanguage(
  settings: AccountSettings,
  caller: Caller,
  { customerId, epoch }: Login,
  language: Language,
): Promise<boolean> {
  const { database, clock, ring } = settings;
  const [phones] = await database.batch([
    database
      .prepare(
        `UPDATE phones SET language = ?1 WHERE phone_e164 = ?4
           AND EXISTS (SELECT 1 FROM customers WHERE customer_id = ?2 AND login_epoch = ?3)`,
      )
      .bind(language, customerId, epoch, caller.phoneNumber),
    database
      .prepare("UPDATE customers SET language = ?1, updated_at = ?4 WHERE customer_id = ?2 AND login_epoch = ?3")
      .bind(language, customerId, epoch, clock()),
    auditStatement(
      settings,
      { event: "LANGUAGE_CHANGED", customerId, caller: await callerKeys(ring, caller), detail: { language } },
      "EXISTS (SELECT 1 FROM customers WHERE customer_id = ?3 AND login_epoch = ?7)",
      epoch,
    ),
  ]);
  return (phones?.meta.changes ?? 0) > 0;
}
