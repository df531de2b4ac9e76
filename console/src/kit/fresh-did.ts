/** A new `did:key`, created by WebCrypto. Its private key is discarded, so this DID can act only through API keys. */

/** The prefix of an Ed25519 public key in a `did:key`: 0xed as a variable-length integer. */
const PUBLIC_KEY_TAG = [0xed, 0x01];
/** Bitcoin's base58 alphabet. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Rejects if the browser has no Ed25519. */
export async function freshDid(): Promise<string> {
  const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  if (!("publicKey" in pair)) throw new TypeError("Ed25519 makes pairs of keys");
  return didOfKey(new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)));
}

/** @param publicKey the 32 bytes of an Ed25519 key. */
export function didOfKey(publicKey: Uint8Array): string {
  const bytes = [...PUBLIC_KEY_TAG, ...publicKey];
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = "";
  // The tag comes first, so there are no leading zeros, which base58 would have to keep.
  for (; number > 0n; number /= 58n) digits = ALPHABET.charAt(Number(number % 58n)) + digits;
  return `did:key:z${digits}`;
}
