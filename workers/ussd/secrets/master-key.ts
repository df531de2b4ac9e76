/**
 * `PIN_ENCRYPTION_KEY` as 32 bytes (decisions 4.2): 64 hexadecimal digits or 43 to 44 base64 characters are the key
 * itself; any other text of 16 characters or more is stretched to one by HKDF.
 */
import { base16 } from "multiformats/bases/base16";
import { base64 } from "multiformats/bases/base64";

/** Shorter texts are guessed too easily to be a key. */
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
    return undefined; // left-over bits: no encoder writes this, so it is a text
  }
}

async function stretch(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(text), "HKDF", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(hkdf("twinedge ussd master key"), material, MASTER_KEY_BYTES * 8);
  return new Uint8Array(bits);
}

/** HKDF-SHA-256 without salt: the material is a key already, the label keeps its uses apart. */
export function hkdf(label: string) {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(label) };
}
