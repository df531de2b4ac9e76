/** Files that the media server has: a real image, also encrypted as Matrix clients do, and a real PDF. */
import { createCipheriv, createHash } from "node:crypto";
import { PDFDocument, StandardFonts } from "pdf-lib";
import type { Attachment } from "../../../protocol/requests.ts";

/** One red pixel, as PNG. */
export const redPixel: Uint8Array = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

export type EncryptedFile = NonNullable<Attachment["file"]>;

/** As Matrix clients encrypt: AES-256-CTR with a counter of 64 bits that begins at 0, and the hash of the ciphertext. */
export function encryptForMatrix(
  plain: Uint8Array,
  url: string,
): { readonly ciphertext: Buffer; readonly file: EncryptedFile } {
  const key = createHash("sha256").update(`key of ${url}`).digest();
  const iv = Buffer.concat([createHash("sha256").update(`nonce of ${url}`).digest().subarray(0, 8), Buffer.alloc(8)]);
  const cipher = createCipheriv("aes-256-ctr", key, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
  return {
    ciphertext,
    file: {
      url,
      key: { kty: "oct", alg: "A256CTR", k: key.toString("base64url") },
      iv: unpadded(iv),
      hashes: { sha256: unpadded(createHash("sha256").update(ciphertext).digest()) },
      v: "v2",
    },
  };
}

/** A page for each text. */
export async function makePdf(pages: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) document.addPage([400, 200]).drawText(text, { x: 20, y: 150, size: 12, font });
  return document.save();
}
