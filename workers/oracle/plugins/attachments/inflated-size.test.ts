/** The size without unpacking is what unpacking gives, for whatever zlib packs. */
import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inflatedSize } from "./inflated-size.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const packings = [
  { level: 0 },
  { level: 1 },
  { level: 9 },
  { level: 9, strategy: constants.Z_FIXED },
  { level: 9, strategy: constants.Z_HUFFMAN_ONLY },
];

test("is that of the data, whatever it holds and however it is packed [OR-325]", () => {
  const texts = fc.array(fc.constantFrom("rain", "harvest ", "\n", "0 0 Td (a) Tj "), { maxLength: 3_000 });
  const data = fc.oneof(
    texts.map((words) => Buffer.from(words.join(""))),
    fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(100_000).map((size) => Buffer.alloc(size)),
  );
  fc.assert(
    fc.property(data, fc.constantFrom(...packings), fc.uint8Array({ maxLength: 20 }), (plain, packing, after) => {
      const packed = Buffer.concat([Buffer.from("before"), deflateRawSync(plain, packing), after]);
      expect(inflatedSize(packed, "before".length, Infinity)).toBe(plain.length);
    }),
    runs,
  );
});

test("stops soon behind the limit, and at the end of data that is cut", () => {
  const packed = deflateRawSync(Buffer.alloc(10_000_000));
  expect(inflatedSize(packed, 0, 1_000)).toBeLessThan(1_000 + 259);
  expect(inflatedSize(packed, 0, 1_000)).toBeGreaterThan(1_000);
  expect(inflatedSize(packed.subarray(0, 1_000), 0, Infinity)).toBeLessThan(10_000_000);
});

test("of anything at all is a number", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      expect(inflatedSize(bytes, 0, 1_000_000)).toBeGreaterThanOrEqual(0);
    }),
    runs,
  );
});
