/**
 * Structures by which a small PDF takes its reader hours: contents that are repeated, forms in forms, and tables of characters that map
 * whole alphabets again and again. The reader does not pause in them, so they are looked for first, in all that it would read.
 */
import { LISTED_KIDS } from "./limits.ts";
import { omitPart, type PackedPart } from "./pdf-size.ts";
import type { Deadline } from "./work-slices.ts";

/** How often a list may name objects that it has named before. A real page has its contents once each. */
export const REPEATED_REFERENCES = 64;
/** Calls of forms or images in contents that are not packed: the reader pauses at those that are. */
export const UNPACKED_CALLS = 48;
/** Characters that all tables of ranges map together: the largest alphabets have 65,536, and each font may have a table. */
export const MAPPED_CHARACTERS = 1_000_000;
/** Bytes of the file that are looked at in one slice of work, and how many of them are looked at again with the next ones. */
const SLICE_BYTES = 256 * 1024;
const OVERLAP_BYTES = 1024;
/** Bytes of the longest list of a key, which is `Kids`: an entry has two numbers, of at most ten and five digits, the letter R and blanks. */
const LIST_BYTES = 20 * LISTED_KIDS;

/** With anything between its references but lists and dictionaries. */
const LISTS = /\[([^[\]<>]{0,200000})/g;
const REFERENCE = /(\d{1,10})[\s\0]{1,8}\d{1,10}[\s\0]{1,8}R/g;
const CALL = /(?:^|[\s/)\]>])Do(?=$|[\s/([<])/g;
const RANGES = /begin(?:bf|cid|notdef)range/g;
const RANGE = /<\s{0,8}([\da-fA-F]{1,8})\s{0,8}>\s{0,8}<\s{0,8}([\da-fA-F]{1,8})\s{0,8}>/g;
/** Any sign of a name may be written as `#` and two digits. */
const KIDS = /\/(?:K|#4[bB])(?:i|#69)(?:d|#64)(?:s|#73)(?![^\0\t\n\f\r ()<>[\]{}/%])/g;
const KIDS_LIST = /[\0\t\n\f\r ]*\[([\d\0\t\n\f\r R]*)\]/y;
const CONTENTS =
  /\/(?:C|#43)(?:o|#6[fF])(?:n|#6[eE])(?:t|#74)(?:e|#65)(?:n|#6[eE])(?:t|#74)(?:s|#73)(?![^\0\t\n\f\r ()<>[\]{}/%])/g;
/** One reference, a list of nothing else with one blank between them, or a text, which is that of a note. */
const WRITTEN_CONTENTS = /[\0\t\n\f\r ]*(?:\d+[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+R|\[[\d\0\t\n\f\r R]*\]|[(<]|null)/y;
const latin = new TextDecoder("latin1");

/** Undefined when the time is over. Parts that cannot be unpacked are marked, so that the reader takes them for empty ones. */
export async function repeatsItself(
  pdf: Uint8Array<ArrayBuffer>,
  parts: readonly PackedPart[],
  deadline: Deadline,
): Promise<boolean | undefined> {
  const found = createFindings();
  for (let start = 0; start < pdf.length; start += SLICE_BYTES) {
    const before = Math.min(start, OVERLAP_BYTES);
    found.look(latin.decode(pdf.subarray(start - before, start + SLICE_BYTES)));
    found.countCalls(latin.decode(pdf.subarray(start, start + SLICE_BYTES)));
    found.lookAtKeys(latin.decode(pdf.subarray(start, start + SLICE_BYTES + LIST_BYTES)), SLICE_BYTES);
    if (found.isTooMuch()) return true;
    await deadline.rest();
    if (deadline.isOver()) return undefined;
  }
  for (const part of parts) {
    const text = await unpacked(pdf, part);
    if (text === undefined) omitPart(pdf, part.start);
    else {
      found.look(text);
      if (part.holdsObjects) found.lookAtKeys(text, text.length);
    }
    if (found.isTooMuch()) return true;
    await deadline.rest();
    if (deadline.isOver()) return undefined;
  }
  return false;
}

/** Its size is known to be small. Undefined for data that is damaged. */
async function unpacked(pdf: Uint8Array<ArrayBuffer>, { start, end }: PackedPart): Promise<string | undefined> {
  const packed = new Blob([pdf.subarray(start, end)]).stream();
  try {
    return latin.decode(await new Response(packed.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer());
  } catch {
    return undefined;
  }
}

function createFindings() {
  let isRepeated = false;
  let calls = 0;
  let mapped = 0;
  let kids = 0;
  return {
    look(text: string): void {
      for (const [, list = ""] of text.matchAll(LISTS)) isRepeated ||= hasRepeated(list);
      if (text.search(RANGES) >= 0) mapped += mappedIn(text);
    },
    countCalls(text: string): void {
      calls += [...text.matchAll(CALL)].length;
    },
    /** Those before `end`: the lists that the reader goes through without a pause. */
    lookAtKeys(text: string, end: number): void {
      for (const { 0: key, index } of text.matchAll(CONTENTS))
        if (index < end && !isRepeated) isRepeated = !isWrittenPlainly(text, index + key.length);
      for (const { 0: key, index } of text.matchAll(KIDS))
        if (index < end && kids <= LISTED_KIDS) kids += kidsAt(text, index + key.length);
    },
    isTooMuch: () => isRepeated || calls > UNPACKED_CALLS || mapped > MAPPED_CHARACTERS || kids > LISTED_KIDS,
  };
}

function hasRepeated(list: string): boolean {
  const names = Array.from(list.matchAll(REFERENCE), ([, name]) => name);
  return names.length - new Set(names).size > REPEATED_REFERENCES;
}

/** Anything between its references would hide the list of a page's contents from a look before. */
function isWrittenPlainly(text: string, at: number): boolean {
  WRITTEN_CONTENTS.lastIndex = at;
  const [written] = WRITTEN_CONTENTS.exec(text) ?? [];
  return written !== undefined && !hasRepeated(written);
}

/** A list in another form, such as one that is an object of its own, counts as one too many. An empty one counts too. */
function kidsAt(text: string, at: number): number {
  KIDS_LIST.lastIndex = at;
  const [, list] = KIDS_LIST.exec(text) ?? [];
  return list === undefined ? Infinity : Math.max(1, list.split("R").length - 1);
}

/** A range in another form than that of two numbers counts as one too many. */
function mappedIn(text: string): number {
  let mapped = 0;
  for (const block of text.split(RANGES).slice(1)) {
    const end = block.search(/end(?:bf|cid|notdef)range/);
    const ranges = end < 0 ? block : block.slice(0, end);
    if (ranges.includes("(")) return Infinity;
    for (const [, first = "", last = ""] of ranges.matchAll(RANGE))
      mapped += Math.max(0, Number.parseInt(last, 16) - Number.parseInt(first, 16)) + 1;
  }
  return mapped;
}
