/** A copy of a person's data at the gateway, with the oracle's data of the customer, page by page. */
import { END_OF_COPY } from "../../../platform/http/ndjson.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { auditStatement } from "../accounts/audit.ts";
import { readSms } from "../sms/outbox.ts";
import type { Person } from "./person.ts";
import type { PeopleSettings } from "./people-settings.ts";

/** Rows of one page. */
const ROWS = 500;

type Row = Readonly<Record<string, string | number | null>>;

/** Records the export first. Omits secrets, which are not data about the person: PIN, private key, digests. */
export async function* personCopy(settings: PeopleSettings, person: Person): AsyncGenerator<JsonObject> {
  const { clock, oracle } = settings;
  const { customerId, keyDid } = person;
  await auditStatement(settings, { event: "OPS_READ", customerId, caller: null, detail: { what: "copy" } }).run();
  yield { kind: "person", customerId, copiedAt: new Date(clock()).toISOString() };
  if (customerId !== null) yield* accountOf(settings, customerId);
  yield* phonesOf(settings, person);
  yield* callsOf(settings, person);
  if (customerId !== null) yield* eventsOf(settings, customerId);
  yield* messagesOf(settings, person);
  if (keyDid !== null) {
    const users = await oracle();
    if (users === undefined) throw new Error("the oracle is not available");
    yield* users.records(keyDid);
  }
  yield END_OF_COPY;
}

async function* accountOf({ database }: PeopleSettings, customerId: string): AsyncGenerator<JsonObject> {
  const row = await database
    .prepare(
      `SELECT full_name AS name, email, language, did AS linkedDid, key_did AS keyDid, last_login_at AS lastLoginAt,
         created_at AS createdAt, locked_until AS lockedUntil FROM customers WHERE customer_id = ?1`,
    )
    .bind(customerId)
    .first<Row>();
  if (row !== null) yield { kind: "account", ...withTimes(row, ["lastLoginAt", "createdAt", "lockedUntil"]) };
  const questions = database
    .prepare("SELECT asked_at AS askedAt FROM ussd_questions WHERE customer_id = ?1 ORDER BY asked_at LIMIT ?2")
    .bind(customerId, ROWS);
  for (const question of (await questions.all<Row>()).results)
    yield { kind: "question", ...withTimes(question, ["askedAt"]) };
}

async function* phonesOf(
  { database }: PeopleSettings,
  { phoneNumbers, loginPhones }: Person,
): AsyncGenerator<JsonObject> {
  const { results } = await database
    .prepare(
      `SELECT phone_e164 AS phoneNumber, language, first_seen AS firstCallAt, last_seen AS lastCallAt, visits AS calls
       FROM phones WHERE phone_e164 IN (SELECT value FROM json_each(?1)) ORDER BY phone_e164`,
    )
    .bind(JSON.stringify(phoneNumbers))
    .all<Row>();
  for (const row of results) yield { kind: "phone", ...withTimes(row, ["firstCallAt", "lastCallAt"]) };
  for (const phoneNumber of loginPhones) yield { kind: "login-phone", phoneNumber };
}

async function* callsOf({ database, ring }: PeopleSettings, { phoneNumbers }: Person): AsyncGenerator<JsonObject> {
  const keys = await Promise.all(phoneNumbers.map((each) => ring.macs("phone", each)));
  for (let after = ""; ;) {
    const { results } = await database
      .prepare(
        `SELECT session_id AS id, state, started_at AS startedAt, last_activity AS lastActivity FROM ussd_sessions
         WHERE phone_key IN (SELECT value FROM json_each(?1)) AND session_id > ?2 ORDER BY session_id LIMIT ?3`,
      )
      .bind(JSON.stringify(keys.flat()), after, ROWS)
      .all<Row>();
    for (const { id: _id, ...row } of results) yield { kind: "call", ...withTimes(row, ["startedAt", "lastActivity"]) };
    const last = results.at(-1);
    if (last === undefined || results.length < ROWS) return;
    after = String(last["id"]);
  }
}

async function* eventsOf({ database }: PeopleSettings, customerId: string): AsyncGenerator<JsonObject> {
  for (let after = { at: -1, id: 0 }; ;) {
    const { results } = await database
      .prepare(
        `SELECT id, at, event, detail FROM audit_log WHERE customer_id = ?1 AND at >= ?2 AND (at > ?2 OR id > ?3)
         ORDER BY at, id LIMIT ?4`,
      )
      .bind(customerId, after.at, after.id, ROWS)
      .all<{ id: number; at: number; event: string; detail: string }>();
    for (const { at, event, detail } of results)
      yield { kind: "event", event, at: new Date(at).toISOString(), detail: JSON.parse(detail) as JsonObject };
    const last = results.at(-1);
    if (last === undefined || results.length < ROWS) return;
    after = last;
  }
}

async function* messagesOf({ sms }: PeopleSettings, { phoneNumbers }: Person): AsyncGenerator<JsonObject> {
  for (const phoneNumber of phoneNumbers) {
    for (const { state, takenAt, body } of await sms().messagesTo(phoneNumber)) {
      const text = readSms(body)?.text ?? null;
      yield { kind: "sms", phoneNumber, text, state, acceptedAt: new Date(takenAt).toISOString() };
    }
  }
}

/** These members are Unix milliseconds in the row, and RFC 3339 in the copy. */
function withTimes(row: Row, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      names.includes(name) && value !== null ? new Date(Number(value)).toISOString() : value,
    ]),
  );
}
