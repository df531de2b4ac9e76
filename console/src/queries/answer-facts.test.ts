/** The meaning of the gateway's headers and bodies, as its reference defines them. */
import { expect, test } from "vitest";
import { cacheFacts, nextKeyOf, rpcStatusOf, successionOf } from "./answer-facts.ts";
import { jsonOf } from "./ask-gateway.ts";

test.each([
  [{}, { state: "none", age: undefined, freshFor: undefined }],
  [{ "X-Gateway-Node": "n" }, { state: "node", age: undefined, freshFor: undefined }],
  [
    { "Cache-Status": "query-gateway; hit; ttl=6", Age: "4" },
    { state: "kept", age: 4, freshFor: 6 },
  ],
  [
    { "Cache-Status": "query-gateway; hit; ttl=-2", Age: "8" },
    { state: "stale", age: 8, freshFor: -2 },
  ],
  [
    { "Cache-Status": "query-gateway; fwd=stale; fwd-status=503; ttl=-59", Age: "65" },
    { state: "stale", age: 65, freshFor: -59 },
  ],
  [{ "Cache-Status": "query-gateway; fwd=miss; collapsed" }, { state: "shared", age: undefined, freshFor: undefined }],
])("the cache state of %j is %j [CN-158]", (headers, facts) => {
  expect(cacheFacts(new Headers(headers as Record<string, string>))).toEqual(facts);
});

test("the successor of a path is read with the day [CN-155]", () => {
  const headers = new Headers({
    Deprecation: "@1735689600",
    Link: `</ixo/claims/claim/5?a=b>; rel="successor-version"`,
  });
  expect(successionOf(headers)).toEqual({ target: "/ixo/claims/claim/5?a=b", since: Date.UTC(2025, 0, 1) });
  expect(successionOf(new Headers({ Deprecation: "@1" }))).toEqual({ target: undefined, since: 1000 });
  expect(successionOf(new Headers())).toBeUndefined();
});

test("a refusal is read as a gRPC status, and another body is not [CN-158]", () => {
  const json = { value: { code: 5, message: "not found", details: [] } };
  expect(rpcStatusOf({ status: 404, json })).toEqual({ code: 5, message: "not found" });
  expect(rpcStatusOf({ status: 200, json })).toBeUndefined();
  expect(rpcStatusOf({ status: 502, json: undefined })).toBeUndefined();
  expect(rpcStatusOf({ status: 404, json: { value: { code: "not_found" } } })).toBeUndefined();
});

test("there is a next page if there is a key for it [CN-158]", () => {
  expect(nextKeyOf({ json: { value: { pagination: { next_key: "AQI=" } } } })).toBe("AQI=");
  for (const value of [{ pagination: { next_key: null } }, { pagination: null }, {}, null, 7])
    expect(nextKeyOf({ json: { value } })).toBeUndefined();
});

test("a stream of lines is a list, and a non-JSON body is a text [CN-158]", () => {
  expect(jsonOf(`{"a":1}\n{"a":2}\n`, "application/x-ndjson")).toEqual({ value: [{ a: 1 }, { a: 2 }] });
  expect(jsonOf("null", "application/json")).toEqual({ value: null });
  expect(jsonOf("<html>", "text/html")).toBeUndefined();
});
