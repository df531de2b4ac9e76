/**
 * When an object of a PDF is not where its cross-reference says, the reader searches the whole file for objects: without a pause, and
 * in time that grows as the square of the size. The words that it searches for are hidden, so that such a PDF is a damaged one.
 */
import type { SlicedWork } from "./work-slices.ts";

/** White space of the format, which the search does not know as such. */
const ZERO = 0;
const LESS_THAN = 0x3c;
/** Bytes of white space before a word that are looked at; nobody writes more. */
const LONGEST_SPACE = 64;
/** Places that may have a word and are looked at in one slice of work, about two milliseconds. */
const SLICE_PLACES = 64 * 1024;
const [OBJECT, ...SECTIONS] = ["obj", "xref", "trailer"].map((word) => new TextEncoder().encode(word));

/** The byte before each word becomes another white space: where the cross-reference leads, the reader still finds the word. */
export function* hideFromSearch(pdf: Uint8Array): SlicedWork<undefined> {
  for (const at of placesOf(pdf, OBJECT)) {
    if (at === undefined) yield;
    else if (isSpace(pdf[at - 1]) && isBehindNumber(pdf, at)) pdf[at - 1] = ZERO;
  }
  for (const word of SECTIONS)
    for (const at of placesOf(pdf, word)) {
      if (at === undefined) yield;
      else if (isSpace(pdf[at - 1])) pdf[at - 1] = ZERO;
      // The search begins again behind it, and nothing else does.
      else if (pdf[at - 1] === LESS_THAN) pdf[at] = ZERO;
    }
  return undefined;
}

/** Undefined between slices of work. */
function* placesOf(pdf: Uint8Array, word: Uint8Array = Uint8Array.of(ZERO)): Generator<number | undefined, void> {
  const last = word.length - 1;
  const [letter = ZERO] = word.subarray(last);
  let places = 0;
  for (let at = pdf.indexOf(letter); at >= 0; at = pdf.indexOf(letter, at + 1)) {
    places += 1;
    if (places % SLICE_PLACES === 0) yield undefined;
    if (word.every((byte, index) => pdf[at - last + index] === byte)) yield at - last;
  }
}

/** Whether a digit is before the white space that is before this place. */
function isBehindNumber(pdf: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (before > at - LONGEST_SPACE && isSpace(pdf[before])) before -= 1;
  const byte = pdf[before] ?? ZERO;
  return (byte >= 0x30 && byte <= 0x39) || isSpace(byte);
}

/** White space of the search. */
function isSpace(byte = ZERO): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xa0;
}
