/**
 * Measures the text of the objects of a PDF, from the marker of each to its end, and finds where their streams begin. The reader
 * reads them without a pause. An unterminated object contains every object after it, so the reader's work would be quadratic.
 */
import { UNKNOWN_OBJECT } from "./pdf-references.ts";
import type { SlicedWork } from "./work-slices.ts";

const [O = 0, B = 0, J = 0] = new TextEncoder().encode("obj");
const [BACKSLASH, PERCENT, OPEN, CLOSE] = [0x5c, 0x25, 0x28, 0x29];
const [LIST, LIST_END, LESS, GREATER] = [0x5b, 0x5d, 0x3c, 0x3e];
const [LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x0a, 0x0d, 0x20];
/** Not a byte: a dictionary begins with two. */
const DICTIONARY = -1;
/** Bytes, or possible markers, read in one slice of work, about two milliseconds. */
const SLICE_BYTES = 64 * 1024;

const latin = new TextDecoder("latin1");
const TRAILER = new TextEncoder().encode("trailer");
/** White space, comments and the keyword, up to the end of its line. */
const STREAM_LINE = /^(?:[\0\t\n\f\r ]|%[^\r\n]*)*stream[^\r\n]*(?:\r\n?|\n)/;
/** Bytes read after a dictionary; real files have a line end and the keyword there. */
const LINE_BYTES = 256;
/** The number of an object before its marker, and how many bytes before the marker are searched. */
const NUMBER = /(\d{1,10})[\0\t\n\f\r ]+\d{1,10}[\0\t\n\f\r ]*$/;
const NUMBER_BYTES = 32;

/** The place of an object, without its marker and its stream. */
export interface ObjectPlace {
  /** `UNKNOWN_OBJECT` for a trailer, and for a number that only the PDF library can parse. */
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** Where the data of its stream begins. */
  readonly data: number | undefined;
}

export interface ObjectTexts {
  /** Bytes of all objects together, without the data of streams. */
  readonly bytes: number;
  readonly objects: readonly ObjectPlace[];
}

/** Stops counting slightly above `most`. */
export function* measureObjects(pdf: Uint8Array, most: number): SlicedWork<ObjectTexts> {
  const objects: ObjectPlace[] = [];
  let total = 0;
  let places = 0;
  for (let at = pdf.indexOf(J); at >= 0 && total <= most; at = pdf.indexOf(J, at + 1)) {
    places += 1;
    if (places % SLICE_BYTES === 0) yield;
    if (pdf[at - 1] !== B || pdf[at - 2] !== O || !mayFollow(pdf[at - 3])) continue;
    const start = at + 1;
    const length = yield* lengthOf(pdf, start, most - total);
    total += length;
    const before = latin.decode(pdf.subarray(Math.max(0, at - 2 - NUMBER_BYTES), at - 2));
    const number = Number(NUMBER.exec(before)?.[1] ?? UNKNOWN_OBJECT);
    objects.push({ number, start, end: start + length + 1, data: dataBehind(pdf, start + length + 1) });
  }
  const [first = 0] = TRAILER;
  for (let at = pdf.indexOf(first); at >= 0 && total <= most; at = pdf.indexOf(first, at + 1)) {
    places += 1;
    if (places % SLICE_BYTES === 0) yield;
    if (!TRAILER.every((byte, index) => pdf[at + index] === byte)) continue;
    const start = at + TRAILER.length;
    const length = yield* lengthOf(pdf, start, most - total);
    total += length;
    objects.push({ number: UNKNOWN_OBJECT, start, end: start + length + 1, data: undefined });
  }
  return { bytes: total, objects };
}

/** `end`: the index after the dictionary. */
function dataBehind(pdf: Uint8Array, end: number): number | undefined {
  const behind = latin.decode(pdf.subarray(end, end + LINE_BYTES));
  const [line] = STREAM_LINE.exec(behind) ?? [];
  return line === undefined ? undefined : end + line.length;
}

/** White space or a digit, which ends the number of the object. */
function mayFollow(byte = 0): boolean {
  return byte <= 0x20 || byte === 0xa0 || (byte >= 0x30 && byte <= 0x39);
}

/** The length of the list, dictionary or string that begins there; 0 for anything else. */
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
