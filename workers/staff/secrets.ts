/** Random secrets and identifiers of staff. The database has only digests of secrets. */
import { base58btc } from "multiformats/bases/base58";
import { base64url } from "multiformats/bases/base64";
import { sha256Hex } from "../../platform/digest.ts";

const SECRET_BYTES = 32;
const ID_BYTES = 12;
/** Multicodec prefix of an Ed25519 public key. */
const ED25519 = [0xed, 0x01];

export interface Secret {
  readonly text: string;
  readonly digest: string;
}

export async function newSecret(): Promise<Secret> {
  const text = base64url.baseEncode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  return { text, digest: await sha256Hex(text) };
}

/** `kind` is the start of the id, such as `staff`. */
export function newId(kind: string): string {
  return `${kind}_${base58btc.baseEncode(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}

/** A DID for a person who has none: a did:key whose private key is discarded, so that only staff sessions act as it. */
export async function newDid(): Promise<string> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const key = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  return `did:key:${base58btc.encode(new Uint8Array([...ED25519, ...key]))}`;
}
