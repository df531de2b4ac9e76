/**
 * The keys of the gateway (contract/ussd.md section 7): the current one seals and makes MACs, older ones only open and
 * check. Sealing is AES-256-GCM under the master key itself; MACs are HMAC-SHA-256 under keys that HKDF derives from it,
 * one per use. What is sealed is bound to its use, its owner and its key: moved elsewhere, it does not open.
 */
import { base64pad, base64url } from "multiformats/bases/base64";
import { decodeMasterKey, hkdf } from "./master-key.ts";

/** What a sealed text is: a customer's PIN record, a PIN that is not yet anyone's, a customer's private key. */
export type SealUse = "pin" | "pending-pin" | "identity";
export type MacUse = "phone" | "session" | "text" | "customer";

export interface Sealed {
  readonly keyId: string;
  /** Base64 of a version byte, the nonce and the ciphertext with its tag. */
  readonly value: string;
}

export interface KeyRing {
  readonly currentId: string;
  /** `owner`: whose it is, such as a customer id. */
  seal(text: string, use: SealUse, owner: string): Promise<Sealed>;
  /** Undefined when it was sealed for another use or owner, under a key that is gone, or was altered. */
  open(sealed: Sealed, use: SealUse, owner: string): Promise<string | undefined>;
  /** Base64url of 32 bytes, under the current key. */
  mac(use: MacUse, text: string): Promise<string>;
  /** The same under the key of that id; undefined when the ring does not hold it. */
  macUnder(keyId: string, use: MacUse, text: string): Promise<string | undefined>;
}

export interface KeyTexts {
  readonly currentId: string;
  readonly current: string;
  /** Key id to key, only to read what was sealed before. */
  readonly old: Readonly<Record<string, string>>;
}

const FORMAT_VERSION = 1;
/** Bytes: what AES-GCM is specified for; drawn at random, which is safe for 2^32 values under one key. */
const NONCE_BYTES = 12;
const MAC_BITS = 256;

interface MasterKey {
  readonly sealing: CryptoKey;
  mac(use: MacUse): Promise<CryptoKey>;
}

/** `random` fills an array of that many bytes. */
export async function openKeyRing(
  texts: KeyTexts,
  random: (bytes: number) => Uint8Array<ArrayBuffer>,
): Promise<KeyRing> {
  const current = await readKey(texts.current);
  const keys = new Map([[texts.currentId, current]]);
  for (const [id, text] of Object.entries(texts.old)) if (!keys.has(id)) keys.set(id, await readKey(text));

  return {
    currentId: texts.currentId,
    async seal(text, use, owner) {
      const nonce = random(NONCE_BYTES);
      const algorithm = { name: "AES-GCM", iv: nonce, additionalData: bindingOf(use, owner, texts.currentId) };
      const ciphertext = await crypto.subtle.encrypt(algorithm, current.sealing, new TextEncoder().encode(text));
      const bytes = Uint8Array.of(FORMAT_VERSION, ...nonce, ...new Uint8Array(ciphertext));
      return { keyId: texts.currentId, value: base64pad.baseEncode(bytes) };
    },
    async open({ keyId, value }, use, owner) {
      const bytes = decodeBase64(value);
      const key = keys.get(keyId);
      if (key === undefined || bytes?.[0] !== FORMAT_VERSION) return undefined;
      const nonce = bytes.slice(1, 1 + NONCE_BYTES);
      const algorithm = { name: "AES-GCM", iv: nonce, additionalData: bindingOf(use, owner, keyId) };
      try {
        const plain = await crypto.subtle.decrypt(algorithm, key.sealing, bytes.slice(1 + NONCE_BYTES));
        return new TextDecoder().decode(plain);
      } catch {
        return undefined;
      }
    },
    mac: (use, text) => macWith(current, use, text),
    async macUnder(keyId, use, text) {
      const key = keys.get(keyId);
      return key === undefined ? undefined : await macWith(key, use, text);
    },
  };
}

async function readKey(text: string): Promise<MasterKey> {
  const bytes = await decodeMasterKey(text);
  const sealing = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  const material = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const derived = new Map<MacUse, Promise<CryptoKey>>();
  return {
    sealing,
    mac(use) {
      const key = derived.get(use) ?? deriveMacKey(material, use);
      derived.set(use, key);
      return key;
    },
  };
}

function deriveMacKey(material: CryptoKey, use: MacUse): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: MAC_BITS };
  return crypto.subtle.deriveKey(hkdf(`twinedge ussd ${use} key`), material, algorithm, false, ["sign"]);
}

async function macWith(key: MasterKey, use: MacUse, text: string): Promise<string> {
  const signature = await crypto.subtle.sign("HMAC", await key.mac(use), new TextEncoder().encode(text));
  return base64url.baseEncode(new Uint8Array(signature));
}

/** Each part with its length before it, so that no two lists of parts give the same bytes. */
function bindingOf(...parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoded = parts.map((part) => new TextEncoder().encode(part));
  return Uint8Array.from(encoded.flatMap((bytes) => [bytes.length >> 8, bytes.length & 0xff, ...bytes]));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(base64pad.baseDecode(text));
  } catch {
    return undefined;
  }
}
