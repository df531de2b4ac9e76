/**
 * Mapping of requests beyond the vectors. Where other gateways differ: unknown names are ignored (Envoy and Vanguard
 * refuse them), the first of two values wins (Vanguard refuses the second), `name[]` is `name` (grpc-gateway adds an
 * empty item), leading zeros are decimal and base64 needs no padding (grpc-gateway: octal, padding).
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTranscoder, type Call } from "../../../../test/support/query-gateway/transcoded-calls.ts";
import { fixtureImage, ixoImage } from "../../../../test/support/query-gateway/gateway-fixture.ts";
import { defaultLimits } from "../limits.ts";
import { parseQuery } from "./query.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const { call, map } = createTranscoder(fixtureImage());
const bad: Call = { failure: "invalid_request" };
const rare = (request: object): Call => ({ rpc: "Rarely", request });
const get = (more: object): Call => ({ rpc: "Get", request: { id: "x", ...more } });

describe("the query", () => {
  test.each([
    ["s32=-1&s64=-2&f32=3&f64=4&sf32=-5&sf64=-6", { s32: -1, s64: "-2", f32: 3, f64: "4", sf32: -5, sf64: "-6" }],
    ["maybe=", { maybe: "" }],
    ["res=RED&res=1&res[]=BLUE", { res: ["RED", "BLUE", "BLUE"] }],
    ["rby=AQ&rby=", { rby: ["AQ==", ""] }],
    ["mie[-1]=BLUE&mie[0x2]=0", { mie: { "-1": "BLUE", "2": "RED" } }],
    ["mbb[t]=F&mbb[0]=1", { mbb: { true: false, false: true } }],
    ["iv=7&uv=8&dv=NaN&sv=&byv=AQ", { iv: "7", uv: "8", dv: "NaN", sv: "", byv: "AQ==" }],
    ["iv.value=7", { iv: "7" }],
    ["left.a=q&left.sub.a=r", { left: { a: "q", sub: { a: "r" } } }],
    ["right=BLUE", { right: "BLUE" }],
    ["middle=x", { middle: "x" }],
    ["st.nope=1&nope.st=1&nope[k]=1&res[k", {}],
    ["=1", {}],
  ])("%s", (query, request) => {
    expect(call(`/more/rare?${query}`)).toEqual(query.startsWith("st.") ? bad : rare(request));
  });

  test.each([
    "left.a=q&right=BLUE",
    "right=BLUE&left.a=q",
    "middle=x&left.sub.a=q",
    "left=x",
    "ms[k]=v",
    "st=1",
    "va=1",
    "rts=2026-01-02T03:04:05Z",
    "mie[x]=RED",
    "mie[1]=2",
    "mbb[yes]=true",
    "mie=1",
    "mie[]=1",
    "s32[]=1",
    "s32[k]=1",
    "res[k]=RED",
    "res=GREEN",
    "s32.a=1",
    "res.a=1",
    "st.fields=1",
    "va.string_value=x",
    "iv.value.x=1",
    "mie[1]=0&mie[1]=0",
    "rts.seconds=1",
    "ms.k=v",
    "byv=A",
    "iv=null",
  ])("refuses %s", (query) => {
    expect(call(`/more/rare?${query}`)).toEqual(bad);
  });

  test("uses the first of two values without reading the second, by either name", () => {
    expect(call("/t/x?i32=1&i32=x")).toEqual(get({ i32: 1 }));
    expect(call("/t/x?ts=null&ts=2026-01-02T03:04:05Z")).toEqual(get({}));
  });

  test("treats __proto__ as an ordinary key", () => {
    const answer = call("/t/x?m[__proto__]=v") as { request: { m: object } };
    expect(Object.entries(answer.request.m)).toEqual([["__proto__", "v"]]);
    expect(call("/t/x?__proto__=v&constructor.name=v&sub.__proto__=v")).toEqual(get({}));
  });

  test("does not change fields that path and body set, including subfields [QG-19]", () => {
    expect(call("/n/q?sub.a=z&sub.sub.a=r")).toEqual({ rpc: "Nested", request: { sub: { a: "q", sub: { a: "r" } } } });
    expect(call("POST /post/x?sub.sub.a=z&id=y", '{"a":"q"}')).toEqual({
      rpc: "PostSub",
      request: { id: "x", sub: { a: "q" } },
    });
  });

  test("has a maximum depth [QG-21]", () => {
    const name = (levels: number) => `${"sub.".repeat(levels - 1)}a`;
    expect(call(`/t/x?${name(defaultLimits.nesting)}=q`)).toMatchObject({ rpc: "Get" });
    expect(call(`/t/x?${name(defaultLimits.nesting + 1)}=q`)).toEqual(bad);
    expect(call(`/t/x?${".".repeat(100)}=q`)).toEqual(bad);
  });

  test("has a maximum number of parameters [QG-16]", () => {
    const many = (count: number) => `/t/x?${Array.from({ length: count }, (_, index) => `rs=${index}`).join("&")}`;
    expect(call(many(defaultLimits.queryParams))).toMatchObject({ rpc: "Get" });
    expect(call(many(defaultLimits.queryParams + 1))).toEqual({ failure: "uri_too_long" });
  });

  test("a limit at the page limit stays, one above is lowered, a missing one stays missing [QG-29]", () => {
    const ixo = createTranscoder(ixoImage());
    const limitOf = (query: string) => ixo.call(`/ixo/entity${query}`);
    const page = (limit: string): Call => ({ rpc: "EntityList", request: { pagination: { limit } } });
    expect(limitOf("?pagination.limit=1000")).toEqual(page("1000"));
    expect(limitOf("?pagination.limit=1001")).toEqual(page("1000"));
    expect(limitOf("?pagination.reverse=true")).toEqual({
      rpc: "EntityList",
      request: { pagination: { reverse: true } },
    });
  });

  test("never throws for any names and values", () => {
    const name = fc.oneof(
      fc.constantFrom(
        "i32",
        "rs",
        "m[a]",
        "m",
        "sub",
        "sub.a",
        "sub.sub",
        "oa",
        "ob",
        "any",
        "any.type_url",
        "any.value",
        "ts",
        "ts.seconds",
      ),
      fc.constantFrom(
        "ts.nanos",
        "du",
        "du.nanos",
        "bv",
        "bv.value",
        "fm",
        "fm.paths",
        "subs",
        "f",
        "by",
        "e",
        "rs[]",
        "ri[]",
        "m[",
        "[]",
        ".",
      ),
      fc.string(),
    );
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom("1", "-1", "null", "true", "BLUE", "1s", "", "99999999999999999999"),
    );
    const pairs = fc.array(fc.tuple(name, value), { maxLength: 5 });
    fc.assert(
      fc.property(pairs, (each) => {
        const query = each.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
        const mapped = map(`/t/x?${query}`);
        expect(mapped.ok || mapped.error.code === "invalid_request").toBe(true);
      }),
      { numRuns: numRuns * 5 },
    );
  });
});

describe("the path", () => {
  test("wins over the body", () => {
    expect(call("PUT /more/list/x", "[]")).toEqual({ rpc: "List", request: { id: "x" } });
    const file = call("PUT /more/raw/x", "hello", "text/plain");
    expect(file).toEqual({
      rpc: "Exchange",
      request: { id: "x", content: { content_type: "text/plain", data: "aGVsbG8=" } },
    });
  });

  test("contains values of several segments", () => {
    const shelf = call("DELETE /more/shelves/1%2F2/books/3");
    expect(shelf).toEqual({ rpc: "Shelf", request: { parent: "shelves/1/2/books/3" } });
  });

  test("refuses an invalid item of a list", () => {
    expect(call("/bytes/A")).toEqual(bad);
    expect(call("/bytes/!")).toEqual(bad);
  });

  test("serves custom methods", () => {
    expect(call("PURGE /more/purge/x")).toEqual({ rpc: "Purge", request: { id: "x" } });
    expect(call("LINK /more/any/x")).toEqual({ rpc: "Whatever", request: { id: "x" } });
    expect(call("GET /more/purge/x")).toEqual({ failure: "method_not_allowed", allow: "PURGE, OPTIONS" });
  });
});

const LIMIT = 100;

describe("a query [QG-20]", () => {
  test.each([
    ["", []],
    ["a=1&b=2", ["a=1", "b=2"]],
    ["&&a=1&", ["a=1"]],
    ["a", ["a="]],
    ["=v", ["=v"]],
    ["a=b=c", ["a=b=c"]],
    ["a+b=c+d", ["a b=c d"]],
    ["a%2Bb=%26%3D%3B", ["a+b=&=;"]],
    ["m[k]=v", ["m[k]=v"]],
    ["%C3%A9=%E2%82%AC", ["\u00e9=\u20ac"]],
    ["x=?/#", ["x=?/#"]],
  ])("%j", (raw, expected) => {
    const parsed = parseQuery(raw, LIMIT);
    expect(parsed.ok && parsed.value.map(({ name, value }) => `${name}=${value}`)).toEqual(expected);
  });

  test.each(["a=b;c", ";", "a=%zz", "a=%", "a=%2", "%ff=1", "a=%c3%28", "a=%ed%a0%80"])("refuses %j", (raw) => {
    expect(parseQuery(raw, LIMIT)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  });

  test("never throws, and decodes what was encoded", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 20 }), fc.string({ unit: "binary" }), (pairs, noise) => {
        expect(parseQuery(noise, LIMIT).ok).toBeTypeOf("boolean");
        const raw = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
        const expected = pairs.map(([name, value]) => ({ name, value }));
        expect(parseQuery(raw, LIMIT)).toEqual({ ok: true, value: expected });
      }),
      { numRuns },
    );
  });
});
