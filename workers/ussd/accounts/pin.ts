/**
 * PINs: the allowed ones, their slow hash, and the sealed record that is stored (PH-55, PH-113). A PIN that is being
 * chosen is sealed for its session's action, as one text.
 */
import { base64pad } from "multiformats/bases/base64";
import * as z from "zod";
import { equalBytes } from "../../../platform/digest.ts";
import { parseJson } from "../../../platform/json.ts";
import type { Sealed } from "../key-ring.ts";
import type { CustomerRow } from "./customers.ts";
import type { AccountSettings } from "./settings.ts";

/** Rounds of PBKDF2: the maximum that the platform accepts in production. */
export const PIN_ITERATIONS = 100_000;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
export const PIN_DIGITS = 5;

const NEW_PIN = /^\d{5}$/;

const recordSchema = z.object({
  kdf: z.literal("pbkdf2-sha256"),
  iter: z.int().min(1).max(PIN_ITERATIONS),
  salt: z.string(),
  hash: z.string(),
});

export type PinRecord = z.output<typeof recordSchema>;

/** Why a new PIN is rejected: not five digits, or too easy to guess. */
export type PinProblem = "shape" | "weak";

/** `phoneNumber`: the caller's; a thief of the phone would try its last digits first. */
export function newPinProblem(pin: string, phoneNumber: string): PinProblem | undefined {
  if (!NEW_PIN.test(pin)) return "shape";
  return isRun(pin) || phoneNumber.endsWith(pin) ? "weak" : undefined;
}

/** Each digit differs from the previous one by 0, by 1 or by -1, where 0 follows 9. */
function isRun(pin: string): boolean {
  const digits = Array.from(pin, Number);
  const steps = new Set(digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10));
  const [step] = steps;
  return steps.size === 1 && (step === 0 || step === 1 || step === 9);
}

export async function hashPin(
  pin: string,
  { iterations, random }: Pick<AccountSettings, "iterations" | "random">,
): Promise<PinRecord> {
  const salt = random(SALT_BYTES);
  const hash = await derive(pin, salt, iterations);
  return { kdf: "pbkdf2-sha256", iter: iterations, salt: base64pad.baseEncode(salt), hash: base64pad.baseEncode(hash) };
}

/** Compares in constant time, after the rounds stated in the record. */
export async function pinMatches(pin: string, record: PinRecord): Promise<boolean> {
  const hash = await derive(pin, Uint8Array.from(base64pad.baseDecode(record.salt)), record.iter);
  return equalBytes(hash, base64pad.baseDecode(record.hash));
}

/** The record to hash against if there is none, so that the time reveals nothing. No known PIN matches it. */
export function dummyRecord(iterations: number): PinRecord {
  const [salt, hash] = [new Uint8Array(SALT_BYTES), new Uint8Array(HASH_BYTES)];
  return { kdf: "pbkdf2-sha256", iter: iterations, salt: base64pad.baseEncode(salt), hash: base64pad.baseEncode(hash) };
}

/** Undefined if it is unreadable or costs more than the limit. */
export function readPinRecord(text: string): PinRecord | undefined {
  const json = parseJson(text);
  return json.ok ? recordSchema.safeParse(json.value).data : undefined;
}

async function derive(pin: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(pin), "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, HASH_BYTES * 8));
}

type PinSettings = Pick<AccountSettings, "ring" | "iterations" | "random" | "log">;

type PinColumns = Pick<CustomerRow, "customer_id" | "pin_sealed" | "pin_key_id">;

export interface PinCheck {
  readonly matches: boolean;
  /** The record is sealed by an older key or hashed at another cost: a right PIN renews it. */
  readonly outdated: boolean;
}

/** Always hashes once: against a dummy if there is no customer, PIN or readable record. */
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

/** A PIN for the action of that key: the key id, a colon, the sealed record. */
export async function sealPendingPin(settings: PinSettings, effectKey: string, pin: string): Promise<string> {
  const record = await hashPin(pin, settings);
  const { keyId, value } = await settings.ring.seal(JSON.stringify(record), "pending-pin", effectKey);
  return `${keyId}:${value}`;
}

/** Undefined if it is for another action, or its key is missing. */
export async function openPendingPin(
  { ring }: PinSettings,
  effectKey: string,
  sealed: string,
): Promise<PinRecord | undefined> {
  const separator = sealed.indexOf(":");
  const record = { keyId: sealed.slice(0, separator), value: sealed.slice(separator + 1) };
  const text = await ring.open(record, "pending-pin", effectKey);
  return text === undefined ? undefined : readPinRecord(text);
}
