/**
 * The cross-reference of a PDF, which lists the places of its objects. If it is damaged, the reader searches the whole file for
 * objects without a pause, and a few of its bytes may declare a billion entries. It is therefore followed and counted first.
 */
import { CROSS_REFERENCE_ENTRIES, CROSS_REFERENCE_PARTS } from "./limits.ts";
import { withoutEscapes } from "./pdf-tokens.ts";
import type { SlicedWork } from "./work-slices.ts";

export type CrossReference = "fine" | "damaged" | "too long";

/** Bytes at the start of the file in which the reader looks for `%PDF-`, and after it for a linearised first page. */
const HEAD_BYTES = 1024;
/** Bytes read at once: the dictionary of a part, which may list the ranges of its entries. */
const WINDOW_BYTES = 64 * 1024;
/** Bytes of an entry in the table format. */
const ENTRY_BYTES = 20;
const TABLE_BYTES = CROSS_REFERENCE_ENTRIES * ENTRY_BYTES + WINDOW_BYTES;
const latin = new TextDecoder("latin1");
const START = "startxref";

/** White space and comments before a part. */
const SPACE = /^(?:[\0\t\n\f\r ]|%[^\r\n]*)*/;
const STREAM = /^\d+[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+obj([^]*)$/;
const TABLE = /^xref([\0\t\n\f\r \dnf]*)trailer([^]*)$/;
/** A table that does not end in these bytes. */
const LONG_TABLE = /^xref[\0\t\n\f\r \dnf]*$/;
/** A key whose number decides what is read, with the number if it is direct and not a reference. */
const NUMBERS =
  /\/(Size|Prev|XRefStm)(?![^\0\t\n\f\r ()<>[\]{}/%])(?:[\0\t\n\f\r ]*(\d+)(?![\d.%]|[\0\t\n\f\r ]*%|[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+R))?/g;
const RANGES = /\/Index(?![^\0\t\n\f\r ()<>[\]{}/%])(?:[\0\t\n\f\r ]*\[([\d\0\t\n\f\r ]*)\])?/g;

interface Part {
  readonly entries: number;
  /** The places of other parts. */
  readonly next: readonly number[];
}

export function* checkCrossReference(pdf: Uint8Array): SlicedWork<CrossReference> {
  const head = text(pdf, 0, HEAD_BYTES);
  const begin = Math.max(0, head.indexOf("%PDF-"));
  const queue = [yield* startOf(pdf), ...firstPageOf(text(pdf, begin, HEAD_BYTES))];
  const seen = new Set<number>();
  let entries = 0;
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (seen.size > CROSS_REFERENCE_PARTS) return "too long";
    yield;
    const part = partAt(pdf, begin + at);
    if (part === undefined) return "damaged";
    entries += part.entries;
    if (entries > CROSS_REFERENCE_ENTRIES) return "too long";
    queue.push(...part.next);
  }
  return "fine";
}

/** The place in the last `startxref`, parsed as the reader does. A place outside the file has no part. */
function* startOf(pdf: Uint8Array): SlicedWork<number> {
  for (let end = pdf.length; end > 0; end -= WINDOW_BYTES) {
    const tail = text(pdf, Math.max(0, end - WINDOW_BYTES), WINDOW_BYTES + 2 * START.length);
    const at = tail.lastIndexOf(START);
    if (at >= 0) return Number(/^[\t\n\r ]*(\d+)/.exec(tail.slice(at + START.length))?.[1] ?? Infinity);
    yield;
  }
  return Infinity;
}

/** A linearised file has the cross-reference of its first page after its first object. */
function firstPageOf(head: string): readonly number[] {
  const at = head.indexOf("endobj");
  return withoutEscapes(head).includes("/Linearized") && at >= 0 ? [at + "endobj".length] : [];
}

/** Undefined when there is none. */
function partAt(pdf: Uint8Array, at: number): Part | undefined {
  if (at >= pdf.length) return undefined;
  const behind = text(pdf, at, WINDOW_BYTES);
  const begin = at + (SPACE.exec(behind)?.[0].length ?? 0);
  const [, dictionary] = STREAM.exec(text(pdf, begin, WINDOW_BYTES)) ?? [];
  if (dictionary !== undefined) return readStream(dictionary);
  const written = text(pdf, begin, TABLE_BYTES);
  const [, table, trailer] = TABLE.exec(written) ?? [];
  if (table === undefined && LONG_TABLE.test(written)) return { entries: Infinity, next: [] };
  if (table === undefined || trailer === undefined) return undefined;
  const numbers = numbersOf(withoutEscapes(untilKeyword(trailer)));
  return numbers && { entries: table.match(/[nf]/g)?.length ?? 0, next: [...numbers.Prev, ...numbers.XRefStm] };
}

function readStream(behind: string): Part | undefined {
  const written = untilKeyword(behind);
  // The reader ignores an object without data.
  if (written.length < behind.length && !behind.startsWith("stream", written.length)) return { entries: 0, next: [] };
  const dictionary = withoutEscapes(written);
  const numbers = numbersOf(dictionary);
  if (numbers === undefined) return undefined;
  let entries = numbers.Size.reduce((sum, size) => sum + size, 0);
  for (const [index, [, list]] of [...dictionary.matchAll(RANGES)].entries()) {
    if (list === undefined) return undefined;
    const lengths = (list.match(/\d+/g) ?? []).filter((_, place) => place % 2 === 1);
    entries = lengths.reduce((sum, length) => sum + Number(length), index === 0 ? 0 : entries);
  }
  return { entries, next: numbers.Prev };
}

/** Undefined when a number is written in a form that only the reader parses. */
function numbersOf(dictionary: string) {
  const numbers = { Size: [] as number[], Prev: [] as number[], XRefStm: [] as number[] };
  for (const [, key, digits] of dictionary.matchAll(NUMBERS)) {
    if (digits === undefined) return undefined;
    if (key === "Size" || key === "Prev" || key === "XRefStm") numbers[key].push(Number(digits));
  }
  return numbers;
}

function untilKeyword(behind: string): string {
  const end = behind.search(/stream|startxref|endobj/);
  return end < 0 ? behind : behind.slice(0, end);
}

function text(bytes: Uint8Array, start: number, length: number): string {
  return latin.decode(bytes.subarray(start, start + length));
}
