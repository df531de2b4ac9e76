/**
 * How much text the objects of a PDF have, from the marker of each to its end. The reader reads them without a pause. An object that
 * does not end contains every object after it, so the reader's work would grow as the square of the size.
 */
import type { SlicedWork } from "./work-slices.ts";

const [O = 0, B = 0, J = 0] = new TextEncoder().encode("obj");
const [BACKSLASH, PERCENT, OPEN, CLOSE] = [0x5c, 0x25, 0x28, 0x29];
const [LIST, LIST_END, LESS, GREATER] = [0x5b, 0x5d, 0x3c, 0x3e];
const [LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x0a, 0x0d, 0x20];
/** No byte: a dictionary begins with two. */
const DICTIONARY = -1;
/** Bytes, or places that may be a marker, that are looked at in one slice of work, about two milliseconds. */
const SLICE_BYTES = 64 * 1024;

/** Bytes of all objects together, without their data; the count ends a little above `most`. */
export function* objectBytes(pdf: Uint8Array, most: number): SlicedWork<number> {
  let total = 0;
  let places = 0;
  for (let at = pdf.indexOf(J); at >= 0 && total <= most; at = pdf.indexOf(J, at + 1)) {
    places += 1;
    if (places % SLICE_BYTES === 0) yield;
    if (pdf[at - 1] !== B || pdf[at - 2] !== O || !mayFollow(pdf[at - 3])) continue;
    total += yield* lengthOf(pdf, at + 1, most - total);
  }
  return total;
}

/** White space or a digit, which ends the number of the object. */
function mayFollow(byte = 0): boolean {
  return byte <= 0x20 || byte === 0xa0 || (byte >= 0x30 && byte <= 0x39);
}

/** Up to the end of the list, dictionary or string that begins there; anything else counts for nothing. */
function* lengthOf(pdf: Uint8Array, start: number, most: number): SlicedWork<number> {
  const open: number[] = [];
  let at = start;
  for (; at < pdf.length && at - start <= most; at += 1) {
    if ((at - start) % SLICE_BYTES === SLICE_BYTES - 1) yield;
    const byte = pdf[at] ?? 0;
    const within = open.at(-1);
    if (within === PERCENT) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) open.pop();
    } else if (within === OPEN) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === OPEN) open.push(OPEN);
      else if (byte === CLOSE) open.pop();
    } else if (byte === OPEN || byte === LIST || byte === PERCENT) {
      open.push(byte);
    } else if (byte === LESS) {
      const isDictionary = pdf[at + 1] === LESS;
      if (isDictionary) at += 1;
      open.push(isDictionary ? DICTIONARY : LESS);
    } else if (closes(within, byte, pdf[at + 1])) {
      if (within === DICTIONARY) at += 1;
      open.pop();
    } else if (within === undefined && byte > SPACE) {
      break;
    }
    if (open.length === 0 && byte > SPACE && within !== PERCENT && byte !== PERCENT) break;
  }
  return at - start;
}

function closes(within: number | undefined, byte: number, next: number | undefined): boolean {
  if (within === LIST) return byte === LIST_END;
  return byte === GREATER && (within === LESS || (within === DICTIONARY && next === GREATER));
}
