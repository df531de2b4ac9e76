/**
 * How much the packed parts of a PDF come to. Its reader unpacks a part as a whole, so a file of a few hundred KB can fill the
 * memory of everybody who shares it. Parts are unpacked here first, one after the other, up to a bound.
 */
import { inflateSync } from "node:zlib";
import { PDF_PART_BYTES, PDF_UNPACKED_BYTES } from "./limits.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const KEYWORD = new TextEncoder().encode("stream");

export function unpacksTooMuch(pdf: Uint8Array): boolean {
  let total = 0;
  for (const start of partStarts(pdf)) {
    const size = unpackedSize(pdf.subarray(start));
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

/** Bytes; 0 for what is not packed, or damaged before the bound is reached. */
function unpackedSize(part: Uint8Array): number {
  const [method = 0, flags = 0] = part;
  // The header of zlib: deflate, and a check sum of the two bytes.
  if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) return 0;
  try {
    return inflateSync(part, { maxOutputLength: PDF_PART_BYTES }).byteLength;
  } catch (thrown) {
    const isTooLarge = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? PDF_PART_BYTES + 1 : 0;
  }
}
