/**
 * Signs tokens with a WebCrypto key pair, which may be non-extractable, or with a seed. Loaded with the first signer.
 */
import { createStore, get, update } from "idb-keyval";
import { didOfKey } from "./did-key.ts";
import type { TokenIssuer } from "./ucan-token.ts";

/** The private key stays inside the platform. */
export async function keyIssuer({ privateKey, publicKey }: CryptoKeyPair): Promise<TokenIssuer> {
  if (privateKey.algorithm.name !== "Ed25519" || !privateKey.usages.includes("sign"))
    throw new TypeError("A signer needs an Ed25519 key pair whose private key can sign.");
  const raw: unknown = await crypto.subtle.exportKey("raw", publicKey);
  if (!(raw instanceof ArrayBuffer)) throw new TypeError("The platform cannot export the public key.");
  return {
    did: didOfKey(new Uint8Array(raw)),
    sign: async (payload) => new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, payload)),
  };
}

/** Also works in browsers without Ed25519. */
export async function seedIssuer(seed: Uint8Array): Promise<TokenIssuer> {
  const { ed25519 } = await import("@noble/curves/ed25519.js");
  return {
    did: didOfKey(ed25519.getPublicKey(seed)),
    sign: async (payload) => ed25519.sign(payload, seed),
  };
}

/** A separate database, so that keys and queued messages never mix. */
const DATABASE = "twinedge signer";
const NAME = "key";

/**
 * The key pair in IndexedDB whose private key no script can read: the pair of an earlier visit, or else a new one if
 * `mayMake` allows it. Undefined if the browser cannot store one, because it lacks IndexedDB or Ed25519. Two tabs that
 * ask at the same time get the same key.
 */
export async function storedKey(mayMake: () => boolean): Promise<CryptoKeyPair | undefined> {
  try {
    const store = createStore(DATABASE, NAME);
    const known = await get<CryptoKeyPair>(NAME, store);
    if (known !== undefined || !mayMake()) return known;
    const made = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    // The types of some platforms do not declare a pair here.
    if (!("privateKey" in made)) return undefined;
    // One transaction, so that the first tab's key wins.
    await update<CryptoKeyPair>(NAME, (kept) => kept ?? made, store);
    return await get<CryptoKeyPair>(NAME, store);
  } catch {
    return undefined;
  }
}
