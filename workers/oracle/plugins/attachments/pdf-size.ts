/**
 * How much the packed parts of a PDF come to. Its reader unpacks a part as a whole, so a file of a few hundred KB can fill the
 * memory of everybody who shares it. Each part is measured first.
 */
import { inflatedSize } from "./inflated-size.ts";
import { PDF_PART_BYTES, PDF_UNPACKED_BYTES } from "./limits.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const KEYWORD = new TextEncoder().encode("stream");

export function unpacksTooMuch(pdf: Uint8Array): boolean {
  let total = 0;
  for (const start of partStarts(pdf)) {
    const size = unpackedSize(pdf, start);
    total += size;
    if (size > PDF_PART_BYTES || total > PDF_UNPACKED_BYTES) return true;
  }
  return false;
}

/** Where a part may begin: behind the line with the keyword `stream`. */
function* partStarts(pdf: Uint8Array): Generator<number> {
  const [first = 0] = KEYWORD;
  for (let at = pdf.indexOf(first); at >= 0; at = pdf.indexOf(first, at + 1)) {
    if (!KEYWORD.every((byte, index) => pdf[at + index] === byte)) continue;
    let end = at + KEYWORD.length;
    while (end < pdf.length && pdf[end] !== LINE_FEED && pdf[end] !== CARRIAGE_RETURN) end += 1;
    yield end + (pdf[end] === CARRIAGE_RETURN && pdf[end + 1] === LINE_FEED ? 2 : 1);
  }
}

/** Bytes, up to a little more than the bound; 0 for what is not packed. */
function unpackedSize(pdf: Uint8Array, start: number): number {
  const method = pdf[start] ?? 0;
  const flags = pdf[start + 1] ?? 0;
  // The header of zlib: deflate, and a check sum of the two bytes.
  if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) return 0;
  return inflatedSize(pdf, start + 2, PDF_PART_BYTES);
}
