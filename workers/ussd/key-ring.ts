/**
 * The keys of the gateway (PH-114). The current key seals and makes MACs, older keys only open and check. Sealing is
 * AES-256-GCM under the master key; MACs are HMAC-SHA-256 under keys that HKDF derives from it, one per use. A sealed
 * text is bound to its use, its owner and its key, so a moved text cannot be opened.
 */
import { base16 } from "multiformats/bases/base16";
import { base64, base64pad, base64url } from "multiformats/bases/base64";

/** The kind of a sealed text: a customer's PIN record, a PIN without an account yet, a customer's private key. */
export type SealUse = "pin" | "pending-pin" | "identity";
export type MacUse = "phone" | "session" | "text" | "customer" | "gateway" | "erased";

export interface Sealed {
  readonly keyId: string;
  /** Base64 of a version byte, the nonce and the ciphertext with its tag. */
  readonly value: string;
}

export interface KeyRing {
  readonly currentId: string;
  /** `owner`: for example a customer id. */
  seal(text: string, use: SealUse, owner: string): Promise<Sealed>;
  /** Undefined if it was sealed for another use or owner, under a missing key, or was altered. */
  open(sealed: Sealed, use: SealUse, owner: string): Promise<string | undefined>;
  /** Base64url of 32 bytes, under the current key. */
  mac(use: MacUse, text: string): Promise<string>;
  /** The MAC under every key, the current one first: for rows that were written before a rotation. */
  macs(use: MacUse, text: string): Promise<readonly string[]>;
  /** The MAC under the key with that id; undefined if the ring does not contain it. */
  macUnder(keyId: string, use: MacUse, text: string): Promise<string | undefined>;
}

export interface KeyTexts {
  readonly currentId: string;
  readonly current: string;
  /** Maps key ids to keys, only to read texts sealed earlier. */
  readonly old: Readonly<Record<string, string>>;
}

const FORMAT_VERSION = 1;
/** Bytes, as AES-GCM specifies; random, which is safe for 2^32 values under one key. */
const NONCE_BYTES = 12;
const MAC_BITS = 256;

interface MasterKey {
  readonly sealing: CryptoKey;
  mac(use: MacUse): Promise<CryptoKey>;
}

/** `random` fills an array with that many bytes. */
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
    macs: (use, text) => Promise.all([...keys.values()].map((key) => macWith(key, use, text))),
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

/** Each value is prefixed with its length, so that no two lists of values give equal bytes. */
function bindingOf(...values: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoded = values.map((value) => new TextEncoder().encode(value));
  return Uint8Array.from(encoded.flatMap((bytes) => [bytes.length >> 8, bytes.length & 0xff, ...bytes]));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(base64pad.baseDecode(text));
  } catch {
    return undefined;
  }
}

/** Shorter texts are too easy to guess to be a key. */
export const MIN_KEY_CHARACTERS = 16;
const MASTER_KEY_BYTES = 32;

const HEX_KEY = /^[0-9A-Fa-f]{64}$/;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

export async function decodeMasterKey(text: string): Promise<Uint8Array<ArrayBuffer>> {
  if (HEX_KEY.test(text)) return Uint8Array.from(base16.baseDecode(text.toLowerCase()));
  return decodeBase64Key(text) ?? (await stretch(text));
}

function decodeBase64Key(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64_KEY.test(text)) return undefined;
  try {
    return Uint8Array.from(base64.baseDecode(text.replace("=", "").replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined; // Left-over bits: no encoder writes this, so it is a text.
  }
}

async function stretch(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(text), "HKDF", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(hkdf("twinedge ussd master key"), material, MASTER_KEY_BYTES * 8);
  return new Uint8Array(bits);
}

/** HKDF-SHA-256 without salt: the material is already a key, and the label separates its uses. */
function hkdf(label: string) {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(label) };
}

/** Sessions: those that are live concurrently in one isolate, 200 bytes each. */
export const CACHED_MACS = 1_000;

/**
 * Caches MACs of session ids, because each step needs one. They are not secret: logs and the audit log identify
 * sessions by them.
 */
export function cacheMacs(compute: (text: string) => Promise<string>): (text: string) => Promise<string> {
  const cache = new Map<string, string>();
  return async (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const mac = await compute(text);
    const [oldest] = cache.keys();
    if (cache.size >= CACHED_MACS && oldest !== undefined) cache.delete(oldest);
    cache.set(text, mac);
    return mac;
  };
}
