/**
 * If an object of a PDF is not where its cross-reference says, the reader searches the whole file for objects: without a pause, and
 * in quadratic time. This module hides the words of that search, so that such a PDF counts as damaged.
 */
import type { SlicedWork } from "./work-slices.ts";

/** White space of the format that the search does not treat as white space. */
const ZERO = 0;
const LESS_THAN = 0x3c;
/** How much white space before a word is examined, bytes; real files have less. */
const LONGEST_SPACE = 64;
/** Possible words examined in one slice of work, about two milliseconds. */
const SLICE_PLACES = 64 * 1024;
const [OBJECT, ...SECTIONS] = ["obj", "xref", "trailer"].map((word) => new TextEncoder().encode(word));

/** The byte before each word becomes another white space: where the cross-reference points, the reader still finds the word. */
export function* hideFromSearch(pdf: Uint8Array): SlicedWork<undefined> {
  for (const at of placesOf(pdf, OBJECT)) {
    if (at === undefined) yield;
    else if (isSpace(pdf[at - 1]) && isBehindNumber(pdf, at)) pdf[at - 1] = ZERO;
  }
  for (const word of SECTIONS)
    for (const at of placesOf(pdf, word)) {
      if (at === undefined) yield;
      else if (isSpace(pdf[at - 1])) pdf[at - 1] = ZERO;
      // The search restarts after this byte, which has no other use.
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

/** Whether a digit precedes the white space before this place. */
function isBehindNumber(pdf: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (before > at - LONGEST_SPACE && isSpace(pdf[before])) before -= 1;
  const byte = pdf[before] ?? ZERO;
  return (byte >= 0x30 && byte <= 0x39) || isSpace(byte);
}

/** White space as the search defines it. */
function isSpace(byte = ZERO): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xa0;
}
