/**
 * An operator's commands on an account (PH-101); each is recorded in the audit log. The caller has authenticated the
 * operator.
 */
import type { Statement } from "../../../platform/database/database.ts";
import { fail } from "../../../platform/failure.ts";
import { success, type Result } from "../../../platform/result.ts";
import { newPinProblem, PIN_DIGITS } from "./pin.ts";
import { addLoginPhone, unlockPhones } from "./attempts.ts";
import { auditStatement, type AuditEntry } from "./audit.ts";
import { sealNewPin } from "./pin.ts";
import type { AccountSettings } from "./settings.ts";

const DID = /^did:[a-z0-9]+:[\w.:%-]+$/;
/** Characters that fit on a screen of the phone and in a column of the registry. */
const MAX_DID = 200;
/** Bytes per digit of a temporary PIN; a byte of 250 or more is drawn again, so that all digits are equally likely. */
const UNBIASED = 250;

export interface Unlocked {
  readonly customerId: string;
  readonly locked: false;
}

/** Returned once: never stored, never logged. */
export interface TemporaryPin {
  readonly customerId: string;
  readonly temporaryPin: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface LinkedPhone {
  readonly customerId: string;
  readonly linked: boolean;
}

export interface LinkedDid {
  readonly customerId: string;
  readonly did: string | null;
}

const unknownCustomer = fail("not_found", "Not Found");

/**
 * `phoneNumber`: the customer's current phone. It gets separate attempts, which guesses from other phones cannot use
 * up.
 */
export async function unlock(settings: AccountSettings, id: string, phoneNumber?: string): Promise<Result<Unlocked>> {
  const customerId = id.toUpperCase();
  const changed = await run(
    settings,
    { event: "ACCOUNT_UNLOCKED", customerId, caller: null },
    settings.database
      .prepare(
        `UPDATE customers SET failed_attempts = 0, locked_until = NULL, lock_level = 0, updated_at = ?2
         WHERE customer_id = ?1`,
      )
      .bind(customerId, settings.clock()),
    ...unlockPhones(settings, customerId, await settings.ring.macs("customer", customerId)),
    ...(phoneNumber === undefined ? [] : addLoginPhone(settings, customerId, phoneNumber)),
  );
  return changed ? success({ customerId, locked: false }) : unknownCustomer;
}

/**
 * The number for which the account counts, and that gets its notices. The state of the previous phone, including its
 * attempts, is deleted, because its number may belong to someone else now.
 */
export async function linkPhone(
  settings: AccountSettings,
  id: string,
  phoneNumber: string | null,
): Promise<Result<LinkedPhone>> {
  const customerId = id.toUpperCase();
  const { database, clock } = settings;
  const own = "customer_id = (SELECT id FROM customers WHERE customer_id = ?1)";
  const changed = await run(
    settings,
    { event: "PHONE_LINKED", customerId, caller: null, detail: { linked: phoneNumber !== null } },
    database.prepare("UPDATE customers SET updated_at = ?2 WHERE customer_id = ?1").bind(customerId, clock()),
    database
      .prepare(
        `UPDATE phones SET language = NULL WHERE phone_e164 IS NOT ?2
           AND id IN (SELECT phone_id FROM customer_phones WHERE ${own})`,
      )
      .bind(customerId, phoneNumber),
    database.prepare(`DELETE FROM customer_phones WHERE ${own}`).bind(customerId),
    database.prepare(`DELETE FROM login_phones WHERE ${own}`).bind(customerId),
    ...(phoneNumber === null
      ? []
      : [
          ...addLoginPhone(settings, customerId, phoneNumber),
          database
            .prepare(
              `INSERT INTO customer_phones (customer_id, phone_id, is_primary)
               SELECT customers.id, phones.id, 1 FROM customers JOIN phones ON phone_e164 = ?2 WHERE customer_id = ?1`,
            )
            .bind(customerId, phoneNumber),
        ]),
  );
  return changed ? success({ customerId, linked: phoneNumber !== null }) : unknownCustomer;
}

/** The customer's live logins are revoked; the first login with the temporary PIN must choose a new one. */
export async function resetPin(settings: AccountSettings, id: string): Promise<Result<TemporaryPin>> {
  const customerId = id.toUpperCase();
  const temporaryPin = drawPin(settings.random);
  const expiresAt = settings.clock() + settings.limits.temporaryPinSeconds * 1_000;
  const pin = await sealNewPin(settings, customerId, temporaryPin);
  const changed = await run(
    settings,
    { event: "PIN_RESET", customerId, caller: null },
    settings.database
      .prepare(
        `UPDATE customers SET pin_sealed = ?2, pin_key_id = ?3, must_change_pin = 1, temp_pin_expires_at = ?4,
           failed_attempts = 0, locked_until = NULL, lock_level = 0, login_epoch = login_epoch + 1, updated_at = ?5
         WHERE customer_id = ?1`,
      )
      .bind(customerId, pin.value, pin.keyId, expiresAt, settings.clock()),
    ...unlockPhones(settings, customerId, await settings.ring.macs("customer", customerId)),
  );
  if (!changed) return unknownCustomer;
  settings.onSecurityEvent?.();
  return success({ customerId, temporaryPin, expiresAt: new Date(expiresAt).toISOString() });
}

/**
 * Null removes the link. A DID identifies one customer: `conflict` if it is linked to another, or is another's own key.
 */
export async function linkDid(settings: AccountSettings, id: string, did: string | null): Promise<Result<LinkedDid>> {
  if (did !== null && (did.length > MAX_DID || !DID.test(did))) {
    return fail("invalid_request", "did must be a DID such as did:ixo:entity:..., or null");
  }
  const customerId = id.toUpperCase();
  const known = await settings.database.prepare(FIND_ID).bind(customerId).first();
  if (known === null) return unknownCustomer;
  const changed = await run(
    settings,
    { event: "DID_LINKED", customerId, caller: null, detail: { did } },
    settings.database
      .prepare(`UPDATE customers SET did = ?2, updated_at = ?3 WHERE customer_id = ?1 AND NOT (${DID_TAKEN})`)
      .bind(customerId, did, settings.clock()),
  );
  return changed ? success({ customerId, did }) : fail("conflict", "This DID is linked to another customer");
}

const FIND_ID = "SELECT 1 FROM customers WHERE customer_id = ?1";
const DID_TAKEN = `EXISTS (SELECT 1 FROM customers AS other
  WHERE other.customer_id <> ?1 AND (other.did = ?2 OR other.key_did = ?2))`;

/** Records that an operator read personal data. */
export async function recordOperatorRead(settings: AccountSettings, what: string): Promise<void> {
  await auditStatement(settings, { event: "OPS_READ", customerId: null, caller: null, detail: { what } }).run();
}

/** Runs the change and its audit entry in one batch; false if nothing changed, and then there is no entry. */
async function run(
  settings: AccountSettings,
  entry: AuditEntry,
  change: Statement,
  ...extra: readonly Statement[]
): Promise<boolean> {
  const [changed] = await settings.database.batch([change, auditStatement(settings, entry, "changes() = 1"), ...extra]);
  return changed?.meta.changes === 1;
}

/** Never a PIN that a customer cannot choose, because it would be guessed first. */
function drawPin(random: (bytes: number) => Uint8Array): string {
  for (;;) {
    const digits = Array.from({ length: PIN_DIGITS }, () => drawDigit(random));
    const pin = digits.join("");
    if (newPinProblem(pin, "") === undefined) return pin;
  }
}

function drawDigit(random: (bytes: number) => Uint8Array): number {
  for (;;) {
    const [byte = UNBIASED] = random(1);
    if (byte < UNBIASED) return byte % 10;
  }
}
