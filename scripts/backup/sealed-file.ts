/**
 * A part of a backup as a file: lines of JSON, compressed and then encrypted with AES-256-GCM. The part's name is authenticated, so
 * one part cannot take the place of another.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { failure, success, type Result } from "../../platform/result.ts";

const ALGORITHM = "aes-256-gcm";
const MAGIC = Buffer.from("TEB1");
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY = /^[0-9a-f]{64}$/i;
/** Bytes of an unpacked part: far more than a backup writes. */
const MAX_UNPACKED = 256 * 1024 * 1024;

/** The operator's key, from BACKUP_KEY. */
export function backupKey(text: string | undefined): Result<Buffer, string> {
  if (text === undefined || text === "")
    return failure(
      "set BACKUP_KEY to 32 random bytes in hexadecimal: openssl rand -hex 32. Keep it where you keep passwords",
    );
  return KEY.test(text) ? success(Buffer.from(text, "hex")) : failure("BACKUP_KEY has to be 64 hexadecimal digits");
}

/** Tells a wrong key from a damaged file; nothing can be derived from it. */
export function fingerprintOf(key: Buffer): string {
  return createHmac("sha256", key).update("twinedge backup key").digest("hex").slice(0, 16);
}

export function signatureOf(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(`twinedge manifest\n${text}`).digest("hex");
}

export function sha256(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function seal(key: Buffer, name: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(gzipSync(text)), cipher.final()]);
  return Buffer.concat([MAGIC, nonce, sealed, cipher.getAuthTag()]);
}

export function unseal(key: Buffer, name: string, bytes: Buffer): Result<string, string> {
  const head = MAGIC.length + NONCE_BYTES;
  if (bytes.length < head + TAG_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    return failure("it is no part of a backup");
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(MAGIC.length, head))
    .setAAD(Buffer.from(name))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const packed = Buffer.concat([decipher.update(bytes.subarray(head, -TAG_BYTES)), decipher.final()]);
    return success(gunzipSync(packed, { maxOutputLength: MAX_UNPACKED }).toString());
  } catch {
    return failure("it is damaged, or was encrypted with another key");
  }
}
