// Contract D, section 15: the vectors of routing and mapping, by their numbers.
import { describe, expect, test } from "vitest";
import { createTranscoder, type Call } from "../../../test/support/gateway-calls.ts";
import { fixtureImage, ixoImage } from "../../../test/support/gateway-fixture.ts";
import { defaultLimits } from "./limits.ts";

type Vector = readonly [number: number, line: string, call: Call, body?: string];

const ixo = createTranscoder(ixoImage());
const fixture = createTranscoder(fixtureImage());
const bad = { failure: "invalid_request" };
const missing = { failure: "not_found" };

const entity = (id: string) => ({ rpc: "Entity", request: id === "" ? {} : { id } });
const list = (pagination: object) => ({ rpc: "EntityList", request: { pagination } });
const role = { rpc: "DisputeBySubject", request: { subjectId: "c1", targetRole: "DISPUTE_TARGET_ROLE_EVALUATOR" } };
const authenticator = (id: string) => ({
  rpc: "GetAuthenticator",
  request: { account: "ixo1a", authenticator_id: id },
});
const get = (more: object) => ({ rpc: "Get", request: { id: "x", ...more } });
const subject = "/ixo/claims/dispute-by-subject/c1";

const ixoVectors: readonly Vector[] = [
  [1, "/ixo/entity/did:ixo:entity:abc", entity("did:ixo:entity:abc")],
  [2, "/ixo/entity/did%3Aixo%3Ax%23y%2Fz%20%C3%A9%2B%20%25", entity("did:ixo:x#y/z \u00e9+ %")],
  [3, "/ixo/entity/a%2Fb", entity("a/b")],
  [3, "/ixo/entity/a%2fb", entity("a/b")],
  [4, "/ixo/entity/a%252Fb", entity("a%2Fb")],
  [5, "/ixo/entity/a+b", entity("a+b")],
  [6, "/ixo/entity/", entity("")],
  [7, "/ixo/entity", { rpc: "EntityList", request: {} }],
  [7, "/ixo/entity?pagination.limit=2", list({ limit: "2" })],
  [8, "/ixo/entity/params", { rpc: "Params", request: {} }],
  [9, "/ixo/entity/params/metadata", { rpc: "EntityMetaData", request: { id: "params" } }],
  [10, "/ixo/entity/x/nope", missing],
  [10, "/ixo/iid/x", missing],
  [10, "/other/entity/x", missing],
  [11, "//ixo/entity/x", missing],
  [11, "/ixo//entity/x", missing],
  [11, "/ixo/entity//metadata", missing],
  [12, "/ixo/entity/%zz", bad],
  [12, "/ixo/entity/%ff", bad],
  [13, "/ixo/entity/:foo", entity(":foo")],
  [13, "/ixo/entity/foo:", entity("foo:")],
  [14, "/ixo/%65ntity/x", entity("x")],
  [15, "/ixo/Entity/x", missing],
  [16, "/ixo/bonds/params", { rpc: "Params", request: {} }],
  [16, "/ixo/bonds/bonds", { rpc: "Bonds", request: {} }],
  [16, "/ixo/bonds/did:ixo:b1", { rpc: "Bond", request: { bond_did: "did:ixo:b1" } }],
  [17, "/ixo/did/dids/did:ixo:abc%23key-1", { rpc: "IidDocument", request: { id: "did:ixo:abc#key-1" } }],
  [18, "HEAD /ixo/token/params", { rpc: "Params", request: {} }],
  [19, "PUT /ixo/token/params", { failure: "method_not_allowed", allow: "GET, HEAD, OPTIONS" }],
  [19, "POST /ixo/token/params", { failure: "method_not_allowed", allow: "GET, HEAD, OPTIONS" }],
  [32, `${subject}/DISPUTE_TARGET_ROLE_EVALUATOR`, role],
  [32, `${subject}/2`, role],
  [33, `${subject}/9`, bad],
  [33, `${subject}/dispute_target_role_evaluator`, bad],
  [34, "/ixo/smartaccount/authenticator/ixo1a/18446744073709551615", authenticator("18446744073709551615")],
  [35, "/ixo/smartaccount/authenticator/ixo1a/18446744073709551616", bad],
  [35, "/ixo/smartaccount/authenticator/ixo1a/-1", bad],
  [35, "/ixo/smartaccount/authenticator/ixo1a/x", bad],
  [36, "/ixo/entity?pagination.limit=5&pagination.count_total=true", list({ limit: "5", count_total: true })],
  [36, "/ixo/entity?pagination.limit=5&pagination.countTotal=true", list({ limit: "5", count_total: true })],
  [37, "/ixo/entity?pagination.key=AQI%2B%2Fw%3D%3D", list({ key: "AQI+/w==" })],
  [37, "/ixo/entity?pagination.key=AQI+/w==", list({ key: "AQI+/w==" })],
  [37, "/ixo/entity?pagination.key=AQI-_w", list({ key: "AQI+/w==" })],
  [38, "/ixo/entity?pagination.key=A", bad],
  [38, "/ixo/entity?pagination.key=!!", bad],
  [39, "/ixo/entity?pagination=x", bad],
  [40, "/ixo/entity?pagination.limit=", bad],
  [40, "/ixo/entity?pagination.limit=5.0", bad],
  [40, "/ixo/entity?pagination.limit=1e3", bad],
  [40, "/ixo/entity?pagination.limit=-1", bad],
  [41, "/ixo/entity?pagination.limit=%2B5", list({ limit: "5" })],
  [41, "/ixo/entity?pagination.limit=0x10", list({ limit: "16" })],
  [41, "/ixo/entity?pagination.limit=1_000", list({ limit: "1000" })],
  [41, "/ixo/entity?pagination.limit=010", list({ limit: "10" })],
  [42, "/ixo/entity?pagination.limit=99999", list({ limit: "1000" })],
  [43, "/ixo/entity?nope=1&pagination.nope=2", { rpc: "EntityList", request: {} }],
  [98, "/ixo/claim/5", { rpc: "Claim", request: { id: "5" }, successor: "/ixo/claims/claim/{id}" }],
  [98, "/ixo/bonds_detailed", { rpc: "BondsDetailed", request: {}, successor: "/ixo/bonds/bonds_detailed" }],
  [98, "/ixo/entity/config", { rpc: "Params", request: {}, successor: "/ixo/entity/params" }],
  [
    98,
    "/ixo/token/m/c",
    {
      rpc: "TokenDoc",
      request: { minter: "m", contract_address: "c" },
      successor: "/ixo/token/minter/{minter}/{contract_address}",
    },
  ],
  [99, "/ixo/token/metadata/1", { rpc: "TokenMetadata", request: { id: "1" } }],
  [102, `/${"a/".repeat(2999)}a`, { failure: "uri_too_long" }],
  [102, `/${"a".repeat(8999)}`, { failure: "uri_too_long" }],
];

const fixtureVectors: readonly Vector[] = [
  [23, "/t/x:do", { rpc: "Do", request: { id: "x" } }],
  [23, "/t/did:a:b:do", { rpc: "Do", request: { id: "did:a:b" } }],
  [23, "/t/x%3Ado", { rpc: "Get", request: { id: "x:do" } }],
  [23, "/t/x:other", { rpc: "Get", request: { id: "x:other" } }],
  [24, "/deep/a/b/c%20d/tail", { rpc: "DeepTail", request: { id: "a/b/c d" } }],
  [25, "/deep/tail", { rpc: "DeepTail", request: {} }],
  [26, "/deep/a%2Fb/tail", { rpc: "DeepTail", request: { id: "a/b" } }],
  [27, "/deep/a/tail/b", { rpc: "Deep", request: { id: "a/tail/b" } }],
  [28, "/rep/1,2,3/x", { rpc: "Repeated", request: { rs: ["1", "2", "3"] } }],
  [29, "/n/q", { rpc: "Nested", request: { sub: { a: "q" } } }],
  [30, "/alt/q", { rpc: "Get", request: { id: "q" } }],
  [31, "/bytes/AQI-_w", { rpc: "Bytes", request: { by: "AQI+/w==" } }],
  [31, "/bytes/AQI+%2Fw==", { rpc: "Bytes", request: { by: "AQI+/w==" } }],
  [44, "/t/x?id=y", get({})],
  [45, "/t/x?rs=a&rs=b,c", get({ rs: ["a", "b,c"] })],
  [45, "/t/x?rs[]=a&rs[]=b", get({ rs: ["a", "b"] })],
  [46, "/t/x?i32=1&i32=2", get({ i32: 1 })],
  [47, "/t/x?i32=2147483648", bad],
  [47, "/t/x?u32=-1", bad],
  [48, "/t/x?oa=1&ob=2", bad],
  [49, "/t/x?m[k]=v", get({ m: { k: "v" } })],
  [49, "/t/x?m.k=v", bad],
  [50, "/t/x?b=T", get({ b: true })],
  [50, "/t/x?b=0", get({})],
  [50, "/t/x?b=yes", bad],
  [50, "/t/x?b=", bad],
  [51, "/t/x?e=BLUE", get({ e: "BLUE" })],
  [51, "/t/x?e=1", get({ e: "BLUE" })],
  [51, "/t/x?e=2", bad],
  [51, "/t/x?e=blue", bad],
  [52, "/t/x?d=NaN", get({ d: "NaN" })],
  [52, "/t/x?d=1e3", get({ d: 1000 })],
  [52, "/t/x?f=-Infinity", get({ f: "-Infinity" })],
  [53, "/t/x?camelCase=1", get({ camelCase: "1" })],
  [53, "/t/x?camel_case=1", get({})],
  [54, "/t/x?sub.sub.a=q", get({ sub: { sub: { a: "q" } } })],
  [54, "/t/x?subs.a=q", bad],
  [55, "/t/x?rs=a;b", bad],
  [55, "/t/x?rs=%zz", bad],
  [56, "/t/x?rs=a+b", get({ rs: ["a b"] })],
  [56, "/t/x?rs=a%2Bb", get({ rs: ["a+b"] })],
  [57, "/t/x?ts=2026-01-02T03:04:05.5Z", get({ ts: "2026-01-02T03:04:05.500Z" })],
  [57, "/t/x?ts=null", get({})],
  [57, "/t/x?ts=x", bad],
  [58, "/t/x?du=3.5s", get({ du: "3.500s" })],
  [58, "/t/x?du=1h2m3.5s", get({ du: "3723.500s" })],
  [58, "/t/x?bv=true", get({ bv: true })],
  [58, "/t/x?fm=a,,b.c", get({ fm: "a,b.c" })],
  [59, "POST /post?i32=7", { rpc: "Post", request: {} }, "{}"],
  [59, "POST /post?i32=7", { rpc: "Post", request: {} }, ""],
  [
    60,
    "POST /post",
    { rpc: "Post", request: { i64: "9007199254740993", camelCase: "x" } },
    '{"i64":"9007199254740993","camelCase":"x","zzz":1}',
  ],
  [61, "POST /post", bad, "{bad"],
  [62, "POST /post/x?i32=7", { rpc: "PostSub", request: { id: "x", sub: { a: "q" }, i32: 7 } }, '{"a":"q"}'],
];

/** No body and an empty one are the same. */
function rowsOf(vectors: readonly Vector[]) {
  return vectors.map(([number, line, call, body = ""]) => [number, line, body, call] as const);
}

describe("vectors of the contract", () => {
  test.each(rowsOf(ixoVectors))("%i: %s", (_number, line, _body, expected) => {
    expect(ixo.call(line)).toEqual(expected);
  });

  test.each(rowsOf(fixtureVectors))("%i: %s %s", (_number, line, body, expected) => {
    expect(fixture.call(line, body)).toEqual(expected);
  });

  test("20: what OPTIONS answers with", () => {
    expect(ixo.plan.table.allowed("/ixo/token/params")).toEqual({ ok: true, value: ["GET", "HEAD", "OPTIONS"] });
    expect(ixo.plan.table.allowed("/nowhere")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("21: another prefix", () => {
    const acme = createTranscoder(ixoImage(), { protocolPrefix: "acme" });
    expect(acme.call("/acme/token/params")).toEqual({ rpc: "Params", request: {} });
    expect(acme.call("/ixo/token/params")).toEqual(missing);
  });

  test("22: a legacy prefix beside it", () => {
    const acme = createTranscoder(ixoImage(), { protocolPrefix: "acme", legacyPrefixes: ["ixo"] });
    expect(acme.call("/ixo/token/params")).toEqual({ rpc: "Params", request: {}, successor: "/acme/token/params" });
  });

  test("43: a strict deployment refuses unknown parameters", () => {
    const strict = createTranscoder(ixoImage(), {}, { strict: true, limits: defaultLimits });
    expect(strict.call("/ixo/entity?nope=1")).toEqual(bad);
    expect(strict.call("/ixo/entity?pagination.nope=2")).toEqual(bad);
    expect(strict.call("/ixo/entity?pagination.limit=2")).toEqual(list({ limit: "2" }));
  });
});
