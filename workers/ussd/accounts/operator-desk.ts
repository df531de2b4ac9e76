/**
 * What an operator may do to an account (contract/ussd.md section 8); each act is in the audit log. That the request is
 * an operator's is checked before, by `operator-token.ts`.
 */
import { fail } from "../../platform/failure.ts";
import { success, type Result } from "../../platform/result.ts";
import { newPinProblem, PIN_DIGITS } from "../pin.ts";
import { unlockPhones } from "./attempts.ts";
import { auditStatement, type AuditEntry } from "./audit.ts";
import { sealNewPin } from "./stored-pin.ts";
import type { AccountSettings } from "./settings.ts";

const DID = /^did:[a-z0-9]+:[\w.:%-]+$/;
/** Characters: what a screen of the phone and a column of the registry have room for. */
const MAX_DID = 200;
/** Bytes per digit of a temporary PIN; a byte of 250 or more is drawn again, so that each digit is as likely. */
const UNBIASED = 250;

export interface Unlocked {
  readonly customerId: string;
  readonly locked: false;
}

/** Shown once: it is stored nowhere and never logged. */
export interface TemporaryPin {
  readonly customerId: string;
  readonly temporaryPin: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface LinkedDid {
  readonly customerId: string;
  readonly did: string | null;
}

const unknownCustomer = fail("not_found", "Not Found");

export async function unlock(settings: AccountSettings, id: string): Promise<Result<Unlocked>> {
  const customerId = id.toUpperCase();
  const changed = await act(
    settings,
    { event: "ACCOUNT_UNLOCKED", customerId, caller: null },
    settings.database
      .prepare(
        `UPDATE customers SET failed_attempts = 0, locked_until = NULL, lock_level = 0, updated_at = ?2
         WHERE customer_id = ?1`,
      )
      .bind(customerId, settings.clock()),
    unlockPhones(settings, customerId),
  );
  return changed ? success({ customerId, locked: false }) : unknownCustomer;
}

/** Live logins of the customer end; the first login with the temporary PIN has to choose a new one. */
export async function resetPin(settings: AccountSettings, id: string): Promise<Result<TemporaryPin>> {
  const customerId = id.toUpperCase();
  const temporaryPin = drawPin(settings.random);
  const expiresAt = settings.clock() + settings.limits.temporaryPinSeconds * 1_000;
  const pin = await sealNewPin(settings, customerId, temporaryPin);
  const changed = await act(
    settings,
    { event: "PIN_RESET", customerId, caller: null },
    settings.database
      .prepare(
        `UPDATE customers SET pin_sealed = ?2, pin_key_id = ?3, must_change_pin = 1, temp_pin_expires_at = ?4,
           failed_attempts = 0, locked_until = NULL, lock_level = 0, login_epoch = login_epoch + 1, updated_at = ?5
         WHERE customer_id = ?1`,
      )
      .bind(customerId, pin.value, pin.keyId, expiresAt, settings.clock()),
    unlockPhones(settings, customerId),
  );
  if (!changed) return unknownCustomer;
  settings.noticeDue?.();
  return success({ customerId, temporaryPin, expiresAt: new Date(expiresAt).toISOString() });
}

/** Null takes the link away. A DID names one customer: `conflict` when it is another's, linked or their own key. */
export async function linkDid(settings: AccountSettings, id: string, did: string | null): Promise<Result<LinkedDid>> {
  if (did !== null && (did.length > MAX_DID || !DID.test(did))) {
    return fail("invalid_request", "did must be a DID such as did:ixo:entity:..., or null");
  }
  const customerId = id.toUpperCase();
  const known = await settings.database.prepare(FIND_ID).bind(customerId).first();
  if (known === null) return unknownCustomer;
  const changed = await act(
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

/** An operator read something that only operators read. */
export async function reportOperatorRead(settings: AccountSettings, what: string): Promise<void> {
  await auditStatement(settings, { event: "OPS_READ", customerId: null, caller: null, detail: { what } }).run();
}

/** The act and its entry in one batch; whether the act changed anything, without which there is no entry either. */
async function act(
  settings: AccountSettings,
  entry: AuditEntry,
  change: D1PreparedStatement,
  ...besides: readonly D1PreparedStatement[]
): Promise<boolean> {
  const [changed] = await settings.database.batch([
    change,
    auditStatement(settings, entry, "changes() = 1"),
    ...besides,
  ]);
  return changed?.meta.changes === 1;
}

/** Never one that a customer may not choose: it would be the first guess. */
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
