/** Identifiers of keys and proposals: a prefix and 22 base62 characters of 128 random bits. */

/** Cryptographically secure random bytes. */
export type RandomBytes = (count: number) => Uint8Array<ArrayBuffer>;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const IDENTIFIER_BYTES = 16;
const IDENTIFIER_LENGTH = 22;

/** `key_…` or `prp_…`. */
export function newIdentifier(prefix: string, randomBytes: RandomBytes): string {
  return `${prefix}_${base62(randomBytes(IDENTIFIER_BYTES), IDENTIFIER_LENGTH)}`;
}

/** The bytes as one big-endian number, padded on the left to `length` characters. */
export function base62(bytes: Uint8Array, length: number): string {
  return base62OfNumber(
    bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n),
    length,
  );
}

export function base62OfNumber(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}
