/**
 * Checks the unpacked parts of a PDF: repeated character maps of whole alphabets, with which a small PDF can occupy its reader for
 * hours, and everything else that is only visible after unpacking. The reader does not pause in them, so they are checked first.
 */
import { HEADER_BYTES, omitPart, type PackedPart } from "./pdf-size.ts";
import type { Contents } from "./pdf-contents.ts";
import { inSlices, type Deadline } from "./work-slices.ts";

/** Characters that all range tables map together: the largest alphabets have 65,536, and each font may have a table. */
export const MAPPED_CHARACTERS = 1_000_000;
/** Bytes of the file read in one slice of work, and the overlap between two slices. */
const SLICE_BYTES = 256 * 1024;
const OVERLAP_BYTES = 1024;

const RANGES = /begin(?:bf|cid|notdef)range/g;
const RANGE = /<\s{0,8}([\da-fA-F]{1,8})\s{0,8}>\s{0,8}<\s{0,8}([\da-fA-F]{1,8})\s{0,8}>/g;
const latin = new TextDecoder("latin1");

/** Undefined when the time is over. Parts that cannot be unpacked are marked, so that the reader takes them for empty. */
export async function repeatsItself(
  pdf: Uint8Array<ArrayBuffer>,
  parts: readonly PackedPart[],
  contents: Contents,
  deadline: Deadline,
): Promise<boolean | undefined> {
  let mapped = 0;
  for (let start = 0; start < pdf.length; start += SLICE_BYTES) {
    const before = Math.min(start, OVERLAP_BYTES);
    mapped += mappedIn(latin.decode(pdf.subarray(start - before, start + SLICE_BYTES)));
    contents.addCalls(latin.decode(pdf.subarray(start, start + SLICE_BYTES)));
    if (mapped > MAPPED_CHARACTERS) return true;
    await deadline.rest();
    if (deadline.isOver()) return undefined;
  }
  for (const part of parts) {
    const text = await unpacked(pdf, part);
    const holder = contents.holders.get(part.start - HEADER_BYTES);
    if (text === undefined) omitPart(pdf, part.start);
    else {
      mapped += mappedIn(text);
      contents.addCalls(text);
    }
    if (text !== undefined && holder !== undefined) {
      const { first, count } = holder;
      await inSlices(contents.addHolder(text, first, count), deadline);
    }
    if (mapped > MAPPED_CHARACTERS || contents.isTooMuch) return true;
    await deadline.rest();
    if (deadline.isOver()) return undefined;
  }
  await inSlices(contents.finish(), deadline);
  if (deadline.isOver()) return undefined;
  return contents.isTooMuch;
}

/** The size is known to be small. Undefined for damaged data. */
async function unpacked(pdf: Uint8Array<ArrayBuffer>, { start, end }: PackedPart): Promise<string | undefined> {
  const packed = new Blob([pdf.subarray(start, end)]).stream();
  try {
    return latin.decode(await new Response(packed.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer());
  } catch {
    return undefined;
  }
}

/** A range that is not two numbers counts as one above the limit. */
function mappedIn(text: string): number {
  let mapped = 0;
  if (text.search(RANGES) < 0) return mapped;
  for (const block of text.split(RANGES).slice(1)) {
    const end = block.search(/end(?:bf|cid|notdef)range/);
    const ranges = end < 0 ? block : block.slice(0, end);
    if (ranges.includes("(")) return Infinity;
    for (const [, first = "", last = ""] of ranges.matchAll(RANGE))
      mapped += Math.max(0, Number.parseInt(last, 16) - Number.parseInt(first, 16)) + 1;
  }
  return mapped;
}
