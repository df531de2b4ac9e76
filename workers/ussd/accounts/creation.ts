/**
 * Creating an account, once per creation key however often it is requested (PH-53): after a crash or in parallel, later
 * requests get the existing account.
 */
import type { Statement } from "../../../platform/database/database.ts";
import type { CreationOutcome, NewAccount } from "../../../durable-objects/ussd-session/ports.ts";
import { describeThrown } from "../../../platform/log.ts";
import { auditStatement, callerKeys } from "./audit.ts";
import { createIdentity } from "./identity.ts";
import { openPendingPin, sealRecord } from "./pin.ts";
import type { AccountSettings } from "./settings.ts";
import type { Sealed } from "../key-ring.ts";

/** Ids are drawn from 2^32; repeated collisions indicate another fault. */
const ID_DRAWS = 5;

interface AccountRow {
  readonly customer_id: string;
  readonly full_name: string;
}

/** Throws if the sealed PIN is not for this creation key, which no caller can cause. */
export async function createAccount(settings: AccountSettings, account: NewAccount): Promise<CreationOutcome> {
  const { database } = settings;
  const known = await database.prepare(FIND_CREATED).bind(account.creationKey).first<AccountRow>();
  if (known !== null) return createdBefore(settings, account, known);
  for (let draw = 1; ; draw += 1) {
    const customerId = createCustomerId(settings.random);
    try {
      const results = await database.batch<AccountRow>(await insertStatements(settings, account, customerId));
      const row = results.at(-1)?.results[0];
      if (row === undefined) return { state: "too-many" };
      settings.onSecurityEvent?.();
      return row.customer_id === customerId ? created(row) : await createdBefore(settings, account, row);
    } catch (thrown) {
      const taken = describeThrown(thrown).includes("customers.customer_id");
      if (!taken || draw === ID_DRAWS) throw thrown;
    }
  }
}

const FIND_CREATED = "SELECT customer_id, full_name FROM customers WHERE creation_key = ?1";

function created({ customer_id, full_name }: AccountRow): Extract<CreationOutcome, { state: "created" }> {
  return { state: "created", customerId: customer_id, name: full_name };
}

/**
 * The account that this creation key created earlier. A caller who resumes has not seen its Customer ID and has entered
 * everything again, so the new entries replace the first ones until the first login.
 */
async function createdBefore(
  settings: AccountSettings,
  account: NewAccount,
  row: AccountRow,
): Promise<CreationOutcome> {
  if (account.resumed !== true) return created(row);
  const pin = await sealAccountPin(settings, account, row.customer_id);
  const { meta } = await settings.database
    .prepare(
      `UPDATE customers SET full_name = ?2, email = ?3, pin_sealed = ?4, pin_key_id = ?5, updated_at = ?6
       WHERE creation_key = ?1 AND last_login_at IS NULL AND login_epoch = 0`,
    )
    .bind(account.creationKey, account.name, account.email, pin.value, pin.keyId, settings.clock())
    .run();
  // Someone has logged in meanwhile, or an operator has set a PIN, so the caller's new PIN is ignored.
  return meta.changes === 0 ? { ...created(row), pinKept: true } : created({ ...row, full_name: account.name });
}

async function sealAccountPin(settings: AccountSettings, account: NewAccount, customerId: string): Promise<Sealed> {
  const record = await openPendingPin(settings, account.creationKey, account.sealedPin);
  if (record === undefined) throw new Error("the sealed PIN cannot be opened");
  return sealRecord(settings, customerId, record);
}

async function insertStatements(
  settings: AccountSettings,
  account: NewAccount,
  customerId: string,
): Promise<Statement[]> {
  const { database, clock, limits, ring } = settings;
  const { creationKey, caller } = account;
  const pin = await sealAccountPin(settings, account, customerId);
  const identity = await createIdentity(settings, customerId);
  const now = clock();
  return [
    database
      .prepare(
        `INSERT INTO phones (phone_e164, first_seen, last_seen, visits) VALUES (?1, ?2, ?2, 0)
         ON CONFLICT (phone_e164) DO NOTHING`,
      )
      .bind(caller.phoneNumber, now),
    database
      .prepare(
        `INSERT INTO customers (customer_id, full_name, email, language, key_did, key_sealed, key_sealed_by,
           pin_sealed, pin_key_id, creation_key, created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11
         WHERE (SELECT count(*) FROM customer_phones JOIN phones ON phones.id = phone_id WHERE phone_e164 = ?12) < ?13
         ON CONFLICT (creation_key) DO NOTHING`,
      )
      .bind(
        customerId,
        account.name,
        account.email,
        account.language,
        identity.did,
        identity.sealed.value,
        identity.sealed.keyId,
        pin.value,
        pin.keyId,
        creationKey,
        now,
        caller.phoneNumber,
        limits.accountsPerPhone,
      ),
    database
      .prepare(
        `INSERT INTO customer_phones (customer_id, phone_id, is_primary)
         SELECT customers.id, phones.id, 1 FROM customers JOIN phones ON phone_e164 = ?2 WHERE creation_key = ?1
         ON CONFLICT DO NOTHING`,
      )
      .bind(creationKey, caller.phoneNumber),
    database
      .prepare(
        `INSERT INTO login_phones (customer_id, phone_id, logged_in_at)
         SELECT customers.id, phones.id, customers.created_at FROM customers JOIN phones ON phone_e164 = ?2
         WHERE creation_key = ?1 ON CONFLICT DO NOTHING`,
      )
      .bind(creationKey, caller.phoneNumber),
    auditStatement(
      settings,
      { event: "ACCOUNT_CREATED", customerId, caller: await callerKeys(ring, caller) },
      "EXISTS (SELECT 1 FROM customers WHERE creation_key = ?7 AND customer_id = ?3)",
      creationKey,
    ),
    database.prepare(FIND_CREATED).bind(creationKey),
  ];
}

const ID_BYTES = 4;
const HEX = 16;

/**
 * `C`, eight random hexadecimal digits in upper case and a check digit (Luhn's sum modulo 16), so that one mistyped digit
 * is never another customer's id.
 */
export function createCustomerId(random: (bytes: number) => Uint8Array): string {
  const digits = [...random(ID_BYTES)].flatMap((byte) => [byte >> 4, byte & 0xf]);
  return `C${[...digits, checkDigit(digits)].map((digit) => digit.toString(HEX).toUpperCase()).join("")}`;
}

/** Every second digit, from the last on, counts double, with its own two digits added. */
function checkDigit(digits: readonly number[]): number {
  const sum = digits.toReversed().reduce((total, digit, index) => {
    const weighted = index % 2 === 0 ? digit * 2 : digit;
    return total + Math.floor(weighted / HEX) + (weighted % HEX);
  }, 0);
  return (HEX - (sum % HEX)) % HEX;
}
