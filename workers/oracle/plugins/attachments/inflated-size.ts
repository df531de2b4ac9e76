/**
 * How long data of the format deflate (RFC 1951) is once it is unpacked, without unpacking it: codes are read and their lengths
 * added up, which takes no memory, whatever the data holds.
 */

/** How many more bits each length code from 257 on has, and the shortest length that it stands for. */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const SHORTEST = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const END_OF_BLOCK = 256;
const LONGEST_CODE = 15;
/** The order in which a block gives the lengths of the codes for its code lengths. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

interface Bits {
  /** So many bits as a number, the first one the lowest; zeros after the end. */
  read(count: number): number;
  skipToByte(): void;
  skipBytes(count: number): void;
  readonly isOver: boolean;
}

/** A code by the lengths of its words: how many words have each length, and their symbols in order. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** Bytes, up to a little more than `limit`; those before the place where the data is damaged or ends. */
export function inflatedSize(data: Uint8Array, start: number, limit: number): number {
  const bits = bitsOf(data, start);
  let size = 0;
  for (let isLast = false; !isLast && !bits.isOver && size <= limit;) {
    isLast = bits.read(1) === 1;
    const kind = bits.read(2);
    if (kind === 0) {
      bits.skipToByte();
      const stored = bits.read(16);
      bits.read(16);
      bits.skipBytes(stored);
      size += stored;
      continue;
    }
    const codes = kind === 1 ? fixedCodes : kind === 2 ? readCodes(bits) : undefined;
    if (codes === undefined) return size;
    const block = blockSize(bits, codes, limit - size);
    size += block.size;
    if (block.isDamaged) return size;
  }
  return size;
}

interface Codes {
  readonly lengths: Code;
  readonly distances: Code;
}

function blockSize(bits: Bits, { lengths, distances }: Codes, limit: number) {
  let size = 0;
  while (size <= limit && !bits.isOver) {
    const symbol = readSymbol(bits, lengths);
    if (symbol === END_OF_BLOCK) return { size, isDamaged: false };
    if (symbol < END_OF_BLOCK) {
      if (symbol < 0) return { size, isDamaged: true };
      size += 1;
      continue;
    }
    const index = symbol - END_OF_BLOCK - 1;
    size += (SHORTEST[index] ?? 0) + bits.read(LENGTH_BITS[index] ?? 0);
    const distance = readSymbol(bits, distances);
    if (distance < 0) return { size, isDamaged: true };
    bits.read(Math.max(0, (distance >> 1) - 1));
  }
  return { size, isDamaged: true };
}

function readCodes(bits: Bits): Codes | undefined {
  const lengthCount = bits.read(5) + 257;
  const distanceCount = bits.read(5) + 1;
  const given = bits.read(4) + 4;
  const orders = new Uint8Array(LENGTH_ORDER.length);
  for (const place of LENGTH_ORDER.slice(0, given)) orders[place] = bits.read(3);
  const code = codeOf(orders);
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
  return { lengths: codeOf(lengths.subarray(0, lengthCount)), distances: codeOf(lengths.subarray(lengthCount)) };
}

function codeOf(lengths: Uint8Array): Code {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  const symbols = Uint16Array.from(
    [...lengths.keys()]
      .filter((symbol) => lengths[symbol] !== 0)
      .toSorted((one, other) => (lengths[one] ?? 0) - (lengths[other] ?? 0) || one - other),
  );
  return { counts, symbols };
}

/** Words of one length are consecutive numbers, the first of them twice the number behind the last shorter one. */
function readSymbol(bits: Bits, { counts, symbols }: Code): number {
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

function bitsOf(data: Uint8Array, start: number): Bits {
  let at = start;
  let left = 0;
  let byte = 0;
  let isOver = false;
  return {
    read(count) {
      let value = 0;
      for (let bit = 0; bit < count; bit += 1) {
        if (left === 0) {
          isOver = at >= data.length;
          byte = data[at] ?? 0;
          at += 1;
          left = 8;
        }
        value |= (byte & 1) << bit;
        byte >>= 1;
        left -= 1;
      }
      return value;
    },
    skipToByte() {
      left = 0;
    },
    skipBytes(count) {
      at += count;
    },
    get isOver() {
      return isOver;
    },
  };
}

const repeat = (length: number, times: number): number[] => Array.from({ length: times }, () => length);
const fixedCodes: Codes = {
  lengths: codeOf(Uint8Array.from([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)])),
  distances: codeOf(Uint8Array.from(repeat(5, 30))),
};
