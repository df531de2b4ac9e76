/** The key of one call, and how it is closed for the oracle. Imported when a call begins: the curve is 12 KB that no page needs before. */
import { encrypt } from "eciesjs";
import { base58btc } from "multiformats/bases/base58";

const KEY_BYTES = 32;
/** Bytes of a public key on secp256k1, compressed and in full; accounts also have keys on other curves. */
const CURVE_KEY_BYTES: readonly number[] = [33, 65];

/** 64 hexadecimal digits: all parties derive the media's key from this text. */
export function newCallKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * The key as only the holder of the private key can read it: ECIES on secp256k1 with AES-256-GCM, in base58, as agents of calls
 * open it. `publicKeys` are all those of the account, base58; throws when none of them is on secp256k1.
 */
export function sealCallKey(key: string, publicKeys: readonly string[]): string {
  const receiver = publicKeys.map(decoded).find((bytes) => bytes !== undefined);
  if (receiver === undefined) throw new Error("The oracle's account has no key that a call can be encrypted for");
  return base58btc.baseEncode(encrypt(receiver, new TextEncoder().encode(key)));
}

function decoded(publicKey: string): Uint8Array | undefined {
  try {
    const bytes = base58btc.baseDecode(publicKey);
    return CURVE_KEY_BYTES.includes(bytes.length) ? bytes : undefined;
  } catch {
    return undefined;
  }
}
