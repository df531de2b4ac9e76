/** The key pair of `createSigner`, which the browser makes once and keeps in IndexedDB: no script can read its private key. */
import { createStore, get, update } from "idb-keyval";

/** A database of its own: what it holds is never mixed with queued messages. */
const DATABASE = "twinedge signer";
const NAME = "key";

/**
 * The key pair of earlier visits, else a new one if `mayMake` says so. Undefined where the browser keeps none: without IndexedDB,
 * without Ed25519. Two tabs that ask at once get the same.
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
