/**
 * PINs (contract/ussd.md section 7): which are allowed, and the slow hash that is kept of them. Sealing the record is
 * `secrets/key-ring.ts`'s work, counting guesses `accounts/attempts.ts`'s. The cost is an argument (decisions 4.11).
 */
import { base64pad } from "multiformats/bases/base64";
import * as z from "zod";
import { parseJson } from "../platform/parse-json.ts";
import { equalBytes } from "../platform/digest.ts";

/** Rounds of PBKDF2: the most that the platform accepts in production. */
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

export interface PinHashing {
  readonly iterations: number;
  random(bytes: number): Uint8Array<ArrayBuffer>;
}

/** Why a new PIN is refused: not five digits, or too easy to guess. */
export type NewPinProblem = "shape" | "weak";

/** `phoneNumber`: the caller's; the end of it is the first thing that a thief of the phone tries. */
export function newPinProblem(pin: string, phoneNumber: string): NewPinProblem | undefined {
  if (!NEW_PIN.test(pin)) return "shape";
  return isRun(pin) || phoneNumber.endsWith(pin) ? "weak" : undefined;
}

/** Every digit the same distance of 0, 1 or -1 from the one before it, as on a dial where 0 follows 9. */
function isRun(pin: string): boolean {
  const digits = Array.from(pin, Number);
  const steps = new Set(digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10));
  const [step] = steps;
  return steps.size === 1 && (step === 0 || step === 1 || step === 9);
}

export async function hashPin(pin: string, { iterations, random }: PinHashing): Promise<PinRecord> {
  const salt = random(SALT_BYTES);
  const hash = await derive(pin, salt, iterations);
  return { kdf: "pbkdf2-sha256", iter: iterations, salt: base64pad.baseEncode(salt), hash: base64pad.baseEncode(hash) };
}

/** Compares in constant time, after as many rounds as the record says. */
export async function pinMatches(pin: string, record: PinRecord): Promise<boolean> {
  const hash = await derive(pin, Uint8Array.from(base64pad.baseDecode(record.salt)), record.iter);
  return equalBytes(hash, base64pad.baseDecode(record.hash));
}

/** What is hashed against where there is no record, so that the time does not tell. No PIN is known that matches it. */
export function dummyRecord(iterations: number): PinRecord {
  const [salt, hash] = [new Uint8Array(SALT_BYTES), new Uint8Array(HASH_BYTES)];
  return { kdf: "pbkdf2-sha256", iter: iterations, salt: base64pad.baseEncode(salt), hash: base64pad.baseEncode(hash) };
}

/** Undefined when it is not one of ours, or costs more than we would spend. */
export function readPinRecord(text: string): PinRecord | undefined {
  const json = parseJson(text);
  return json.ok ? recordSchema.safeParse(json.value).data : undefined;
}

async function derive(pin: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(pin), "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, HASH_BYTES * 8));
}
