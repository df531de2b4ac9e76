/**
 * Measures the packed parts of a PDF. Its reader unpacks a part whole and reads it without a pause, so a file of a few hundred KB
 * can exhaust the isolate's memory or block its other chats. Each part is measured first.
 */
import { inflatedSize } from "./inflated-size.ts";
import { PDF_PART_BYTES, PDF_UNPACKED_BYTES } from "./limits.ts";
import type { SlicedWork } from "./work-slices.ts";

/** Length of the zlib header before the packed data. */
export const HEADER_BYTES = 2;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const KEYWORD = new TextEncoder().encode("stream");
/** Bytes that may begin the keyword, examined in one slice of work, about two milliseconds. */
const SLICE_PLACES = 64 * 1024;

/** The range of a part's packed data, without the zlib header and checksum. */
export interface PackedPart {
  readonly start: number;
  readonly end: number;
  /** Unpacked size in bytes. */
  readonly size: number;
}

export interface MeasuredParts {
  readonly parts: readonly PackedPart[];
  /** How many parts are too large. */
  readonly omitted: number;
}

/**
 * Marks the oversized parts of the PDF, so that the reader does not unpack them. Undefined when all parts together are too large.
 */
export function* omitLargeParts(pdf: Uint8Array): SlicedWork<MeasuredParts | undefined> {
  const parts: PackedPart[] = [];
  let omitted = 0;
  let total = 0;
  // Parts of a real file do not overlap, so together they are no longer than the file.
  let left = pdf.length;
  for (const place of partStarts(pdf)) {
    if (place === undefined) {
      yield;
      continue;
    }
    if (!isDeflated(pdf, place)) continue;
    const start = place + HEADER_BYTES;
    const { size, read } = yield* inflatedSize(pdf, start, { size: PDF_PART_BYTES, read: left });
    left -= read;
    if (left < 0) return undefined;
    if (size > PDF_PART_BYTES) {
      omitPart(pdf, start);
      omitted += 1;
      continue;
    }
    parts.push({ start, end: start + read, size });
    total += size;
    if (total > PDF_UNPACKED_BYTES) return undefined;
  }
  return { parts, omitted };
}

/** Without a zlib header, the reader takes the part for empty. */
export function omitPart(pdf: Uint8Array, start: number): void {
  pdf[start - HEADER_BYTES] = 0;
}

/** Where a part may begin: after a line with the keyword `stream`, each place once. Undefined between slices of work. */
function* partStarts(pdf: Uint8Array): Generator<number | undefined, void> {
  const [first = 0] = KEYWORD;
  const lineFeed = nextPlaces(pdf, LINE_FEED);
  const carriageReturn = nextPlaces(pdf, CARRIAGE_RETURN);
  let known = 0;
  let places = 0;
  for (let at = pdf.indexOf(first); at >= 0; at = pdf.indexOf(first, at + 1)) {
    places += 1;
    if (places % SLICE_PLACES === 0) yield undefined;
    if (!KEYWORD.every((byte, index) => pdf[at + index] === byte)) continue;
    const behind = at + KEYWORD.length;
    const end = Math.min(lineFeed(behind), carriageReturn(behind));
    const start = end + (pdf[end] === CARRIAGE_RETURN && pdf[end + 1] === LINE_FEED ? 2 : 1);
    if (start > known) yield start;
    known = start;
  }
}

/** Finds the next place of a byte, for ascending places: each byte is read once. */
function nextPlaces(bytes: Uint8Array, byte: number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = bytes.indexOf(byte, from);
    if (found < 0) found = bytes.length;
    return found;
  };
}

/** Checks the zlib header: deflate, and a checksum over its two bytes. */
function isDeflated(pdf: Uint8Array, start: number): boolean {
  const method = pdf[start] ?? 0;
  const flags = pdf[start + 1] ?? 0;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
