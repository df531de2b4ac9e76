/**
 * The key of one call, and its encryption for the oracle. Loaded when a call starts, because the curve adds 12 KB that
 * other pages do not need.
 */
import { encrypt } from "eciesjs";
import { base58btc } from "multiformats/bases/base58";

const KEY_BYTES = 32;
/** Bytes of a public key on secp256k1, compressed and uncompressed. Accounts also have keys on other curves. */
const CURVE_KEY_BYTES: readonly number[] = [33, 65];

/** 64 hexadecimal digits. All parties derive the media's key from this text. */
export function newCallKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * Encrypts the key for the holder of the private key: ECIES on secp256k1 with AES-256-GCM, in base58, the format that
 * call agents decrypt. `publicKeys` are all keys of the account, in base58. Throws if none of them is on secp256k1.
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
