/**
 * Erases a person of the gateway. The request is noted first, and the account is closed in the same batch; the last step, which
 * removes the account, also completes the erasure. Each step in between can be repeated, so an erasure whose process was killed
 * continues on the schedule.
 */
import type { Statement } from "../../../platform/database/database.ts";
import { describeThrown } from "../../../platform/log.ts";
import type { KeptPart } from "../../../platform/ports.ts";
import { deleteGuesses } from "../accounts/attempts.ts";
import { auditStatement } from "../accounts/audit.ts";
import {
  completeErasure,
  dueErasures,
  noteErasure,
  postponeErasure,
  type PhoneErasure,
  type Receipt,
} from "./erasure-table.ts";
import { withCurrentPhones, type Person } from "./person.ts";
import type { PeopleSettings } from "./people-settings.ts";

export type PersonErasure =
  | ({ readonly state: "erased"; readonly erasedAt: string } & Receipt)
  | { readonly state: "pending"; readonly requestedAt: string };

/** Erasures that one run of the schedule continues. */
const ERASURES_AT_ONCE = 5;
/** Rows that one statement changes, and calls that are read at once. */
const ROWS_AT_ONCE = 500;

export async function erasePerson(settings: PeopleSettings, person: Person): Promise<PersonErasure> {
  return attempt(settings, await requestErasure(settings, person, true));
}

/** Notes the erasure and closes the account: no login works from now on, and the name is gone. */
export async function requestErasure(settings: PeopleSettings, person: Person, begins: boolean): Promise<PhoneErasure> {
  const { database, clock } = settings;
  const { statement, erasure } = await noteErasure(settings, person, begins);
  const close = database
    .prepare(
      `UPDATE customers SET full_name = '', email = NULL, pin_sealed = NULL, pin_key_id = NULL,
         login_epoch = login_epoch + 1, updated_at = ?2 WHERE customer_id = ?1`,
    )
    .bind(person.customerId, clock());
  await database.batch(person.customerId === null ? [statement] : [statement, close]);
  return erasure;
}

/** Continues erasures that did not end. */
export async function continueErasures(settings: PeopleSettings): Promise<void> {
  for (const erasure of await dueErasures(settings, ERASURES_AT_ONCE)) await attempt(settings, erasure);
}

async function attempt(settings: PeopleSettings, erasure: PhoneErasure): Promise<PersonErasure> {
  try {
    const receipt = await erase(settings, erasure);
    return { state: "erased", erasedAt: new Date(settings.clock()).toISOString(), ...receipt };
  } catch (thrown) {
    settings.log.error("person-erasure-failed", { attempts: erasure.attempts, reason: describeThrown(thrown) });
    await postponeErasure(settings, erasure);
    return { state: "pending", requestedAt: new Date(erasure.requestedAt).toISOString() };
  }
}

async function erase(settings: PeopleSettings, erasure: PhoneErasure): Promise<Receipt> {
  const person = await withCurrentPhones(settings, erasure.person);
  await eraseCalls(settings, person);
  for (const phoneNumber of person.phoneNumbers) await settings.sms().forget(phoneNumber);
  const receipt = receiptOf(person, await eraseOracleUser(settings, person));
  if (person.customerId !== null) await separateRecords(settings, person.customerId);
  await settings.database.batch([
    ...(await removal(settings, person)),
    completeErasure(settings, erasure, receipt),
    auditStatement(settings, { event: "ACCOUNT_ERASED", customerId: null, caller: null }),
  ]);
  return receipt;
}

/** Calls of the person's own phones, and those in which they are logged in elsewhere. */
async function eraseCalls({ database, ring, session }: PeopleSettings, person: Person): Promise<void> {
  const { phoneNumbers, loginPhones, customerId } = person;
  const keys = await Promise.all([...phoneNumbers, ...loginPhones].map((each) => ring.macs("phone", each)));
  const caller = { phoneNumbers, ...(customerId === null ? {} : { customerId }) };
  for (let after = ""; ;) {
    const { results } = await database
      .prepare(
        `SELECT session_id AS name FROM ussd_sessions WHERE phone_key IN (SELECT value FROM json_each(?1))
           AND session_id > ?2 ORDER BY session_id LIMIT ?3`,
      )
      .bind(JSON.stringify(keys.flat()), after, ROWS_AT_ONCE)
      .all<{ name: string }>();
    for (const { name } of results) {
      const outcome = await session(name).forget(caller);
      if (outcome === "busy") throw new Error("a call could not be erased now");
      if (outcome === "forgotten")
        await database.prepare("DELETE FROM ussd_sessions WHERE session_id = ?1").bind(name).run();
    }
    const last = results.at(-1);
    if (last === undefined || results.length < ROWS_AT_ONCE) return;
    after = last.name;
  }
}

/** The customer asked the oracle under the DID of the key of the account. */
async function eraseOracleUser({ oracle }: PeopleSettings, { keyDid }: Person): Promise<readonly KeptPart[]> {
  if (keyDid === null) return [];
  const users = await oracle();
  const kept = await users?.erase(keyDid);
  if (kept === undefined) throw new Error("the oracle has not erased the customer yet");
  return kept;
}

/** Records that stay without the customer, and questions; a limited number of rows at a time. */
async function separateRecords({ database }: PeopleSettings, customerId: string): Promise<void> {
  const statements = [
    `UPDATE audit_log SET customer_id = NULL, phone_key = NULL, session_key = NULL, detail = '{}'
     WHERE id IN (SELECT id FROM audit_log WHERE customer_id = ?1 ORDER BY at LIMIT ?2)`,
    `DELETE FROM ussd_questions WHERE job_id IN (
       SELECT job_id FROM ussd_questions WHERE customer_id = ?1 ORDER BY asked_at LIMIT ?2)`,
  ];
  for (const sql of statements) {
    let changed: number;
    do {
      const { meta } = await database.prepare(sql).bind(customerId, ROWS_AT_ONCE).run();
      changed = meta.changes;
    } while (changed === ROWS_AT_ONCE);
  }
}

/** Removes the account and its phones, except a number that another account has. */
async function removal(settings: PeopleSettings, person: Person): Promise<readonly Statement[]> {
  const { database, ring } = settings;
  const { customerId, phoneNumbers } = person;
  const account: Statement[] = [];
  if (customerId !== null) {
    const own = "customer_id = (SELECT id FROM customers WHERE customer_id = ?1)";
    account.push(
      // An entry since the records were separated.
      database
        .prepare(
          `UPDATE audit_log SET customer_id = NULL, phone_key = NULL, session_key = NULL, detail = '{}'
           WHERE customer_id = ?1`,
        )
        .bind(customerId),
      database.prepare(`DELETE FROM login_phones WHERE ${own}`).bind(customerId),
      database.prepare(`DELETE FROM customer_phones WHERE ${own}`).bind(customerId),
      ...deleteGuesses(settings, await ring.macs("customer", customerId)),
      database.prepare("DELETE FROM customers WHERE customer_id = ?1").bind(customerId),
    );
  }
  const phones = phoneNumbers.flatMap((phoneNumber) => [
    ...(customerId === null ? [unlinkLogins(settings, phoneNumber)] : []),
    database
      .prepare(
        `DELETE FROM phones WHERE phone_e164 = ?1
           AND NOT EXISTS (SELECT 1 FROM customer_phones WHERE phone_id = phones.id)
           AND NOT EXISTS (SELECT 1 FROM login_phones WHERE phone_id = phones.id)`,
      )
      .bind(phoneNumber),
  ]);
  return [...account, ...phones];
}

/** The holder of a number without an account: others who logged in from this phone lose its separate attempts. */
function unlinkLogins({ database }: PeopleSettings, phoneNumber: string): Statement {
  return database
    .prepare(
      `DELETE FROM login_phones WHERE phone_id = (SELECT id FROM phones WHERE phone_e164 = ?1)
         AND NOT EXISTS (SELECT 1 FROM customer_phones WHERE phone_id = login_phones.phone_id)`,
    )
    .bind(phoneNumber);
}

function receiptOf({ customerId }: Person, keptByOracle: readonly KeptPart[]): Receipt {
  const ofPhone = {
    erased: [
      "the phone number, unless another account has it",
      "calls, and drafts of interrupted calls",
      "SMS that wait or failed",
    ],
    kept: [
      {
        what: "counts of requests, SMS and wrong PINs of the phone",
        why: "an erasure must not reset a limit; deleted within two days",
      },
      {
        what: "a keyed digest of the Customer ID or number, with the time of the erasure",
        why: "an operator who restores a backup must erase the person again",
      },
    ],
  };
  if (customerId === null) return ofPhone;
  return {
    erased: [
      "the account: name, e-mail, Customer ID, PIN, private key and link to a DID",
      "questions to the oracle with their answers, and everything else that it stored for the account",
      ...ofPhone.erased,
    ],
    kept: [
      {
        what: "times and kinds of account events, without the customer",
        why: "totals of logins and locks stay correct",
      },
      {
        what: "acts of staff on the account, with its Customer ID",
        why: "the audit log must show who acted, and a chain of digests protects it",
      },
      {
        what: "domains, and data of a DID that was linked to the account",
        why: "erase a linked DID separately, as a user of the oracle; the registry is a public record",
      },
      ...ofPhone.kept,
      ...keptByOracle,
    ],
  };
}
