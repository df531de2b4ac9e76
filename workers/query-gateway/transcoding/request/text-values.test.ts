/** Text to scalar values, with cases modelled on other gateways' suites. */
import { ScalarType, toJson } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixtureImage } from "../../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema } from "../../descriptors/schema.ts";
import { enumFromText, scalarFromText, type ScalarValue, messageFromText, readsFromText } from "./text-values.ts";

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

  test("reads back what it wrote", () => {
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

  test("reads long nonsense without backtracking", () => {
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

const { registry } = loadSchema(fixtureImage());

/** As protobuf prints the message; `null` for unset, `undefined` for refused. */
function readMessage(name: string, text: string) {
  const type = registry.getMessage(`google.protobuf.${name}`);
  const message = type && messageFromText(type, text);
  return message ? toJson(message.desc, message.message) : message;
}

describe("a message's text", () => {
  test.each([
    ["Timestamp", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
    ["Timestamp", "2026-01-02T03:04:05.000000001Z", "2026-01-02T03:04:05.000000001Z"],
    ["Timestamp", "2024-02-29T23:30:00-01:30", "2024-03-01T01:00:00Z"],
    ["Timestamp", "1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"],
    ["Timestamp", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["Timestamp", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    ["Timestamp", "null", null],
    ["Duration", "3600s", "3600s"],
    ["Duration", "0", "0s"],
    ["Duration", "-0.5s", "-0.500s"],
    ["Duration", "150ms", "0.150s"],
    ["Duration", "1h2m3.5s", "3723.500s"],
    ["Duration", "1.5h", "5400s"],
    ["Duration", "1us2ns", "0.000001002s"],
    ["Duration", "1\u00b5s", "0.000001s"],
    ["Duration", "315576000000s", "315576000000s"],
    ["Duration", "null", null],
    ["BoolValue", "true", true],
    ["BoolValue", "false", false],
    ["Int64Value", "0x10", "16"],
    ["UInt64Value", "18446744073709551615", "18446744073709551615"],
    ["Int32Value", "-1", -1],
    ["UInt32Value", "1", 1],
    ["DoubleValue", "1e3", 1000],
    ["FloatValue", "0.5", 0.5],
    ["StringValue", "null", "null"],
    ["BytesValue", "AQI-_w", "AQI+/w=="],
    ["FieldMask", "a,,b.c", "a,b.c"],
    ["FieldMask", "", ""],
  ])("%s %j", (name, text, value) => {
    expect(readMessage(name, text)).toEqual(value);
  });

  test.each([
    "",
    "x",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:60Z",
    "2026-01-01t00:00:00z",
    "0000-12-31T23:59:59Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.1234567890Z",
    "9999-12-31T23:59:59-00:01",
    "2026-00-01T00:00:00Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+00:60",
    "NULL",
  ])("refuses as Timestamp: %j", (text) => {
    expect(readMessage("Timestamp", text)).toBeUndefined();
  });

  test.each([
    "",
    "s",
    "3",
    "3.5",
    "1d",
    "1h-2m",
    "s1",
    "+",
    "1.2.3s",
    "315576000000.1s",
    "1e3s",
    `${"1".repeat(16_000)}x`,
  ])("refuses as Duration: %j", (text) => {
    expect(readMessage("Duration", text)).toBeUndefined();
  });

  test.each([
    ["BoolValue", "1"],
    ["Int32Value", "2147483648"],
    ["BytesValue", "A"],
    ["Struct", "{}"],
    ["Any", "{}"],
    ["Value", "1"],
  ])("%s refuses %j", (name, text) => {
    expect(readMessage(name, text)).toBeUndefined();
  });

  test("types without a text form are known at build", () => {
    const names = ["Timestamp", "StringValue", "FieldMask", "Struct", "Any"];
    const types = names.flatMap((name) => registry.getMessage(`google.protobuf.${name}`) ?? []);
    expect(types.map(readsFromText)).toEqual([true, true, true, false, false]);
  });
});
