/** A DID as the bytes that tokens contain: the key of a `did:key`, the text of any other DID. */
import { base58btc } from "multiformats/bases/base58";

const DID_KEY = "did:key:";
/** The prefix of an Ed25519 public key: 0xed as a variable-length integer. */
const PUBLIC_KEY_TAG = [0xed, 0x01];
/** The prefix of any other DID: 0x0d1d as a variable-length integer. */
const DID_TAG = [0x9d, 0x1a];

/** @param publicKey an Ed25519 public key, 32 bytes. */
export function didOfKey(publicKey: Uint8Array): string {
  return DID_KEY + base58btc.encode(Uint8Array.of(...PUBLIC_KEY_TAG, ...publicKey));
}

/** @throws if the text is not a DID. */
export function bytesOfDid(did: string): Uint8Array {
  if (!did.startsWith("did:")) throw new RangeError(`"${did}" is no DID.`);
  if (!did.startsWith(`${DID_KEY}z`))
    return Uint8Array.of(...DID_TAG, ...new TextEncoder().encode(did.slice("did:".length)));
  try {
    return base58btc.decode(did.slice(DID_KEY.length));
  } catch (cause) {
    throw new RangeError(`"${did}" is not the DID of a key.`, { cause });
  }
}
