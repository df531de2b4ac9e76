/** Files of the media server: a real image, also encrypted as Matrix clients do it, and a real PDF. */
import { createCipheriv, createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { PDFDocument, StandardFonts } from "pdf-lib";
import type { Attachment } from "../../../protocol/requests.ts";

/** One red pixel, as PNG. */
export const redPixel: Uint8Array = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

export type EncryptedFile = NonNullable<Attachment["file"]>;

/** Encrypts like Matrix clients: AES-256-CTR with a 64-bit counter that begins at 0, and the hash of the ciphertext. */
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

/** One page per text. */
export async function makePdf(pages: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) document.addPage([400, 200]).drawText(text, { x: 20, y: 150, size: 12, font });
  return document.save();
}

/** A page with this raw packed content, which no PDF writer would write. */
export function makeRawPdf(content: Uint8Array): Uint8Array {
  return makePackedPdf("/Filter /FlateDecode", deflateSync(content, { level: 9 }));
}

/** A page whose content is these bytes, packed as `filter` says. */
export function makePackedPdf(filter: string, packed: Uint8Array): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    [`<< /Length ${packed.length} ${filter} >>\nstream\n`, packed, "\nendstream"],
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets = objects.map((object, index) => {
    const offset = parts.reduce((sum, part) => sum + part.length, 0);
    const body = [`${index + 1} 0 obj\n`, object, "\nendobj\n"].flat();
    parts.push(...body.map((part) => Buffer.from(part as Uint8Array)));
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  return Buffer.concat([...parts, Buffer.from(table + trailer)]);
}

/** A whole PDF of these objects, the first its catalog. */
export function makePdfOf(objects: readonly string[]): Buffer {
  let body = "%PDF-1.4\n";
  const entries = objects.map((object, index) => {
    const offset = String(body.length).padStart(10, "0");
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${offset} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`;
  return Buffer.from(body + table + trailer, "latin1");
}
