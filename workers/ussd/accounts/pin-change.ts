/**
 * Choosing a PIN: checking it, comparing its two entries, setting it. In between the session stores a sealed hash,
 * never the PIN (PH-112).
 */
import type {
  Login,
  NewPin,
  NewPinOutcome,
  PinChange,
  PinConfirmation,
} from "../../../durable-objects/ussd-session/ports.ts";
import { newPinProblem, pinMatches } from "./pin.ts";
import { auditStatement, callerKeys } from "./audit.ts";
import type { CustomerRow } from "./customers.ts";
import { checkStoredPin, openPendingPin, sealPendingPin, sealRecord } from "./pin.ts";
import type { AccountSettings } from "./settings.ts";

export async function preparePin(
  settings: AccountSettings,
  { pin, phoneNumber, effectKey, login }: NewPin,
): Promise<NewPinOutcome> {
  const problem = newPinProblem(pin, phoneNumber);
  if (problem !== undefined) return { accepted: false, problem };
  if (login !== undefined && (await isCurrentPin(settings, login, pin))) {
    return { accepted: false, problem: "same" };
  }
  return { accepted: true, sealed: await sealPendingPin(settings, effectKey, pin) };
}

/** Only for a logged-in caller, because it would otherwise allow uncounted guesses. */
async function isCurrentPin(settings: AccountSettings, { customerId, epoch }: Login, pin: string): Promise<boolean> {
  const customer = await settings.database
    .prepare("SELECT customer_id, pin_sealed, pin_key_id FROM customers WHERE customer_id = ?1 AND login_epoch = ?2")
    .bind(customerId, epoch)
    .first<Pick<CustomerRow, "customer_id" | "pin_sealed" | "pin_key_id">>();
  return (await checkStoredPin(settings, customer ?? undefined, pin)).matches;
}

export async function matchesPin(
  settings: AccountSettings,
  { pin, sealed, effectKey }: PinConfirmation,
): Promise<boolean> {
  const record = await openPendingPin(settings, effectKey, sealed);
  return record !== undefined && (await pinMatches(pin, record));
}

/** Revokes every login of the customer; the one that made the change continues under the new epoch. */
export async function changePin(
  settings: AccountSettings,
  { caller, login, changeKey, sealedPin }: PinChange,
): Promise<Login | null> {
  const { database, clock, ring } = settings;
  const { customerId, epoch } = login;
  const record = await openPendingPin(settings, changeKey, sealedPin);
  if (record === undefined) throw new Error("the sealed PIN cannot be opened");
  const pin = await sealRecord(settings, customerId, record);
  const results = await database.batch<{ login_epoch: number }>([
    auditStatement(
      settings,
      { event: "PIN_CHANGED", customerId, caller: await callerKeys(ring, caller) },
      "EXISTS (SELECT 1 FROM customers WHERE customer_id = ?3 AND login_epoch = ?7)",
      epoch,
    ),
    database
      .prepare(
        `UPDATE customers SET pin_sealed = ?3, pin_key_id = ?4, pin_change_key = ?5, must_change_pin = 0,
           temp_pin_expires_at = NULL, login_epoch = login_epoch + 1, updated_at = ?6
         WHERE customer_id = ?1 AND login_epoch = ?2`,
      )
      .bind(customerId, epoch, pin.value, pin.keyId, changeKey, clock()),
    // Succeeds if this change was the last one, whether it ran now or before a crash.
    database
      .prepare("SELECT login_epoch FROM customers WHERE customer_id = ?1 AND pin_change_key = ?2 AND login_epoch = ?3")
      .bind(customerId, changeKey, epoch + 1),
  ]);
  const changed = results.at(-1)?.results[0];
  if (changed === undefined) return null;
  settings.onSecurityEvent?.();
  return { customerId, epoch: changed.login_epoch };
}
