/**
 * Vectors 1 to 22 and 93 to 103 of docs/reference/query-gateway.md inside workerd: dispatcher, gateway, embedded node.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { env as platform } from "cloudflare:workers";
import ixoImage from "../../../proto/descriptors/ixo.binpb";
import { createLogger } from "../../../platform/log.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { domainRecord } from "../../support/registry/domain-records.ts";
import { replaceDomains } from "../../support/registry/slowed-domains.ts";
import { gatewayEdge, type GatewayEdge } from "../../support/query-gateway/gateway-edge.ts";

const image = new Uint8Array(ixoImage);
const NOT_FOUND = '{"code":5,"message":"Not Found","details":[]}';

function edge(deployment: object = {}, env: object = {}, database = platform.DATABASE): GatewayEdge {
  const source = createDomainDirectory({ database, clock: Date.now, log: createLogger({}) });
  return gatewayEdge({ image, source, deployment, env });
}

/** Over an unavailable database: every request that reads the registry is a 503. */
function edgeWithoutRegistry(): GatewayEdge {
  return edge({}, {}, {} as D1Database);
}

const shared = edge();

const DOMAIN = domainRecord(0xa);
/** One change has been made: the domain. */
const HEIGHT = "1";

beforeAll(async () => replaceDomains(platform.DATABASE, [DOMAIN]));

describe("routing", () => {
  // The embedded node has no such entity: its error message contains the requested id.
  test.each([
    ["V1 [QG-10]", "/ixo/entity/did:ixo:entity:abc", "did:ixo:entity:abc"],
    ["V2 [QG-7]", "/ixo/entity/did%3Aixo%3Ax%23y%2Fz%20%C3%A9%2B%20%25", "did:ixo:x#y/z é+ %"],
    ["V3 [QG-7]", "/ixo/entity/a%2Fb", "a/b"],
    ["V3 [QG-7]", "/ixo/entity/a%2fb", "a/b"],
    ["V4 [QG-7]", "/ixo/entity/a%252Fb", "a%2Fb"],
    ["V5 [QG-7]", "/ixo/entity/a+b", "a+b"],
    ["V9 [QG-6]", "/ixo/entity/params/metadata", "params"],
    ["V13 [QG-10]", "/ixo/entity/:foo", ":foo"],
    ["V13 [QG-10]", "/ixo/entity/foo:", "foo:"],
    ["V14 [QG-9]", "/ixo/%65ntity/x", "x"],
  ])("%s: %s asks for an entity", async (_, path, id) => {
    const { status, body } = await shared.ask(path);
    expect([status, body]).toEqual([404, { code: 5, message: `entity ${id} not found`, details: [] }]);
  });

  test("V6: a trailing slash is the empty id, which the node refuses [QG-9, QG-92]", async () => {
    expect((await shared.ask("/ixo/entity/")).text).toBe('{"code":3,"message":"entity id is required","details":[]}');
  });

  test.each([
    ["V7 [QG-2]", "/ixo/entity", "entities"],
    ["V7 [QG-2]", "/ixo/entity?pagination.limit=2", "entities"],
    ["V8 [QG-6]", "/ixo/entity/params", "params"],
  ])("%s: %s", async (_, path, member) => {
    const { status, body } = await shared.ask(path);
    expect([status, Object.keys(body)[0]]).toEqual([200, member]);
  });

  test.each([
    ...["/ixo/entity/x/nope", "/ixo/iid/x", "/other/entity/x"].map((path) => ["V10 [QG-11]", path]),
    ...["//ixo/entity/x", "/ixo//entity/x", "/ixo/entity//metadata"].map((path) => ["V11 [QG-9]", path]),
    ["V15 [QG-9]", "/ixo/Entity/x"],
  ])("%s: %s is no path", async (_, path) => {
    const { status, text } = await shared.ask(path ?? "");
    expect([status, text]).toEqual([404, NOT_FOUND]);
  });

  test.each(["/ixo/entity/%zz", "/ixo/entity/%ff", "/ixo/entity/%00"])("V12: %s is malformed [QG-8]", async (path) => {
    const { status, body } = await shared.ask(path);
    expect([status, body.code]).toEqual([400, 3]);
  });

  test.each([
    ["/ixo/bonds/params", "Params"],
    ["/ixo/bonds/bonds", "Bonds"],
    ["/ixo/bonds/did:ixo:b1", "Bond"],
  ])("V16: %s asks for %s [QG-6]", async (path, method) => {
    expect((await shared.ask(path)).body).toMatchObject({ code: 12, message: `${method} is not served here` });
  });

  test("V17: the key id of a DID document [QG-2]", async () => {
    const { status, body } = await shared.ask("/ixo/did/dids/did:ixo:abc%23key-1");
    expect([status, body.message]).toEqual([404, "did document did:ixo:abc#key-1 not found"]);
  });

  test("V18: HEAD is GET without its body [QG-13]", async () => {
    const got = await shared.ask("/ixo/token/params");
    const head = await shared.ask("HEAD /ixo/token/params");
    expect([head.status, head.text, head.headers.get("Content-Length")]).toEqual([200, "", String(got.text.length)]);
    for (const name of ["ETag", "Content-Type", "Cache-Control", "X-Cosmos-Block-Height"])
      expect(head.headers.get(name)).toBe(got.headers.get(name));
  });

  test.each(["PUT", "POST", "DELETE", "PATCH"])("V19: %s is refused [QG-12]", async (method) => {
    const { status, text, headers } = await shared.ask(`${method} /ixo/token/params`);
    expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(text).toBe('{"code":12,"message":"Method Not Allowed","details":[]}');
  });

  test("V20: OPTIONS calls no node [QG-14]", async () => {
    const { ask } = edgeWithoutRegistry();
    expect((await ask("/ixo/entity/x")).status).toBe(503);
    const known = await ask("OPTIONS /ixo/entity/x");
    expect([known.status, known.text, known.headers.get("Allow")]).toEqual([204, "", "GET, HEAD, OPTIONS"]);
    expect((await ask("OPTIONS /nope")).status).toBe(404);
  });

  test("V21: another prefix replaces ixo [QG-3]", async () => {
    const { ask } = edge({ protocolPrefix: "acme" });
    expect([(await ask("/acme/token/params")).status, (await ask("/ixo/token/params")).status]).toEqual([200, 404]);
  });

  test("V22: a legacy prefix is served with a link to its successor [QG-4, QG-42]", async () => {
    const { ask } = edge({ protocolPrefix: "acme", legacyPrefixes: ["ixo"] });
    const { status, headers } = await ask("/ixo/token/params");
    expect([status, headers.get("Link")]).toEqual([200, '</acme/token/params>; rel="successor-version"']);
    expect(headers.get("Deprecation")).toMatch(/^@\d+$/);
    expect((await ask("/acme/token/params")).headers.has("Deprecation")).toBe(false);
  });
});

describe("methods that a deployment closes", () => {
  test("V93: a disabled method is 501, calls no node and is in no document [QG-15]", async () => {
    const { ask, surface, env } = edge({ disabled: ["ixo.token.v1beta1.Query/*"] });
    const { status, body } = await ask("/ixo/token/params");
    expect([status, body.code]).toEqual([501, 12]);
    const document = JSON.stringify(await surface.openapi?.(env));
    expect(document).toContain('"/ixo/entity/{id}"');
    expect(document).not.toContain('"/ixo/token/params"');
  });

  test("V94: sending transactions is closed unless it is opened [QG-15]", async () => {
    const line = "POST /cosmos/tx/v1beta1/txs";
    expect((await shared.ask(line, { body: "{}" })).body).toMatchObject({ code: 12, message: /disabled/ });
    const { ask } = edge({ enabled: ["cosmos.tx.v1beta1.Service/BroadcastTx"] });
    expect((await ask(line, { body: "{}" })).body).toMatchObject({ code: 12, message: /not served here/ });
  });

  test("V95: access by API key [QG-107]", async () => {
    const gate = {
      mode: "apiKey",
      keys: [{ secret: "secret:PARTNER", label: "partner" }],
      open: ["/ixo/entity/params"],
    };
    const { ask } = edge({ gate }, { PARTNER: "right" });
    const none = await ask("/ixo/token/params");
    expect([none.status, none.body.code, none.headers.get("WWW-Authenticate")]).toEqual([401, 16, expect.any(String)]);
    const wrong = await ask("/ixo/token/params", { headers: { "X-API-Key": "wrong" } });
    expect([wrong.status, wrong.body.code]).toEqual([403, 7]);
    const right = await ask("/ixo/token/params", { headers: { "X-API-Key": "right" } });
    expect([right.status, right.headers.get("Cache-Control")]).toEqual([200, "private, no-cache"]);
    // An unauthenticated caller learns nothing about existing paths.
    expect([(await ask("/nope")).status, (await ask("OPTIONS /nope")).status]).toEqual([401, 204]);
    expect((await ask("/ixo/entity/params")).status).toBe(200);
  });
});

describe("caches", () => {
  test("V96: a client that has the response gets 304 with its height [QG-103]", async () => {
    const first = await shared.ask("/ixo/token/params");
    const etag = first.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await shared.ask("/ixo/token/params", { headers: { "If-None-Match": header } });
      expect([again.status, again.text, again.headers.get("ETag")]).toEqual([304, "", etag]);
      expect(again.headers.get("Grpc-Metadata-X-Cosmos-Block-Height")).toBe(HEIGHT);
    }
    expect((await shared.ask("/ixo/token/params", { headers: { "If-None-Match": '"x"' } })).status).toBe(200);
  });
});

describe("aliases", () => {
  test.each([
    ["/ixo/claim/claim-1", "/ixo/claims/claim/claim-1"],
    ["/ixo/claim", "/ixo/claims/claims"],
    ["/ixo/entity/config", "/ixo/entity/params"],
    ["/ixo/token/ixo1minter/ixo1contract", "/ixo/token/minter/ixo1minter/ixo1contract"],
    [`/did/${DOMAIN.id}`, `/ixo/did/dids/${encodeURIComponent(DOMAIN.id)}`],
  ])("V98: %s answers as %s [QG-17, QG-42]", async (path, successor) => {
    const { status, text, headers } = await shared.ask(path);
    expect([status, text]).toEqual([200, (await shared.ask(successor)).text]);
    expect(headers.get("Link")).toBe(`<${successor}>; rel="successor-version"`);
    expect(headers.get("Deprecation")).toMatch(/^@\d+$/);
  });

  test("V98b: an alias of an uncompiled method is deprecated too [QG-17, QG-42]", async () => {
    const { status, headers } = await shared.ask("/ixo/bonds_detailed");
    expect([status, headers.get("Link")]).toEqual([501, '</ixo/bonds/bonds_detailed>; rel="successor-version"']);
  });

  test("V99: the real route wins over an alias of its shape [QG-17]", async () => {
    const { status, headers, body } = await shared.ask("/ixo/token/metadata/1");
    expect([status, body.name, headers.has("Deprecation")]).toEqual([200, "CARBON", false]);
  });
});

test("V100: an unknown DID is 404, an unknown service 501 [QG-92]", async () => {
  const unknown = await shared.ask("/ixo/did/dids/did:ixo:nobody");
  const absent = await shared.ask("/ixo/mint/v1beta1/params");
  expect([unknown.status, unknown.body.code, absent.status, absent.body.code]).toEqual([404, 5, 501, 12]);
});

test("V102: an oversized request is refused before any call [QG-16]", async () => {
  const { ask } = edgeWithoutRegistry();
  for (const path of [`/ixo/entity${"/x".repeat(3000)}`, `/ixo/entity/${"x".repeat(9000)}`]) {
    const { status, body } = await ask(path);
    expect([status, body.code]).toEqual([414, 3]);
  }
});

test("V103: pages of a browser [QG-111, QG-112]", async () => {
  const headers = { Origin: "https://app.example" };
  const off = await shared.ask("/ixo/token/params", { headers });
  const heights = "Grpc-Metadata-X-Cosmos-Block-Height, X-Cosmos-Block-Height";
  expect([...off.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(off.headers.get("Vary")).toBe(heights);
  const { ask } = edge({ cors: { origins: ["https://app.example"] } });
  const on = await ask("/ixo/token/params", { headers });
  expect(on.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
  const exposed = on.headers.get("Access-Control-Expose-Headers");
  for (const name of ["ETag", "X-Gateway-Node", "Link", "Deprecation"]) expect(exposed).toContain(name);
  const vary = `${heights}, Origin`;
  expect(on.headers.get("Vary")).toBe(vary);
  const other = await ask("/ixo/token/params", { headers: { Origin: "https://evil.example" } });
  expect([other.headers.has("Access-Control-Allow-Origin"), other.headers.get("Vary")]).toEqual([false, vary]);
  const preflight = await ask("OPTIONS /ixo/token/params", {
    headers: { ...headers, "Access-Control-Request-Method": "GET" },
  });
  expect([preflight.status, preflight.headers.get("Access-Control-Allow-Methods")]).toEqual([
    204,
    "GET, HEAD, OPTIONS",
  ]);
  expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain(
    ", x-cosmos-block-height, grpc-metadata-x-cosmos-block-height,",
  );
});

test("every response has the request id and forbids content sniffing [QG-41]", async () => {
  for (const line of ["/ixo/token/params", "/nope", "OPTIONS /ixo/token/params", "PUT /ixo/token/params"]) {
    const { headers } = await shared.ask(line, { headers: { "X-Request-Id": "req-1" } });
    expect([headers.get("X-Request-Id"), headers.get("X-Content-Type-Options")]).toEqual(["req-1", "nosniff"]);
  }
});
