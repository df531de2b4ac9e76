/** A DID as the bytes that tokens hold: of a `did:key` its key, of every other its text. */

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE = BigInt(ALPHABET.length);
const DID_KEY = "did:key:z";
/** Of an Ed25519 public key: 0xed as a variable-length integer. */
const PUBLIC_KEY_TAG = [0xed, 0x01];
/** Of any other DID: 0x0d1d as a variable-length integer. */
const DID_TAG = [0x9d, 0x1a];

/** @param publicKey of Ed25519, 32 bytes. */
export function didOfKey(publicKey: Uint8Array): string {
  // The tag's first byte is not zero, so that no digit is lost at the beginning.
  let number = 0n;
  for (const byte of [...PUBLIC_KEY_TAG, ...publicKey]) number = number * 256n + BigInt(byte);
  let text = "";
  for (; number > 0n; number /= BASE) text = `${ALPHABET[Number(number % BASE)] ?? ""}${text}`;
  return `${DID_KEY}${text}`;
}

/** @throws for what is no DID. */
export function bytesOfDid(did: string): Uint8Array {
  if (!did.startsWith("did:")) throw new RangeError(`"${did}" is no DID.`);
  if (!did.startsWith(DID_KEY)) return Uint8Array.of(...DID_TAG, ...new TextEncoder().encode(did.slice("did:".length)));
  let number = 0n;
  for (const digit of did.slice(DID_KEY.length)) {
    const value = ALPHABET.indexOf(digit);
    if (value < 0) throw new RangeError(`"${did}" is no DID of a key.`);
    number = number * BASE + BigInt(value);
  }
  const bytes: number[] = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  return Uint8Array.from(bytes);
}
