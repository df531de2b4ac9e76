/**
 * Who signs tokens, and where their key is: a key pair of WebCrypto, which may be one that no script can export, or a seed. Loaded with
 * the first signer.
 */
import { createStore, get, update } from "idb-keyval";
import { didOfKey } from "./did-key.ts";
import type { TokenIssuer } from "./ucan-token.ts";

/** The private key stays where the platform keeps it. */
export async function keyIssuer({ privateKey, publicKey }: CryptoKeyPair): Promise<TokenIssuer> {
  if (privateKey.algorithm.name !== "Ed25519" || !privateKey.usages.includes("sign"))
    throw new TypeError("A signer needs a key pair of Ed25519 whose private key may sign.");
  const raw: unknown = await crypto.subtle.exportKey("raw", publicKey);
  if (!(raw instanceof ArrayBuffer)) throw new TypeError("The platform gives no raw public key.");
  return {
    did: didOfKey(new Uint8Array(raw)),
    sign: async (payload) => new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, payload)),
  };
}

/** Works in browsers without Ed25519 too. */
export async function seedIssuer(seed: Uint8Array): Promise<TokenIssuer> {
  const { ed25519 } = await import("@noble/curves/ed25519.js");
  return {
    did: didOfKey(ed25519.getPublicKey(seed)),
    sign: async (payload) => ed25519.sign(payload, seed),
  };
}

/** A database of its own: what it holds is never mixed with queued messages. */
const DATABASE = "twinedge signer";
const NAME = "key";

/**
 * The key pair that the browser makes once and keeps in IndexedDB, where no script can read its private key: that of earlier visits,
 * else a new one if `mayMake` says so. Undefined where the browser keeps none: without IndexedDB, without Ed25519. Two tabs that ask at
 * once get the same.
 */
export async function keptKey(mayMake: () => boolean): Promise<CryptoKeyPair | undefined> {
  try {
    const store = createStore(DATABASE, NAME);
    const known = await get<CryptoKeyPair>(NAME, store);
    if (known !== undefined || !mayMake()) return known;
    const made = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    // The types of some platforms know no pair here.
    if (!("privateKey" in made)) return undefined;
    // One transaction, in which the first tab's key stays.
    await update<CryptoKeyPair>(NAME, (kept) => kept ?? made, store);
    return await get<CryptoKeyPair>(NAME, store);
  } catch {
    return undefined;
  }
}
