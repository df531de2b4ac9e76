import { expect, test } from "vitest";
import { readErrorBody } from "./error-body.ts";

const none = { sentence: undefined, code: undefined, requestId: undefined, retryAfterMs: undefined };

test.each([
  [
    "problem+json",
    '{"title":"Conflict","detail":"Taken.","code":"conflict"}',
    { sentence: "Taken.", code: "conflict" },
  ],
  [
    "the oracle's JSON",
    '{"message":"Wait.","error":"Too Many Requests","code":"busy","requestId":"r","retryAfterMs":2500}',
    { sentence: "Wait.", code: "busy", requestId: "r", retryAfterMs: 2_500 },
  ],
  ["a gRPC status", '{"code":5,"message":"not found","details":[]}', { sentence: "not found" }],
  ["a reason phrase", '{"error":"Bad Gateway","message":""}', { sentence: "Bad Gateway" }],
  ["a page", "<html>", {}],
  ["a list", '["a"]', {}],
  ["nothing", "", {}],
])("reads sentence, code and wait of %s", (_, text, facts) => {
  expect(readErrorBody(text, new Headers())).toMatchObject({ ...none, ...facts });
});

test("headers supply what the body omits; Retry-After has seconds or a date", () => {
  const waitOf = (value: string) => readErrorBody("", new Headers({ "Retry-After": value })).retryAfterMs;
  expect(readErrorBody("{}", new Headers({ "X-Request-Id": "r" })).requestId).toBe("r");
  expect([waitOf("3"), waitOf("soon"), waitOf("Thu, 01 Jan 1970 00:00:00 GMT")]).toEqual([3_000, undefined, 0]);
  expect(waitOf(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(50_000);
});
