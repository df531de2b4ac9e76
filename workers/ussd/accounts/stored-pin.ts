/**
 * PIN records as they are stored: sealed for a customer, or for one act that is not done yet (contract/ussd.md
 * section 7). The latter travel as one text, since a session keeps them beside its state.
 */
import { dummyRecord, hashPin, pinMatches, readPinRecord, type PinRecord } from "../pin.ts";
import type { Sealed } from "../secrets/key-ring.ts";
import type { CustomerRow } from "./customer-row.ts";
import type { AccountSettings } from "./settings.ts";

type PinSettings = Pick<AccountSettings, "ring" | "iterations" | "random" | "log">;

type PinColumns = Pick<CustomerRow, "customer_id" | "pin_sealed" | "pin_key_id">;

export interface PinCheck {
  readonly matches: boolean;
  /** The record is sealed by an older key or hashed at another cost, so a right PIN is an occasion to renew it. */
  readonly outdated: boolean;
}

/** Hashes once whatever there is: without a customer, a PIN or a readable record it hashes against nothing. */
export async function checkStoredPin(
  settings: PinSettings,
  customer: PinColumns | undefined,
  pin: string,
): Promise<PinCheck> {
  const { ring, iterations, log } = settings;
  const sealed = sealedPinOf(customer);
  const text = sealed && customer && (await ring.open(sealed, "pin", customer.customer_id));
  const record = text === undefined ? undefined : readPinRecord(text);
  if (sealed !== undefined && record === undefined) log.error("pin-unreadable", { keyId: sealed.keyId });
  const matches = await pinMatches(pin, record ?? dummyRecord(iterations));
  const outdated = sealed?.keyId !== ring.currentId || record?.iter !== iterations;
  return { matches: matches && record !== undefined, outdated };
}

function sealedPinOf(customer: PinColumns | undefined): Sealed | undefined {
  if (customer === undefined || customer.pin_sealed === null || customer.pin_key_id === null) return undefined;
  return { keyId: customer.pin_key_id, value: customer.pin_sealed };
}

export async function sealNewPin(settings: PinSettings, customerId: string, pin: string): Promise<Sealed> {
  return await sealRecord(settings, customerId, await hashPin(pin, settings));
}

export function sealRecord({ ring }: PinSettings, customerId: string, record: PinRecord): Promise<Sealed> {
  return ring.seal(JSON.stringify(record), "pin", customerId);
}

/** A PIN for the act of that key; `key id`, a colon, the sealed record. */
export async function sealPendingPin(settings: PinSettings, effectKey: string, pin: string): Promise<string> {
  const record = await hashPin(pin, settings);
  const { keyId, value } = await settings.ring.seal(JSON.stringify(record), "pending-pin", effectKey);
  return `${keyId}:${value}`;
}

/** Undefined when it is for another act, or its key is gone. */
export async function openPendingPin(
  { ring }: PinSettings,
  effectKey: string,
  sealed: string,
): Promise<PinRecord | undefined> {
  const separator = sealed.indexOf(":");
  const parts = { keyId: sealed.slice(0, separator), value: sealed.slice(separator + 1) };
  const text = await ring.open(parts, "pending-pin", effectKey);
  return text === undefined ? undefined : readPinRecord(text);
}
