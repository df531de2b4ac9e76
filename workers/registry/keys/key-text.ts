/**
 * The text of an API key (contract/registry.md section 9): `twe_live_` or `twe_test_`, 43 base62 characters of 256 random
 * bits, and 6 of the CRC-32 of all before. A mistyped key is known as such without asking the database.
 */
import { base62, base62OfNumber } from "../identifier.ts";
import type { KeyEnvironment } from "../scopes.ts";

export const KEY_BYTES = 32;
/** The part shown to people: enough to tell keys apart, too little to guess one. */
export const START_LENGTH = 13;

const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = /^twe_(live|test)_[0-9A-Za-z]{49}$/;

/** `bytes`: 32, from a cryptographically secure source. */
export function keyText(environment: KeyEnvironment, bytes: Uint8Array): string {
  const text = `twe_${environment}_${base62(bytes, SECRET_LENGTH)}`;
  return text + checksum(text);
}

/** The environment that a well-formed key names; undefined for anything else. */
export function environmentOf(key: string): KeyEnvironment | undefined {
  const named = FORM.exec(key)?.[1];
  if (named === undefined || key.slice(-CHECKSUM_LENGTH) !== checksum(key.slice(0, -CHECKSUM_LENGTH))) return undefined;
  return named === "live" ? "live" : "test";
}

function checksum(text: string): string {
  return base62OfNumber(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

/** IEEE 802.3, as in zip and PNG; the text is ASCII. */
function crc32(text: string): number {
  let register = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    register ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) register = (register >>> 1) ^ ((register & 1) === 0 ? 0 : 0xedb88320);
  }
  return (register ^ 0xffffffff) >>> 0;
}
