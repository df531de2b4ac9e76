/** The size computed without unpacking equals the unpacked size, for anything that zlib packs. */
import { randomBytes } from "node:crypto";
import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inflatedSize, type InflateBounds } from "./inflated-size.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const unbounded = { size: Infinity, read: Infinity };

function measured(data: Uint8Array, start: number, bounds: Partial<InflateBounds> = {}) {
  const work = inflatedSize(data, start, { ...unbounded, ...bounds });
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const packings = [
  { level: 0 },
  { level: 1 },
  { level: 9 },
  { level: 9, strategy: constants.Z_FIXED },
  { level: 9, strategy: constants.Z_HUFFMAN_ONLY },
];

test("equals the size of the data, whatever its content and compression [OR-325]", () => {
  const texts = fc.array(fc.constantFrom("rain", "harvest ", "\n", "0 0 Td (a) Tj "), { maxLength: 3_000 });
  const data = fc.oneof(
    texts.map((words) => Buffer.from(words.join(""))),
    fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(100_000).map((size) => Buffer.alloc(size)),
  );
  fc.assert(
    fc.property(data, fc.constantFrom(...packings), fc.uint8Array({ maxLength: 20 }), (plain, packing, after) => {
      const packed = Buffer.concat([Buffer.from("before"), deflateRawSync(plain, packing), after]);
      const { size, read } = measured(packed, "before".length);
      expect(size).toBe(plain.length);
      expect(read).toBeLessThanOrEqual(packed.length - "before".length - after.length + 2);
    }),
    runs,
  );
});

test("stops soon after the limit, and at the end of truncated data", () => {
  const packed = deflateRawSync(Buffer.alloc(10_000_000));
  expect(measured(packed, 0, { size: 1_000 }).size).toBeLessThan(1_000 + 259);
  expect(measured(packed, 0, { size: 1_000 }).size).toBeGreaterThan(1_000);
  expect(measured(packed.subarray(0, 1_000), 0).size).toBeLessThan(10_000_000);
});

test("is a number for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      expect(measured(bytes, 0, { size: 1_000_000 }).size).toBeGreaterThanOrEqual(0);
    }),
    runs,
  );
});

test("reads no more of the packed data than its limit", () => {
  const packed = deflateRawSync(randomBytes(10_000).toString("hex"));
  const { size, read } = measured(packed, 0, { read: 1_000 });
  expect(read).toBeLessThanOrEqual(1_004);
  expect(size).toBeLessThan(4_000);
});

test("is infinite for an oversubscribed code, which each reader decodes differently", () => {
  // The header of a final block with dynamic codes (1, 01) and the smallest tables, whose four lengths (100) are all one bit.
  const bytes = Uint8Array.of(0x5, 0x0, 0x92, 0x4, 0x0);
  expect(measured(bytes, 0).size).toBe(Infinity);
});
