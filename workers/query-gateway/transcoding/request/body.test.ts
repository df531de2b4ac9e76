/** Bodies of requests beyond the vectors. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTranscoder, type Call } from "../../../../test/support/query-gateway/transcoded-calls.ts";
import { fixtureImage } from "../../../../test/support/query-gateway/gateway-fixture.ts";
import { defaultLimits } from "../limits.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const { call, map } = createTranscoder(fixtureImage());
const bad: Call = { failure: "invalid_request" };
const get = (more: object): Call => ({ rpc: "Get", request: { id: "x", ...more } });

const post = (body: string | Uint8Array) => call("POST /post", body);
const posted = (request: object): Call => ({ rpc: "Post", request });

test.each([
  ['{"i64":9007199254740993}', { i64: "9007199254740993" }],
  ['{"u64":18446744073709551615,"d":12345678901234567}', { u64: "18446744073709551615", d: 12345678901234568 }],
  ['{"camelCase":"x","sub":{"nope":{"a":1},"a":"q"},"nope":[{}]}', { camelCase: "x", sub: { a: "q" } }],
  [
    '{"subs":[{"a":"1","z":2}],"m":{"k":"v"},"bv":true,"du":"1.5s"}',
    { subs: [{ a: "1" }], m: { k: "v" }, bv: true, du: "1.500s" },
  ],
  ['{"e":"BLUE","by":"AQI-_w","ri":[1,"2"]}', { e: "BLUE", by: "AQI+/w==", ri: [1, 2] }],
  ['{"e":1,"i32":null,"rs":null,"sub":null}', { e: "BLUE" }],
  ["\ufeff{}", {}],
  [" \n", {}],
])("%s", (body, request) => {
  expect(post(body)).toEqual(posted(request));
});

test.each([
  "{bad",
  "[]",
  "1",
  "null",
  '"x"',
  "{} x",
  '{"e":"GREEN"}',
  '{"e":"blue"}',
  '{"i32":2147483648}',
  '{"i32":1.5}',
  '{"u64":-1}',
  '{"u64":18446744073709551616}',
  '{"rs":"a"}',
  '{"rs":[null]}',
  '{"sub":[]}',
  '{"m":[]}',
  '{"oa":"1","ob":"2"}',
  '{"ts":"x"}',
  '{"any":{"@type":"/nope.Nope"}}',
  '{"sub":{"a":1}}',
])("refused: %s", (body) => {
  expect(post(body)).toEqual(bad);
});

test("must be UTF-8", () => {
  expect(post(Uint8Array.from([0x7b, 0xff, 0x7d]))).toEqual(bad);
});

test("has a maximum nesting, and a hostile one is harmless [QG-34]", () => {
  const nested = (levels: number) => `${'{"sub":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  expect(post(nested(defaultLimits.nesting))).toMatchObject({ rpc: "Post" });
  expect(post(nested(defaultLimits.nesting + 1))).toEqual(bad);
  expect(post("[".repeat(500_000))).toEqual(bad);
  expect(post(`${"[".repeat(200_000)}1234567890123456789${"]".repeat(200_000)}`)).toEqual(bad);
});

test("contains an Any of a known type, including unknown members", () => {
  expect(post('{"any":{"@type":"/gwtest.v1.Sub","a":"q","zzz":1}}')).toMatchObject({ request: { any: { a: "q" } } });
  expect(post('{"any":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"}}')).toMatchObject({
    request: { any: { value: "3s" } },
  });
});

test.each([
  "/gwtest.v1.Sub",
  "gwtest.v1.Sub",
  "type.googleapis.com/gwtest.v1.Sub",
  "https://types.example/a/b/gwtest.v1.Sub",
])("an Any keeps its type URL: %s [QG-35]", (url) => {
  const mapped = map("POST /post", JSON.stringify({ any: { "@type": url, a: "q" } }));
  expect(mapped.ok && mapped.value.message).toMatchObject({
    any: { typeUrl: url, value: Uint8Array.from([0x0a, 1, 0x71]) },
  });
});

test("a nested Any keeps its own type URL, and an Any without a message is empty", () => {
  const inner = { "@type": "/gwtest.v1.All", any: { "@type": "/gwtest.v1.Sub", a: "q" } };
  expect(call("POST /post", JSON.stringify({ any: inner }))).toEqual(posted({ any: inner }));
  expect(post('{"any":{}}')).toEqual(posted({ any: {} }));
  expect(post('{"any":null}')).toEqual(posted({}));
  for (const wrong of ['{"@type":""}', '{"@type":5}', '{"a":"q"}', "[]", '"x"', '{"@type":"/gwtest.v1.Sub","a":1}'])
    expect(post(`{"any":${wrong}}`)).toEqual(bad);
});

test("keeps JSON values unchanged, except numbers that cannot be represented", () => {
  const body = '{"st":{"n":12345678901234567,"t":"1234567890123456789"},"va":[1],"iv":9007199254740993,"uv":"1"}';
  expect(call("POST /more/rare", body)).toEqual({
    rpc: "Rarely",
    request: { st: { n: 12345678901234568, t: "1234567890123456789" }, va: [1], iv: "9007199254740993", uv: "1" },
  });
});

test("can be a list", () => {
  expect(call("PUT /more/list/x?i32=1&subs.a=z", '[{"a":"1"},{"z":2}]')).toEqual({
    rpc: "List",
    request: { id: "x", i32: 1, subs: [{ a: "1" }, {}] },
  });
  expect(call("PUT /more/list/x", "{}")).toEqual(bad);
});

test("is raw for an HttpBody [QG-58]", () => {
  expect(call("POST /more/raw", Uint8Array.from([0, 255]), "image/png")).toEqual({
    rpc: "Upload",
    request: { content_type: "image/png", data: "AP8=" },
  });
  expect(call("POST /more/raw", "")).toEqual({ rpc: "Upload", request: {} });
});

test("is ignored if the rule has none [QG-31]", () => {
  expect(call("GET /t/x?i32=1", '{"i32":2}')).toEqual(get({ i32: 1 }));
  expect(call("GET /t/x", "{bad")).toEqual(get({}));
});

test("never throws for any JSON", () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.dictionary(
        fc.constantFrom("id", "sub", "m", "any", "ts", "du", "by", "e", "subs", "oa", "fm"),
        fc.jsonValue(),
      ),
      (text, members) => {
        for (const body of [text, JSON.stringify(members)]) {
          const mapped = map("POST /post", body);
          expect(mapped.ok || mapped.error.code === "invalid_request").toBe(true);
        }
      },
    ),
    { numRuns },
  );
});
