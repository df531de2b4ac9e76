/**
 * `ctx.sealing`: texts that only this oracle and plugin can open, in AES-256-GCM. The plugin's key is derived from the oracle's key
 * by HKDF-SHA-256 and never stored; the purpose is authenticated with the text.
 */
import { base64url } from "multiformats/bases/base64";

/** Encryption under a key that is derived from the oracle's own, one per plugin. */
export interface Sealing {
  /** `purpose` binds the text: it does not open for another purpose. The result is URL-safe. */
  seal(text: string, purpose: string): Promise<string>;
  /** Undefined for a text that was not sealed here for this purpose, or that was sealed under an earlier key. */
  open(sealed: string, purpose: string): Promise<string | undefined>;
}

/** The prefix of every sealed text; another scheme would use another prefix. */
const VERSION = "v1.";
const SEALED = /^v1\.[A-Za-z0-9_-]+$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const encoder = new TextEncoder();

/** `seed`: the 32 bytes of the oracle's key; undefined when it has none. */
export function createSealing(seed: () => Promise<Uint8Array | undefined>, plugin: string): Sealing {
  // Caches the key, never its promise: a promise of a cancelled request would never resolve for others.
  let derived: CryptoKey | undefined;

  async function key(): Promise<CryptoKey> {
    if (derived !== undefined) return derived;
    const own = await seed();
    if (own === undefined) throw new Error("Sealing needs a key: set ORACLE_SIGNING_SEED, or ORACLE_MNEMONIC");
    derived = await keyOf(own, plugin);
    return derived;
  }

  return {
    async seal(text, purpose) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const encrypted = await crypto.subtle.encrypt(cipher(nonce, purpose), await key(), bytesOf(text));
      const bytes = new Uint8Array(NONCE_BYTES + encrypted.byteLength);
      bytes.set(nonce);
      bytes.set(new Uint8Array(encrypted), NONCE_BYTES);
      return VERSION + base64url.baseEncode(bytes);
    },
    async open(sealed, purpose) {
      const own = await key();
      const bytes = bytesIn(sealed);
      if (bytes === undefined) return undefined;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      try {
        const text = await crypto.subtle.decrypt(cipher(nonce, purpose), own, bytes.subarray(NONCE_BYTES));
        return JSON.parse(new TextDecoder().decode(text)) as string;
      } catch {
        return undefined;
      }
    },
  };
}

async function keyOf(seed: Uint8Array, plugin: string): Promise<CryptoKey> {
  const own = await crypto.subtle.importKey("raw", new Uint8Array(seed), "HKDF", false, ["deriveKey"]);
  const info = encoder.encode(`twinedge sealing ${plugin}`);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    own,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function cipher(iv: Uint8Array<ArrayBuffer>, purpose: string): SubtleCryptoEncryptAlgorithm {
  return { name: "AES-GCM", iv, additionalData: bytesOf(purpose), tagLength: TAG_BYTES * 8 };
}

/** Encoded as JSON: half of a surrogate pair has no UTF-8 encoding. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encoder.encode(JSON.stringify(text)));
}

/** Undefined if the text does not have the form of a sealed text. */
function bytesIn(sealed: string): Uint8Array<ArrayBuffer> | undefined {
  if (!SEALED.test(sealed)) return undefined;
  try {
    const bytes = new Uint8Array(base64url.baseDecode(sealed.slice(VERSION.length)));
    return bytes.byteLength < NONCE_BYTES + TAG_BYTES ? undefined : bytes;
  } catch {
    return undefined;
  }
}
