/**
 * Files that Matrix stores encrypted (EncryptedFile, version 2). The hash of the ciphertext is compared before decryption, because
 * AES-CTR alone would not reveal a changed file.
 */
import { failure, success, type Result } from "../../../platform/result.ts";

export interface EncryptedFile {
  readonly url: string;
  readonly key: { readonly k: string; readonly alg?: string | undefined; readonly kty?: string | undefined };
  readonly iv: string;
  readonly hashes: { readonly sha256: string };
  readonly v: string;
}

/** Sizes in bytes: an AES-256 key, an AES block, a SHA-256 digest. */
const KEY_BYTES = 32;
const IV_BYTES = 16;
const HASH_BYTES = 32;
/** The first half of the block is the nonce, the second half the counter. */
const COUNTER_BITS = 64;

const UNKNOWN = "it has an unknown form of encryption";

/** The error says why, as the end of "could not be read: ...". */
export async function decryptFile(
  file: EncryptedFile,
  ciphertext: Uint8Array<ArrayBuffer>,
): Promise<Result<Uint8Array<ArrayBuffer>, string>> {
  const { key, iv, hashes, v } = file;
  if (v !== "v2" || (key.alg ?? "A256CTR") !== "A256CTR" || (key.kty ?? "oct") !== "oct") return failure(UNKNOWN);
  const rawKey = bytesOfBase64(key.k, KEY_BYTES);
  const counter = bytesOfBase64(iv, IV_BYTES);
  const expected = bytesOfBase64(hashes.sha256, HASH_BYTES);
  if (rawKey === undefined || counter === undefined || expected === undefined) return failure(UNKNOWN);

  const actual = new Uint8Array(await crypto.subtle.digest("SHA-256", ciphertext));
  if (!actual.every((byte, index) => byte === expected[index]))
    return failure("it is not the file that was sent: its hash differs");
  const aes = await crypto.subtle.importKey("raw", rawKey, "AES-CTR", false, ["decrypt"]);
  const plain = await crypto.subtle.decrypt({ name: "AES-CTR", counter, length: COUNTER_BITS }, aes, ciphertext);
  return success(new Uint8Array(plain));
}

/**
 * Accepts either alphabet, with or without padding, since clients differ. Undefined unless the text has exactly that many bytes.
 */
function bytesOfBase64(text: string, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return undefined;
  const digits = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  try {
    const bytes = Uint8Array.from(atob(digits), (sign) => sign.charCodeAt(0));
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}
