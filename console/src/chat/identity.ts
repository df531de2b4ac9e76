/**
 * A user's identity in the chat: a key that this browser creates once and stores in IndexedDB. With Ed25519 in WebCrypto, it is
 * non-extractable; otherwise it is a seed that scripts of this origin could read. If nothing can be stored, it lasts as long as the
 * page.
 */
import { clearUserData, createSigner, type OracleSigner } from "@twinedge/sdk/core";
import { createStore, del, get, update, type UseStore } from "idb-keyval";

/** `sealed`: the key cannot be exported; `readable`: scripts of this origin could export it; `temporary`: it is not stored. */
export type Protection = "sealed" | "readable" | "temporary";

export interface Identity {
  readonly signer: OracleSigner;
  readonly protection: Protection;
}

type KeptKey = { readonly key: CryptoKeyPair } | { readonly seed: Uint8Array };

const NAME = "chat identity";
const SEED_BYTES = 32;

/** A separate database, so that its data never mixes with the SDK's. */
const open = (): UseStore => createStore("twinedge console", "identity");

/** The identity of earlier visits, or a new one. Two concurrent tabs get one identity. */
export async function openIdentity(): Promise<Identity> {
  const fresh = async () => identityOf(await newKey(), "temporary");
  if (!("indexedDB" in globalThis)) return await fresh();
  try {
    const store = open();
    if ((await get<KeptKey>(NAME, store)) === undefined) {
      const made = await newKey();
      // One transaction, so that the first tab's key wins.
      await update<KeptKey>(NAME, (kept) => kept ?? made, store);
    }
    const kept = await get<KeptKey>(NAME, store);
    if (kept === undefined) return await fresh();
    return await identityOf(kept, "key" in kept && !kept.key.privateKey.extractable ? "sealed" : "readable");
  } catch {
    return await fresh();
  }
}

/** Deletes the key, and the SDK's data of the user on this device. */
export async function forgetIdentity({ signer, protection }: Identity): Promise<void> {
  await clearUserData(signer.did);
  // If the key cannot be deleted, the identity remains, so that is a failure.
  if (protection !== "temporary") await del(NAME, open());
}

async function newKey(): Promise<KeptKey> {
  try {
    const isExtractable = false;
    return { key: await crypto.subtle.generateKey("Ed25519", isExtractable, ["sign", "verify"]) };
  } catch {
    return { seed: crypto.getRandomValues(new Uint8Array(SEED_BYTES)) };
  }
}

async function identityOf(kept: KeptKey, protection: Protection): Promise<Identity> {
  return { signer: await createSigner(kept), protection };
}

/** Notifies the other tabs, and this tab's chat, that the identity has changed. */
export const IDENTITY_CHANNEL = "twinedge chat identity";

export function tellIdentityChanged(): void {
  const channel = new BroadcastChannel(IDENTITY_CHANNEL);
  // A channel, not a window, so it has no target origin.
  const tell = channel.postMessage.bind(channel);
  tell("");
  channel.close();
}
