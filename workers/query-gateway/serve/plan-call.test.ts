import { expect, test } from "vitest";
import { reportedHeight } from "../upstream/upstream.ts";
import { readHeight, readTimeout } from "./plan-call.ts";

const height = (headers: Record<string, string>) => {
  const read = readHeight(new Headers(headers));
  return read.ok ? read.value : read.error.code;
};

test("V91: a height is a non-negative int64 in digits; 0 and absent mean the latest [QG-36]", () => {
  const bare = (text: string) => height({ "x-cosmos-block-height": text });
  expect(["42", "0042", "9223372036854775807"].map(bare)).toEqual([42n, 42n, 2n ** 63n - 1n]);
  expect([bare("0"), bare("000"), height({})]).toEqual([undefined, undefined, undefined]);
  const bad = ["-1", "abc", "1.0", "+1", "0x1", "1e3", "9223372036854775808", "1, 2", "1".repeat(20)];
  expect(bad.map(bare)).toEqual(bad.map(() => "invalid_request"));
});

test("the bare height wins over the prefixed one", () => {
  const prefixed = { "Grpc-Metadata-X-Cosmos-Block-Height": "7" };
  expect(height(prefixed)).toBe(7n);
  expect(height({ ...prefixed, "x-cosmos-block-height": "8" })).toBe(8n);
});

const timeout = (text: string, most = 10_000) => {
  const read = readTimeout(new Headers({ "Grpc-Timeout": text }), most);
  return read.ok ? read.value : read.error.code;
};

test("V89, V90: a timeout lowers the deadline and never raises it [QG-39]", () => {
  expect(["50m", "1S", "2M", "1H", "99999999H", "1500u", "0m"].map((text) => timeout(text))).toEqual([
    50, 1000, 10_000, 10_000, 10_000, 1.5, 0,
  ]);
  expect(timeout("500000n")).toBeCloseTo(0.5);
  const bad = ["zz", "", "m", "50", "50s", "-5m", "1.5S", "123456789m", "50 m", "5mm", "constructor"];
  expect(bad.map((text) => timeout(text))).toEqual(bad.map(() => "invalid_request"));
  expect(readTimeout(new Headers(), 1234)).toEqual({ ok: true, value: 1234 });
});

test("a node's height may occur twice, or not at all", () => {
  expect([
    reportedHeight("7"),
    reportedHeight("7, 7"),
    reportedHeight("0"),
    reportedHeight(""),
    reportedHeight("x"),
    reportedHeight(null),
  ]).toEqual([7n, 7n, undefined, undefined, undefined, undefined]);
});
