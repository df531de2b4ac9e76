/** Customers and phones: their rows, visits, languages, and the oracle questions of a day. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { isDatabaseFull } from "../../../platform/database/database-size.ts";
import type {
  Caller,
  Customer,
  Dial,
  DialOutcome,
  LearnedTextMode,
  Login,
} from "../../../durable-objects/ussd-session/ports.ts";
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import { auditStatement, callerKeys } from "./audit.ts";
import type { AccountSettings } from "./settings.ts";

const DAY_MS = 86_400_000;

export interface CustomerRow {
  readonly id: number;
  readonly customer_id: string;
  readonly full_name: string;
  readonly language: string | null;
  readonly did: string | null;
  readonly key_did: string | null;
  readonly key_sealed: string | null;
  readonly key_sealed_by: string | null;
  readonly pin_sealed: string | null;
  readonly pin_key_id: string | null;
  readonly must_change_pin: number;
  readonly temp_pin_expires_at: number | null;
  readonly login_epoch: number;
}

export function describeCustomer(row: CustomerRow): Customer {
  return {
    customerId: row.customer_id,
    name: row.full_name,
    language: row.language as Language | null,
    keyDid: row.key_did ?? "",
    linkedDid: row.did,
  };
}

/**
 * Milliseconds without a call after which a number counts as reassigned: networks give unused numbers to new
 * subscribers after some months. Its language, its accounts and their notices no longer belong to the caller.
 */
const NUMBER_KEPT_MS = 180 * DAY_MS;

export async function dial(
  { database, clock, ring, limits }: AccountSettings,
  { phoneNumber, sessionId, serviceCode, visitKey, gateway }: Dial,
): Promise<DialOutcome> {
  const now = clock();
  const [phoneKeys, gatewayKey] = await Promise.all([
    ring.macs("phone", phoneNumber),
    gateway === undefined ? "" : ring.mac("gateway", gatewayText(gateway, serviceCode)),
  ]);
  const forgotten = now - NUMBER_KEPT_MS;
  const unused = "phone_id IN (SELECT id FROM phones WHERE phone_e164 = ?1 AND last_seen <= ?2)";
  const visit = [
    database.prepare(`DELETE FROM customer_phones WHERE ${unused}`).bind(phoneNumber, forgotten),
    database.prepare(`DELETE FROM login_phones WHERE ${unused}`).bind(phoneNumber, forgotten),
    database
      .prepare(
        `INSERT INTO phones (phone_e164, first_seen, last_seen, visits, last_visit) VALUES (?1, ?2, ?2, 1, ?3)
         ON CONFLICT (phone_e164) DO UPDATE SET
           visits = phones.visits + CASE WHEN phones.last_visit IS NOT excluded.last_visit THEN 1 ELSE 0 END,
           language = CASE WHEN phones.last_seen <= ?4 THEN NULL ELSE phones.language END,
           last_seen = max(phones.last_seen, excluded.last_seen),
           last_visit = excluded.last_visit
         RETURNING language`,
      )
      .bind(phoneNumber, now, visitKey, forgotten),
  ];
  const known = database
    .prepare("SELECT language FROM phones WHERE phone_e164 = ?1 AND last_seen > ?2")
    .bind(phoneNumber, forgotten);
  const reads = [
    database
      .prepare(
        `SELECT session_id FROM ussd_sessions
         WHERE phone_key IN (SELECT value FROM json_each(?1)) AND service_code = ?2 AND resume_until > ?3
           AND session_id <> ?4
         ORDER BY last_activity DESC LIMIT 1`,
      )
      .bind(JSON.stringify(phoneKeys), serviceCode, now, sessionId),
    database
      .prepare(
        `SELECT count(*) AS count FROM customer_phones JOIN phones ON phones.id = phone_id
         WHERE phone_e164 = ?1 AND last_seen > ?2`,
      )
      .bind(phoneNumber, forgotten),
    database.prepare("SELECT mode FROM ussd_gateways WHERE gateway_key = ?1").bind(gatewayKey),
  ];
  const results = await unlessFull(
    () => database.batch([...visit, ...reads]),
    () => database.batch([known, ...reads]),
  );
  const [phones, sessions, accounts, gateways] = results.slice(-1 - reads.length);
  const phone = phones?.results[0] as { readonly language: Language | null } | undefined;
  const session = sessions?.results[0] as { readonly session_id: string } | undefined;
  const existing = accounts?.results[0] as { readonly count: number } | undefined;
  const learned = gateways?.results[0] as Pick<LearnedTextMode, "mode"> | undefined;
  return {
    language: phone?.language ?? null,
    resumable: session?.session_id ?? null,
    accountsLeft: Math.max(0, limits.accountsPerPhone - (existing?.count ?? 0)),
    textMode: learned?.mode ?? null,
  };
}

/** A full database does not count the visit, so that its callers still reach everything that only reads. */
async function unlessFull<Value>(write: () => Promise<Value>, read: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (thrown) {
    if (!isDatabaseFull(thrown)) throw thrown;
    return read();
  }
}

/** Milliseconds for which a gateway's text mode is stored; after that it is detected again. */
const GATEWAY_KEPT_MS = 90 * DAY_MS;

export async function learnTextMode(
  { database, clock, ring }: AccountSettings,
  { gateway, serviceCode, mode }: LearnedTextMode,
): Promise<void> {
  await database
    .prepare(
      `INSERT INTO ussd_gateways (gateway_key, mode, learned_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (gateway_key) DO UPDATE SET mode = excluded.mode, learned_at = excluded.learned_at
         WHERE ussd_gateways.mode <> 'latest'`,
    )
    .bind(await ring.mac("gateway", gatewayText(gateway, serviceCode)), mode, clock())
    .run();
}

function gatewayText(gateway: string, serviceCode: string): string {
  return `${gateway} ${serviceCode}`;
}

/** Deletes expired text modes, at most `limit`. */
export function purgeGateways(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  limit: number,
): Statement {
  return database
    .prepare(
      `DELETE FROM ussd_gateways WHERE gateway_key IN (
         SELECT gateway_key FROM ussd_gateways WHERE learned_at <= ?1 ORDER BY learned_at LIMIT ?2)`,
    )
    .bind(clock() - GATEWAY_KEPT_MS, limit);
}

/** The id of the account created from this phone; undefined if there is none or more than one. */
export async function findOnlyAccount(
  { database }: Pick<AccountSettings, "database">,
  phoneNumber: string,
): Promise<string | undefined> {
  const { results } = await database
    .prepare(
      `SELECT customers.customer_id AS id FROM customer_phones
       JOIN phones ON phones.id = customer_phones.phone_id
       JOIN customers ON customers.id = customer_phones.customer_id WHERE phone_e164 = ?1 LIMIT 2`,
    )
    .bind(phoneNumber)
    .all<{ id: string }>();
  return results.length === 1 ? results[0]?.id : undefined;
}

/** Whether an account was created from this phone at or before `at`, in Unix milliseconds. */
export async function hasAccountSince(database: Database, phoneNumber: string, at: number): Promise<boolean> {
  const found = await database
    .prepare(
      `SELECT 1 FROM phones JOIN customer_phones ON phone_id = phones.id
       JOIN customers ON customers.id = customer_phones.customer_id WHERE phone_e164 = ?1 AND created_at <= ?2 LIMIT 1`,
    )
    .bind(phoneNumber, at)
    .first();
  return found !== null;
}

/** For the batch of a login: an account without a phone, because its number was given up, gets this phone. */
export function adoptPhone(
  { database }: Pick<AccountSettings, "database">,
  customer: Pick<CustomerRow, "id">,
  phoneNumber: string,
): Statement {
  return database
    .prepare(
      `INSERT INTO customer_phones (customer_id, phone_id, is_primary)
       SELECT ?1, id, 1 FROM phones
       WHERE phone_e164 = ?2 AND NOT EXISTS (SELECT 1 FROM customer_phones WHERE customer_id = ?1)`,
    )
    .bind(customer.id, phoneNumber);
}

/** False if the login has been revoked; nothing is changed then. */
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

export async function findCustomer(settings: AccountSettings, login: Login): Promise<Customer | null> {
  const row = await findLoggedIn(settings, login);
  return row === null ? null : describeCustomer(row);
}

/** The limit is per 24 hours, because a calendar day begins at different hours for different callers. */
export async function takeQuestion(
  settings: AccountSettings,
  login: Login,
  jobId: string,
): Promise<"taken" | "limit" | null> {
  const { database, clock, limits } = settings;
  const now = clock();
  const [, questions, customers] = await database.batch([
    database
      .prepare(
        `INSERT INTO ussd_questions (job_id, customer_id, asked_at)
         SELECT ?1, ?2, ?4 WHERE EXISTS (SELECT 1 FROM customers WHERE customer_id = ?2 AND login_epoch = ?3)
           AND (SELECT count(*) FROM ussd_questions WHERE customer_id = ?2 AND asked_at > ?5) < ?6
         ON CONFLICT (job_id) DO NOTHING`,
      )
      .bind(jobId, login.customerId, login.epoch, now, now - DAY_MS, limits.questionsPerDay),
    database
      .prepare("SELECT 1 FROM ussd_questions WHERE job_id = ?1 AND customer_id = ?2")
      .bind(jobId, login.customerId),
    database
      .prepare("SELECT 1 FROM customers WHERE customer_id = ?1 AND login_epoch = ?2")
      .bind(login.customerId, login.epoch),
  ]);
  if (customers?.results.length !== 1) return null;
  return questions?.results.length === 1 ? "taken" : "limit";
}

/** Deletes questions that no longer count, at most `limit`. */
export function purgeQuestions(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  limit: number,
): Statement {
  return database
    .prepare(
      `DELETE FROM ussd_questions WHERE job_id IN (
         SELECT job_id FROM ussd_questions WHERE asked_at <= ?1 ORDER BY asked_at LIMIT ?2)`,
    )
    .bind(clock() - DAY_MS, limit);
}

export function findLoggedIn(
  { database }: Pick<AccountSettings, "database">,
  { customerId, epoch }: Login,
): Promise<CustomerRow | null> {
  return database
    .prepare("SELECT * FROM customers WHERE customer_id = ?1 AND login_epoch = ?2")
    .bind(customerId, epoch)
    .first<CustomerRow>();
}
