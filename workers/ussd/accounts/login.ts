/**
 * Logging in. An unknown id takes the path of a customer's id with a wrong PIN (PH-57): equal round trips to the
 * database, hashes and counts. There are two round trips: reserve the guess, then record its outcome.
 */
import type { Statement } from "../../../platform/database/database.ts";
import type { LoginAttempt, LoginOutcome } from "../../../durable-objects/ussd-session/ports.ts";
import { clearAttempts, rememberLoginPhone, reserveAttempt, type CountedGuess } from "./attempts.ts";
import { auditStatement, callerKeys, type CallerKeys } from "./audit.ts";
import { adoptPhone, describeCustomer, findOnlyAccount, type CustomerRow } from "./customers.ts";
import { createIdentity } from "./identity.ts";
import { checkStoredPin, sealNewPin } from "./pin.ts";
import type { AccountSettings } from "./settings.ts";

const MINUTE_MS = 60_000;

/** A guess that was reserved for a customer and is right. */
interface RightGuess {
  readonly customer: CustomerRow;
  readonly counted: CountedGuess;
  readonly outdated: boolean;
}

export async function login(settings: AccountSettings, attempt: LoginAttempt): Promise<LoginOutcome> {
  const { phoneNumber } = attempt.caller;
  const customerId = await idOf(settings, attempt);
  const [subjectKeys, phoneKeys, caller] = await Promise.all([
    settings.ring.macs("customer", customerId),
    settings.ring.macs("phone", phoneNumber),
    callerKeys(settings.ring, attempt.caller),
  ]);
  const reservation = await reserveAttempt(settings, { customerId, subjectKeys, phoneKeys, phoneNumber });
  if (reservation.state === "locked") return lockedOutcome(settings, reservation.until, false);
  const { customer, used, ownLock, counted } = reservation;
  const { matches, outdated } = await checkStoredPin(settings, customer, attempt.pin);
  if (matches && customer !== undefined) return acceptGuess(settings, attempt, caller, { customer, counted, outdated });

  const knownId = customer?.customer_id ?? null;
  const entries = [auditStatement(settings, { event: "LOGIN_FAILED", customerId: knownId, caller, detail: { used } })];
  if (ownLock !== null) {
    const detail = { until: new Date(ownLock).toISOString(), phones: counted.scope };
    entries.push(auditStatement(settings, { event: "ACCOUNT_LOCKED", customerId: knownId, caller, detail }));
  }
  await settings.database.batch(entries);
  if (ownLock !== null) {
    settings.onSecurityEvent?.();
    return lockedOutcome(settings, ownLock, true);
  }
  return { state: "refused", attemptsUsed: used, attemptsLeft: settings.limits.pinAttempts - used };
}

/**
 * The id of the PIN. A customer who has forgotten theirs is identified by the number from which they call; if that has
 * no account, or several, the number itself is counted and hashed like an unknown id (PH-122).
 */
async function idOf(settings: AccountSettings, attempt: LoginAttempt): Promise<string> {
  if (attempt.purpose !== "recover-id") return attempt.customerId.toUpperCase();
  return (await findOnlyAccount(settings, attempt.caller.phoneNumber)) ?? attempt.caller.phoneNumber;
}

function lockedOutcome({ clock }: AccountSettings, until: number, now: boolean): LoginOutcome {
  return { state: "locked", minutes: Math.max(1, Math.ceil((until - clock()) / MINUTE_MS)), now };
}

/** All changes after a right PIN, in one batch; its last statement reads the customer as stored then. */
async function acceptGuess(
  settings: AccountSettings,
  { caller: { phoneNumber }, pin, purpose = "login" }: LoginAttempt,
  caller: CallerKeys,
  { customer, counted, outdated }: RightGuess,
): Promise<LoginOutcome> {
  const { database, clock } = settings;
  const customerId = customer.customer_id;
  const statements = [...clearAttempts(settings, customerId, phoneNumber, counted)];
  const expiry = customer.temp_pin_expires_at;
  if (expiry !== null && expiry <= clock()) {
    const detail = { expired: true };
    await database.batch([
      ...statements,
      auditStatement(settings, { event: "LOGIN_FAILED", customerId, caller, detail }),
    ]);
    return { state: "expired" };
  }
  if (purpose === "recover-id") {
    await database.batch([...statements, auditStatement(settings, { event: "ID_RECOVERED", customerId, caller })]);
    return { state: "found", customerId };
  }
  if (outdated) statements.push(renewPin(settings, customer, await sealNewPin(settings, customerId, pin)));
  if (customer.key_did === null) statements.push(await addIdentity(settings, customerId));
  if (purpose === "login") {
    statements.push(
      ...rememberLoginPhone(settings, customer, phoneNumber),
      adoptPhone(settings, customer, phoneNumber),
      database.prepare("UPDATE customers SET last_login_at = ?2 WHERE customer_id = ?1").bind(customerId, clock()),
      auditStatement(settings, { event: "LOGIN_SUCCESS", customerId, caller }),
      auditStatement(
        settings,
        { event: "LOGIN_NEW_PHONE", customerId, caller },
        `NOT EXISTS (SELECT 1 FROM customer_phones JOIN phones ON phones.id = phone_id
                     WHERE customer_phones.customer_id = ?7 AND phone_e164 = ?8)`,
        customer.id,
        phoneNumber,
      ),
    );
  }
  statements.push(database.prepare("SELECT * FROM customers WHERE customer_id = ?1").bind(customerId));
  const results = await database.batch<CustomerRow>(statements);
  // The second-to-last statement is the entry for a new phone.
  if (purpose === "login" && (results.at(-2)?.meta.changes ?? 0) > 0) settings.onSecurityEvent?.();
  const stored = results.at(-1)?.results[0] ?? customer;
  return {
    state: "accepted",
    login: { customerId, epoch: stored.login_epoch },
    customer: describeCustomer(stored),
    mustChangePin: stored.must_change_pin === 1,
  };
}

/** Never replaces a PIN that was set meanwhile. */
function renewPin(
  { database }: AccountSettings,
  customer: CustomerRow,
  sealed: { readonly keyId: string; readonly value: string },
): Statement {
  return database
    .prepare("UPDATE customers SET pin_sealed = ?3, pin_key_id = ?4 WHERE customer_id = ?1 AND pin_sealed = ?2")
    .bind(customer.customer_id, customer.pin_sealed, sealed.value, sealed.keyId);
}

/** Of two concurrent logins the first one's key is kept. */
async function addIdentity(settings: AccountSettings, customerId: string): Promise<Statement> {
  const { did, sealed } = await createIdentity(settings, customerId);
  return settings.database
    .prepare(
      `UPDATE customers SET key_did = ?2, key_sealed = ?3, key_sealed_by = ?4
       WHERE customer_id = ?1 AND key_did IS NULL`,
    )
    .bind(customerId, did, sealed.value, sealed.keyId);
}
