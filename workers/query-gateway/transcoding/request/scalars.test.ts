/** Text to scalar values, after the cases of other gateways' suites. */
import { ScalarType } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixtureImage } from "../../../../test/support/gateway-fixture.ts";
import { loadSchema } from "../../descriptors/schema.ts";
import { enumFromText, scalarFromText, type ScalarValue } from "./text-values.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const { INT32, INT64, UINT32, UINT64, SINT32, SFIXED64, FIXED32, FIXED64, BOOL, FLOAT, DOUBLE, STRING, BYTES } =
  ScalarType;

const bytes = (...values: number[]) => Uint8Array.from(values);

const read: readonly (readonly [type: ScalarType, text: string, value: ScalarValue])[] = [
  [INT32, "-2147483648", -2147483648],
  [INT32, "2147483647", 2147483647],
  [INT32, "-0", 0],
  [INT32, "+0x7F", 127],
  [INT32, "-0b1_01", -5],
  [INT32, "0o17", 15],
  [INT32, "0X_ff", 255],
  [SINT32, "-7", -7],
  [UINT32, "4294967295", 4294967295],
  [FIXED32, "0010", 10],
  [INT64, "-9223372036854775808", -9223372036854775808n],
  [INT64, "9223372036854775807", 9223372036854775807n],
  [SFIXED64, "1_000_000", 1000000n],
  [UINT64, "18446744073709551615", 18446744073709551615n],
  [FIXED64, "0", 0n],
  [DOUBLE, "-1.5e-3", -0.0015],
  [DOUBLE, ".5", 0.5],
  [DOUBLE, "5.", 5],
  [DOUBLE, "+1E2", 100],
  [DOUBLE, "NaN", Number.NaN],
  [DOUBLE, "+Inf", Infinity],
  [DOUBLE, "-Infinity", -Infinity],
  [DOUBLE, "1.7976931348623157e308", Number.MAX_VALUE],
  [FLOAT, "Inf", Infinity],
  [FLOAT, "0.1", Math.fround(0.1)],
  [FLOAT, "3.4028234663852886e38", 3.4028234663852886e38],
  [STRING, "", ""],
  [STRING, "a b", "a b"],
  [BYTES, "", bytes()],
  [BYTES, "AQI=", bytes(1, 2)],
  [BYTES, "AQI", bytes(1, 2)],
  [BYTES, "-_8", bytes(0xfb, 0xff)],
  [BYTES, "+/8=", bytes(0xfb, 0xff)],
  [BYTES, " /8=", bytes(0xfb, 0xff)],
];

const integers = [
  "",
  " ",
  "+",
  "-",
  "5.0",
  "1e3",
  "x",
  "1_",
  "_1",
  "1__0",
  "0x",
  "0xg",
  "0b2",
  "0o8",
  "--1",
  "1 ",
  "\u0661",
];
const refused: readonly (readonly [type: ScalarType, text: string])[] = [
  ...[INT32, UINT64].flatMap((type) => integers.map((text) => [type, text] as const)),
  [INT32, "2147483648"],
  [INT32, "-2147483649"],
  [UINT32, "4294967296"],
  [UINT32, "-1"],
  [INT64, "9223372036854775808"],
  [INT64, "-9223372036854775809"],
  [UINT64, "18446744073709551616"],
  ...["", "x", "1e400", "-1e400", "0x1p3", "1_0", "nan", "infinity", "1e", ".", "1 "].map(
    (text) => [DOUBLE, text] as const,
  ),
  [FLOAT, "3.5e38"],
  ...["", "yes", "tRUE", "TRue", "01", "null", " true"].map((text) => [BOOL, text] as const),
  ...["A", "AAAAA", "!!", "A===", "AQ=", "AQI==", "=", "A=QI", "AQ\nI", "\u00e9"].map((text) => [BYTES, text] as const),
];

describe("a scalar's text", () => {
  test.each(read)("%i: %j", (type, text, value) => {
    expect(scalarFromText(type, text)).toEqual(value);
  });

  test.each(refused)("%i refuses %j", (type, text) => {
    expect(scalarFromText(type, text)).toBeUndefined();
  });

  test("a bool has twelve spellings", () => {
    expect(["1", "t", "T", "true", "TRUE", "True"].map((text) => scalarFromText(BOOL, text))).toEqual(
      Array(6).fill(true),
    );
    expect(["0", "f", "F", "false", "FALSE", "False"].map((text) => scalarFromText(BOOL, text))).toEqual(
      Array(6).fill(false),
    );
  });

  test("reads back what was written", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.double(),
        fc.uint8Array(),
        (int, double, raw) => {
          expect(scalarFromText(INT64, String(int))).toBe(int);
          expect(scalarFromText(DOUBLE, Object.is(double, -0) ? "-0" : String(double))).toBe(double);
          const base64 = Buffer.from(raw).toString("base64");
          for (const text of [
            base64,
            base64.replaceAll("=", ""),
            base64.replaceAll("+", " "),
            Buffer.from(raw).toString("base64url"),
          ])
            expect(scalarFromText(BYTES, text)).toEqual(raw);
        },
      ),
      { numRuns },
    );
  });

  test("takes long nonsense without going back over it", () => {
    const long = "1".repeat(16_000);
    for (const type of [INT64, DOUBLE, FLOAT, BYTES]) expect(scalarFromText(type, `${long}!`)).toBeUndefined();
  });
});

describe("an enum's text", () => {
  const role = loadSchema(fixtureImage()).registry.getEnum("gwtest.v1.E");

  test.each([
    ["RED", 0],
    ["BLUE", 1],
    ["0", 0],
    ["0x1", 1],
    ["2", undefined],
    ["blue", undefined],
    ["", undefined],
    ["99999999999", undefined],
  ])("%j", (text, number) => {
    expect(role && enumFromText(role, text)).toBe(number);
  });
});
