/**
 * Computes the unpacked length of deflate data (RFC 1951) without unpacking it: decodes the symbols and adds up their lengths. This
 * takes constant memory for any data.
 */
import type { SlicedWork } from "./work-slices.ts";

/** Extra bits of each length code from 257 on, and its shortest length. */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const SHORTEST = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const END_OF_BLOCK = 256;
const LONGEST_CODE = 15;
/** The order in which a block lists the lengths of its code length codes. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Words up to this many bits use the lookup table; longer ones are decoded bit by bit. */
const LOOKUP_BITS = 9;
/** Symbols decoded in one slice of work, about two milliseconds, and the cost of a block's header in symbols. */
const SLICE_CODES = 64 * 1024;
const HEAD_CODES = 256;

export interface InflateBounds {
  /** Bytes of unpacked data after which decoding stops. */
  readonly size: number;
  /** Maximum bytes of packed data to read. */
  readonly read: number;
}

/** Byte counts, each up to slightly more than its limit; they stop where the data ends or is damaged. */
export interface Inflated {
  readonly size: number;
  readonly read: number;
}

/** A canonical Huffman code: the number of words per length, and their symbols in order. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
  /** Indexed by the next bits: a symbol, with the length of its word in the upper bits; 0 for a longer word. */
  readonly lookup: Uint16Array;
}

export function* inflatedSize(data: Uint8Array, start: number, bounds: InflateBounds): SlicedWork<Inflated> {
  const bits = new Bits(data, start, Math.min(data.length, start + bounds.read));
  let size = 0;
  let work = 0;
  const inflated = (): Inflated => ({ size, read: bits.taken - start });
  for (let isLast = false; !isLast && !bits.isOver && size <= bounds.size;) {
    isLast = bits.read(1) === 1;
    const kind = bits.read(2);
    if (kind === 0) {
      const stored = bits.storedLength();
      size += stored;
      work += 1;
      if (work % SLICE_CODES === 0) yield;
      continue;
    }
    const codes = kind === 1 ? fixedCodes : kind === 2 ? readCodes(bits) : undefined;
    work += HEAD_CODES - (work % HEAD_CODES);
    if (work % SLICE_CODES === 0) yield;
    if (codes === undefined) return inflated();
    // Readers disagree on how to decode such a block.
    if (codes === "ambiguous") return { size: Infinity, read: bits.taken - start };
    const { lengths, distances } = codes;
    for (;;) {
      if (size > bounds.size || bits.isOver) return inflated();
      work += 1;
      if (work % SLICE_CODES === 0) yield;
      const symbol = readSymbol(bits, lengths);
      if (symbol === END_OF_BLOCK) break;
      if (symbol < 0) return inflated();
      if (symbol < END_OF_BLOCK) {
        size += 1;
        continue;
      }
      const index = symbol - END_OF_BLOCK - 1;
      size += (SHORTEST[index] ?? 0) + bits.read(LENGTH_BITS[index] ?? 0);
      const distance = readSymbol(bits, distances);
      if (distance < 0) return inflated();
      bits.read(Math.max(0, (distance >> 1) - 1));
    }
  }
  return inflated();
}

interface Codes {
  readonly lengths: Code;
  readonly distances: Code;
}

/** Undefined for damaged data; ambiguous when a code has more words than fit. */
function readCodes(bits: Bits): Codes | "ambiguous" | undefined {
  const lengthCount = bits.read(5) + 257;
  const distanceCount = bits.read(5) + 1;
  const given = bits.read(4) + 4;
  const orders = new Uint8Array(LENGTH_ORDER.length);
  for (const place of LENGTH_ORDER.slice(0, given)) orders[place] = bits.read(3);
  const code = codeOf(orders);
  if (!isUnambiguous(code)) return "ambiguous";
  const lengths = new Uint8Array(lengthCount + distanceCount);
  for (let at = 0; at < lengths.length;) {
    const symbol = readSymbol(bits, code);
    if (symbol < 0 || bits.isOver) return undefined;
    if (symbol < 16) {
      lengths[at] = symbol;
      at += 1;
      continue;
    }
    const repeated = symbol === 16 ? (lengths[at - 1] ?? 0) : 0;
    const times = symbol === 16 ? 3 + bits.read(2) : symbol === 17 ? 3 + bits.read(3) : 11 + bits.read(7);
    lengths.fill(repeated, at, at + times);
    at += times;
  }
  const codes = { lengths: codeOf(lengths.subarray(0, lengthCount)), distances: codeOf(lengths.subarray(lengthCount)) };
  return isUnambiguous(codes.lengths) && isUnambiguous(codes.distances) ? codes : "ambiguous";
}

function isUnambiguous({ counts }: Code): boolean {
  let taken = 0;
  for (let length = 1; length <= LONGEST_CODE; length += 1) taken += (counts[length] ?? 0) << (LONGEST_CODE - length);
  return taken <= 1 << LONGEST_CODE;
}

/** Words of one length are consecutive numbers, starting at twice the number after the last shorter word. */
function codeOf(lengths: Uint8Array): Code {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  /** Where the symbols of each length begin, and the number of their first word. */
  const places = new Uint16Array(LONGEST_CODE + 2);
  const words = new Uint32Array(LONGEST_CODE + 2);
  for (let length = 1; length <= LONGEST_CODE; length += 1) {
    const count = counts[length] ?? 0;
    places[length + 1] = (places[length] ?? 0) + count;
    words[length + 1] = ((words[length] ?? 0) + count) << 1;
  }
  const symbols = new Uint16Array(lengths.length);
  const lookup = new Uint16Array(1 << LOOKUP_BITS);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const place = places[length] ?? 0;
    symbols[place] = symbol;
    places[length] = place + 1;
    const word = words[length] ?? 0;
    words[length] = word + 1;
    if (length > LOOKUP_BITS) continue;
    for (let next = reversed(word, length); next < lookup.length; next += 1 << length)
      lookup[next] = (length << 9) | symbol;
  }
  return { counts, symbols, lookup };
}

function reversed(word: number, length: number): number {
  let turned = 0;
  for (let bit = 0; bit < length; bit += 1) turned |= ((word >> bit) & 1) << (length - 1 - bit);
  return turned;
}

function readSymbol(bits: Bits, { counts, symbols, lookup }: Code): number {
  const found = lookup[bits.peek(LOOKUP_BITS)] ?? 0;
  if (found !== 0) {
    bits.skip(found >> 9);
    return found & 0x1ff;
  }
  let word = 0;
  let first = 0;
  let before = 0;
  for (let length = 1; length <= LONGEST_CODE; length += 1) {
    word = (word << 1) | bits.read(1);
    const count = counts[length] ?? 0;
    if (word - first < count) return symbols[before + word - first] ?? -1;
    before += count;
    first = (first + count) << 1;
  }
  return -1;
}

/** A bit reader, lowest bit first; reads zeros after the end. */
class Bits {
  /** The index of the next byte to load. */
  at: number;
  readonly #data: Uint8Array;
  readonly #end: number;
  #held = 0;
  #count = 0;

  constructor(data: Uint8Array, start: number, end: number) {
    this.#data = data;
    this.at = start;
    this.#end = end;
  }

  /** Whether bits after the end were read. */
  get isOver(): boolean {
    return this.taken > this.#end;
  }

  /** The index after the last byte of which bits were consumed. */
  get taken(): number {
    return this.at - (this.#count >> 3);
  }

  /** At most 16. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#held |= (this.at < this.#end ? (this.#data[this.at] ?? 0) : 0) << this.#count;
      this.at += 1;
      this.#count += 8;
    }
    return this.#held & ((1 << count) - 1);
  }

  /** Consumes bits that were peeked at. */
  skip(count: number): void {
    this.#held >>>= count;
    this.#count -= count;
  }

  read(count: number): number {
    const value = this.peek(count);
    this.skip(count);
    return value;
  }

  /** Reads the length of a stored block; the next block begins after its data. */
  storedLength(): number {
    this.skip(this.#count % 8);
    const length = this.read(16);
    this.read(16);
    this.at += length - this.#count / 8;
    this.#held = 0;
    this.#count = 0;
    return length;
  }
}

const repeat = (length: number, times: number): number[] => Array.from({ length: times }, () => length);
const fixedCodes: Codes = {
  lengths: codeOf(Uint8Array.from([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)])),
  distances: codeOf(Uint8Array.from(repeat(5, 30))),
};
