import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bitsOf, fromBits, shortestFloat } from "../../../test/support/query-gateway/shortest-float.ts";
import { bigInteger, rawJson, scaledDecimal, upperHex, double, float, quoteJson } from "./scalars.ts";
import { duration, timestamp } from "./well-known.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ['"\\', String.raw`"\"\\"`],
  ["\n\r\t", String.raw`"\n\r\t"`],
  ["\b\f\u0000\u001f", String.raw`"\u0008\u000c\u0000\u001f"`],
  // A backslash before a b is not an escape of a backspace.
  [String.raw`\b<`, String.raw`"\\b\u003c"`],
  ["\u2028\u2029", String.raw`"\u2028\u2029"`],
  ["\u007fé\u{1F600}\uffff", '"\u007fé\u{1F600}\uffff"'],
])("text %j", (text, json) => {
  expect(quoteJson(text)).toBe(json);
});

test("any text parses back, and contains nothing that markup interprets", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = quoteJson(text);
      expect(JSON.parse(json)).toBe(text);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
    }),
    { numRuns },
  );
});

test.each([
  [0, "0"],
  [-0, "-0"],
  [1e20, "100000000000000000000"],
  [1e21, "1e+21"],
  [1e-6, "0.000001"],
  [1.5e-7, "1.5e-7"],
  [Number.NaN, '"NaN"'],
  [-Infinity, '"-Infinity"'],
])("double %j", (value, json) => {
  expect(double(value)).toBe(json);
});

test.each([
  [0.1, "0.1"],
  [16_777_216, "16777216"],
  [3.4028234663852886e38, "3.4028235e+38"],
  [Infinity, '"Infinity"'],
])("float %j", (value, json) => {
  expect(float(Math.fround(value))).toBe(json);
});

test("a float reads back as itself", () => {
  fc.assert(
    fc.property(fc.float({ noDefaultInfinity: true, noNaN: true }), (value) => {
      expect(Math.fround(Number(float(value)))).toBe(value);
    }),
    { numRuns },
  );
});

test("scaled decimals: the digits of the integer, the point 18 from the end", () => {
  fc.assert(
    fc.property(fc.bigInt(), (scaled) => {
      const text = JSON.parse(scaledDecimal(`${scaled}`)) as string;
      expect(text).toMatch(/^-?(0|[1-9]\d*)\.\d{18}$/);
      expect(BigInt(text.replace(".", ""))).toBe(scaled);
    }),
    { numRuns },
  );
});

test("a text that is not an integer is printed unchanged", () => {
  expect(scaledDecimal("0.5")).toBe('"0.5"');
  expect(scaledDecimal("1<2")).toBe(String.raw`"1\u003c2"`);
  expect(bigInteger("")).toBe('"0"');
  expect(bigInteger("-5")).toBe('"-5"');
});

test("hex", () => {
  expect(upperHex(Uint8Array.of(0, 0x0a, 0xff))).toBe('"000AFF"');
});

test.each([
  [' { "a" : [ 1.0 , 12345678901234567890 ] } ', '{"a":[1.0,12345678901234567890]}'],
  [String.raw`{"a":"x y\"<\b"}`, String.raw`{"a":"x y\"\u003c\b"}`],
  ["5", "5"],
])("JSON in bytes %j", (text, json) => {
  expect(rawJson(utf8(text))).toBe(json);
});

test.each([
  ["not JSON", utf8("{"), '"ew=="'],
  ["blank", utf8(" "), '"IA=="'],
  ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), '"Iv8i"'],
  ["a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, 0x31), '"77u/MQ=="'],
])("bytes that are not JSON, %s: base64", (_, bytes, json) => {
  expect(rawJson(bytes)).toBe(json);
});

test("JSON in bytes is unchanged in value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(rawJson(utf8(text))).toBe(rawJson(utf8(JSON.stringify(value))));
      expect(JSON.parse(rawJson(utf8(text)))).toEqual(JSON.parse(text));
    }),
    { numRuns },
  );
});

test("handles a long string in it quickly", () => {
  const text = JSON.stringify("\\ ".repeat(500_000));
  expect(rawJson(utf8(text))).toBe(text);
});

test("dates equal those of the platform", () => {
  // From year 1 to year 9999.
  fc.assert(
    fc.property(fc.bigInt(-62_135_596_800n, 253_402_300_799n), (seconds) => {
      const expected = new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
      expect(timestamp({ seconds, nanos: 0 })).toBe(`"${expected}"`);
    }),
    { numRuns: numRuns * 10 },
  );
});

test.each([
  [-62_135_596_801n, '"0000-12-31T23:59:59Z"'],
  [-62_167_219_201n, '"-0001-12-31T23:59:59Z"'],
  [253_402_300_800n, '"10000-01-01T00:00:00Z"'],
  [951_782_400n, '"2000-02-29T00:00:00Z"'],
  [-2_203_977_600n, '"1900-02-28T00:00:00Z"'],
  [BigInt(Number.MAX_SAFE_INTEGER) + 1n, undefined],
])("second %s", (seconds, json) => {
  expect(timestamp({ seconds, nanos: 0 })).toBe(json);
});

test.each([
  [{ seconds: 0n, nanos: 1_000_000_000 }, undefined],
  [{ seconds: 0n, nanos: 999_999_999 }, '"1970-01-01T00:00:00.999999999Z"'],
  [{ seconds: -1n, nanos: 10_000_000 }, '"1969-12-31T23:59:59.010Z"'],
])("fraction of a second in %o", (time, json) => {
  expect(timestamp(time)).toBe(json);
});

test.each([
  [{ seconds: -1n, nanos: -1 }, '"-1.000000001s"'],
  [{ seconds: 0n, nanos: 0 }, '"0s"'],
  [{ seconds: 1n, nanos: -1 }, undefined],
  [{ seconds: 0n, nanos: 1_000_000_000 }, undefined],
])("duration of %o", (time, json) => {
  expect(duration(time)).toBe(json);
});

test.each([
  // Measured with Go.
  [447896.125, "447896.12"],
  [0.1, "0.1"],
  [16777216, "16777216"],
  [1.17549435e-38, "1.1754944e-38"],
  [1.4e-45, "1e-45"],
  [3.4028235e38, "3.4028235e+38"],
  [1e21, "1e+21"],
  [1e20, "100000000000000000000"],
  [1e-6, "0.000001"],
  [1e-7, "1e-7"],
  [8388608.5, "8388608"],
  [-447896.125, "-447896.12"],
  [9.5, "9.5"],
])("%d prints as %s", (value, text) => {
  expect(float(Math.fround(value))).toBe(text);
});

test("any number, including neighbours of powers of two", () => {
  const bits = fc.oneof(
    fc.integer({ min: 1, max: 0x7f7fffff }),
    fc
      .integer({ min: 1, max: 254 })
      .chain((exponent) => fc.integer({ min: -2, max: 2 }).map((by) => (exponent << 23) + by)),
    // Numbers with few fractional bits are the ties.
    fc
      .integer({ min: 1, max: 0xffffff })
      .chain((whole) => fc.integer({ min: -6, max: 0 }).map((by) => bitsOf(whole * 2 ** by))),
  );
  fc.assert(
    fc.property(bits, (each) => {
      expect([each, Number(float(fromBits(each)))]).toEqual([each, shortestFloat(each)]);
    }),
    { numRuns: 20 * Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});
