// The vectors of query parameters and bodies (docs/reference/query-gateway.md, test vectors); routes are in test/workers/query-gateway/vectors.test.ts.
import { describe, expect, test } from "vitest";
import { createTranscoder, type Call } from "../../../test/support/query-gateway/transcoded-calls.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { defaultLimits } from "./limits.ts";

type Vector = readonly [vector: string, line: string, call: Call, body?: string];

const ixo = createTranscoder(ixoImage());
const fixture = createTranscoder(fixtureImage());
const bad = { failure: "invalid_request" };

const list = (pagination: object) => ({ rpc: "EntityList", request: { pagination } });
const role = { rpc: "DisputeBySubject", request: { subjectId: "c1", targetRole: "DISPUTE_TARGET_ROLE_EVALUATOR" } };
const authenticator = (id: string) => ({
  rpc: "GetAuthenticator",
  request: { account: "ixo1a", authenticator_id: id },
});
const get = (more: object) => ({ rpc: "Get", request: { id: "x", ...more } });
const subject = "/ixo/claims/dispute-by-subject/c1";

const ixoVectors: readonly Vector[] = [
  ["V32 [QG-26]", `${subject}/DISPUTE_TARGET_ROLE_EVALUATOR`, role],
  ["V32 [QG-26]", `${subject}/2`, role],
  ["V33 [QG-26]", `${subject}/9`, bad],
  ["V33 [QG-26]", `${subject}/dispute_target_role_evaluator`, bad],
  ["V34 [QG-24]", "/ixo/smartaccount/authenticator/ixo1a/18446744073709551615", authenticator("18446744073709551615")],
  ["V35 [QG-24]", "/ixo/smartaccount/authenticator/ixo1a/18446744073709551616", bad],
  ["V35 [QG-24]", "/ixo/smartaccount/authenticator/ixo1a/-1", bad],
  ["V35 [QG-24]", "/ixo/smartaccount/authenticator/ixo1a/x", bad],
  [
    "V36 [QG-18, QG-59]",
    "/ixo/entity?pagination.limit=5&pagination.count_total=true",
    list({ limit: "5", count_total: true }),
  ],
  [
    "V36 [QG-18, QG-59]",
    "/ixo/entity?pagination.limit=5&pagination.countTotal=true",
    list({ limit: "5", count_total: true }),
  ],
  ["V37 [QG-27]", "/ixo/entity?pagination.key=AQI%2B%2Fw%3D%3D", list({ key: "AQI+/w==" })],
  ["V37 [QG-27]", "/ixo/entity?pagination.key=AQI+/w==", list({ key: "AQI+/w==" })],
  ["V37 [QG-27]", "/ixo/entity?pagination.key=AQI-_w", list({ key: "AQI+/w==" })],
  ["V38 [QG-27]", "/ixo/entity?pagination.key=A", bad],
  ["V38 [QG-27]", "/ixo/entity?pagination.key=!!", bad],
  ["V39 [QG-23]", "/ixo/entity?pagination=x", bad],
  ["V40 [QG-24]", "/ixo/entity?pagination.limit=", bad],
  ["V40 [QG-24]", "/ixo/entity?pagination.limit=5.0", bad],
  ["V40 [QG-24]", "/ixo/entity?pagination.limit=1e3", bad],
  ["V40 [QG-24]", "/ixo/entity?pagination.limit=-1", bad],
  ["V41 [QG-24]", "/ixo/entity?pagination.limit=%2B5", list({ limit: "5" })],
  ["V41 [QG-24]", "/ixo/entity?pagination.limit=0x10", list({ limit: "16" })],
  ["V41 [QG-24]", "/ixo/entity?pagination.limit=1_000", list({ limit: "1000" })],
  ["V41 [QG-24]", "/ixo/entity?pagination.limit=010", list({ limit: "10" })],
  ["V42 [QG-29]", "/ixo/entity?pagination.limit=99999", list({ limit: "1000" })],
  ["V43 [QG-21]", "/ixo/entity?nope=1&pagination.nope=2", { rpc: "EntityList", request: {} }],
];

const fixtureVectors: readonly Vector[] = [
  ["V23 [QG-10]", "/t/x:do", { rpc: "Do", request: { id: "x" } }],
  ["V23 [QG-10]", "/t/did:a:b:do", { rpc: "Do", request: { id: "did:a:b" } }],
  ["V23 [QG-10]", "/t/x%3Ado", { rpc: "Get", request: { id: "x:do" } }],
  ["V23 [QG-10]", "/t/x:other", { rpc: "Get", request: { id: "x:other" } }],
  ["V24 [QG-7]", "/deep/a/b/c%20d/tail", { rpc: "DeepTail", request: { id: "a/b/c d" } }],
  ["V25 [QG-6]", "/deep/tail", { rpc: "DeepTail", request: {} }],
  ["V26 [QG-7]", "/deep/a%2Fb/tail", { rpc: "DeepTail", request: { id: "a/b" } }],
  ["V27 [QG-6]", "/deep/a/tail/b", { rpc: "Deep", request: { id: "a/tail/b" } }],
  ["V28 [QG-22]", "/rep/1,2,3/x", { rpc: "Repeated", request: { rs: ["1", "2", "3"] } }],
  ["V29 [QG-19]", "/n/q", { rpc: "Nested", request: { sub: { a: "q" } } }],
  ["V30 [QG-1]", "/alt/q", { rpc: "Get", request: { id: "q" } }],
  ["V31 [QG-27]", "/bytes/AQI-_w", { rpc: "Bytes", request: { by: "AQI+/w==" } }],
  ["V31 [QG-27]", "/bytes/AQI+%2Fw==", { rpc: "Bytes", request: { by: "AQI+/w==" } }],
  ["V44 [QG-19]", "/t/x?id=y", get({})],
  ["V45 [QG-22]", "/t/x?rs=a&rs=b,c", get({ rs: ["a", "b,c"] })],
  ["V45 [QG-22]", "/t/x?rs[]=a&rs[]=b", get({ rs: ["a", "b"] })],
  ["V46 [QG-23]", "/t/x?i32=1&i32=2", get({ i32: 1 })],
  ["V47 [QG-24]", "/t/x?i32=2147483648", bad],
  ["V47 [QG-24]", "/t/x?u32=-1", bad],
  ["V48 [QG-23]", "/t/x?oa=1&ob=2", bad],
  ["V49 [QG-22]", "/t/x?m[k]=v", get({ m: { k: "v" } })],
  ["V49 [QG-22]", "/t/x?m.k=v", bad],
  ["V50 [QG-25]", "/t/x?b=T", get({ b: true })],
  ["V50 [QG-25]", "/t/x?b=0", get({})],
  ["V50 [QG-25]", "/t/x?b=yes", bad],
  ["V50 [QG-25]", "/t/x?b=", bad],
  ["V51 [QG-26]", "/t/x?e=BLUE", get({ e: "BLUE" })],
  ["V51 [QG-26]", "/t/x?e=1", get({ e: "BLUE" })],
  ["V51 [QG-26]", "/t/x?e=2", bad],
  ["V51 [QG-26]", "/t/x?e=blue", bad],
  ["V52 [QG-25]", "/t/x?d=NaN", get({ d: "NaN" })],
  ["V52 [QG-25]", "/t/x?d=1e3", get({ d: 1000 })],
  ["V52 [QG-25]", "/t/x?f=-Infinity", get({ f: "-Infinity" })],
  ["V53 [QG-18]", "/t/x?camelCase=1", get({ camelCase: "1" })],
  ["V53 [QG-18]", "/t/x?camel_case=1", get({})],
  ["V54 [QG-23]", "/t/x?sub.sub.a=q", get({ sub: { sub: { a: "q" } } })],
  ["V54 [QG-23]", "/t/x?subs.a=q", bad],
  ["V55 [QG-20]", "/t/x?rs=a;b", bad],
  ["V55 [QG-20]", "/t/x?rs=%zz", bad],
  ["V56 [QG-20]", "/t/x?rs=a+b", get({ rs: ["a b"] })],
  ["V56 [QG-20]", "/t/x?rs=a%2Bb", get({ rs: ["a+b"] })],
  ["V57 [QG-28]", "/t/x?ts=2026-01-02T03:04:05.5Z", get({ ts: "2026-01-02T03:04:05.500Z" })],
  ["V57 [QG-28]", "/t/x?ts=null", get({})],
  ["V57 [QG-28]", "/t/x?ts=x", bad],
  ["V58 [QG-28]", "/t/x?du=3.5s", get({ du: "3.500s" })],
  ["V58 [QG-28]", "/t/x?du=1h2m3.5s", get({ du: "3723.500s" })],
  ["V58 [QG-28]", "/t/x?bv=true", get({ bv: true })],
  ["V58 [QG-28]", "/t/x?fm=a,,b.c", get({ fm: "a,b.c" })],
  ["V59 [QG-31]", "POST /post?i32=7", { rpc: "Post", request: {} }, "{}"],
  ["V59 [QG-31]", "POST /post?i32=7", { rpc: "Post", request: {} }, ""],
  [
    "V60 [QG-33]",
    "POST /post",
    { rpc: "Post", request: { i64: "9007199254740993", camelCase: "x" } },
    '{"i64":"9007199254740993","camelCase":"x","zzz":1}',
  ],
  ["V61 [QG-33]", "POST /post", bad, "{bad"],
  ["V62 [QG-32]", "POST /post/x?i32=7", { rpc: "PostSub", request: { id: "x", sub: { a: "q" }, i32: 7 } }, '{"a":"q"}'],
];

/** A missing body and an empty one are equal. */
function rowsOf(vectors: readonly Vector[]) {
  return vectors.map(([vector, line, call, body = ""]) => [vector, line, body, call] as const);
}

describe("vectors", () => {
  test.each(rowsOf(ixoVectors))("%s: %s", (_vector, line, _body, expected) => {
    expect(ixo.call(line)).toEqual(expected);
  });

  test.each(rowsOf(fixtureVectors))("%s: %s %s", (_vector, line, body, expected) => {
    expect(fixture.call(line, body)).toEqual(expected);
  });

  test("V43: a strict profile refuses unknown parameters [QG-21]", () => {
    const strict = createTranscoder(ixoImage(), {}, { strict: true, limits: defaultLimits });
    expect(strict.call("/ixo/entity?nope=1")).toEqual(bad);
    expect(strict.call("/ixo/entity?pagination.nope=2")).toEqual(bad);
    expect(strict.call("/ixo/entity?pagination.limit=2")).toEqual(list({ limit: "2" }));
  });
});
