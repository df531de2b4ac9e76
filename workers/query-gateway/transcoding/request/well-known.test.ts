import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { fixtureImage } from "../../../../test/support/gateway-fixture.ts";
import { loadSchema } from "../../descriptors/schema.ts";
import { messageFromText, readsFromText } from "./text-values.ts";

const { registry } = loadSchema(fixtureImage());

/** As protobuf prints the message; `null` for unset, `undefined` for refused. */
function read(name: string, text: string) {
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
    expect(read(name, text)).toEqual(value);
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
  ])("no Timestamp: %j", (text) => {
    expect(read("Timestamp", text)).toBeUndefined();
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
  ])("no Duration: %j", (text) => {
    expect(read("Duration", text)).toBeUndefined();
  });

  test.each([
    ["BoolValue", "1"],
    ["Int32Value", "2147483648"],
    ["BytesValue", "A"],
    ["Struct", "{}"],
    ["Any", "{}"],
    ["Value", "1"],
  ])("%s refuses %j", (name, text) => {
    expect(read(name, text)).toBeUndefined();
  });

  test("types without a text are known at build", () => {
    const names = ["Timestamp", "StringValue", "FieldMask", "Struct", "Any"];
    const types = names.flatMap((name) => registry.getMessage(`google.protobuf.${name}`) ?? []);
    expect(types.map(readsFromText)).toEqual([true, true, true, false, false]);
  });
});
