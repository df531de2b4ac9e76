/** `GATEWAY_CONFIG`: defaults, faults by their pointer, secrets and images by their binding (contract D, section 1; decisions 1.1). */
import { describe, expect, test } from "vitest";
import { gatewayEdge } from "../../../test/support/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/gateway-fixture.ts";
import { standInEntities } from "../../../test/support/stand-in-entities.ts";
import { parseGatewayConfig } from "./config.ts";

const image = ixoImage();
const source = standInEntities();
const parse = (config: unknown, env: object = {}) =>
  parseGatewayConfig({ GATEWAY_CONFIG: typeof config === "string" ? config : JSON.stringify(config), ...env });
const one = (deployment: object, env: object = {}) => parse({ deployments: [{ name: "a", ...deployment }] }, env);

test.each([undefined, "", "  "])("unset (%j) is one embedded deployment under ixo", (GATEWAY_CONFIG) => {
  const config = parseGatewayConfig({ GATEWAY_CONFIG });
  expect(config).toMatchObject({
    ok: true,
    value: {
      deployments: [
        {
          name: "default",
          protocolPrefix: "ixo",
          sets: ["ixo"],
          nodes: [{ kind: "embedded", tier: 0, weight: 1 }],
          gate: { mode: "none" },
          cache: { latestSeconds: 0, immutableDepth: 2, immutableSeconds: 31_536_000 },
          limits: { bodyBytes: 1_000_000, responseBytes: 10_485_760, timeoutMs: 10_000, pageLimit: 1000, nesting: 32 },
          upstream: {
            retries: 2,
            hedgeAfterMs: 0,
            breaker: { failures: 5, windowMs: 30_000, openMs: 15_000 },
            maxLag: 20,
          },
        },
      ],
    },
  });
});

test("the contract's worked example", () => {
  const example = `{"deployments":[{"name":"main","match":{"host":"api.example"},"chainId":"ixo-5","protocolPrefix":"ixo",
    "legacyPrefixes":["rest/ixo"],"sets":["ixo-v8","cosmos-050"],"nodes":[{"name":"a","kind":"grpc-web","url":"https://node-a.example:1317"},
    {"name":"b","kind":"grpc-web","url":"https://node-b.example","earliestHeight":1,"tier":1},
    {"name":"rpc","kind":"abci-query","url":"https://rpc.example","tier":2}],
    "gate":{"mode":"apiKey","keys":[{"secret":"secret:PARTNER_KEY","label":"partner"}],"open":["/openapi.json","/healthz"]},
    "cors":{"origins":["https://app.example"]},"cache":{"latestSeconds":3},"limits":{"pageLimit":500}}],
    "images":{"ixo-v8":{"kind":"kv","binding":"IMAGES","key":"ixo-v8"},"cosmos-050":{"kind":"data","binding":"COSMOS"}}}`;
  const env = { PARTNER_KEY: "k", IMAGES: {}, COSMOS: new ArrayBuffer(0) };
  const config = parse(example, env);
  expect(config).toMatchObject({ ok: true, value: { deployments: [{ limits: { pageLimit: 500, segments: 64 } }] } });
  expect(config.ok && config.value.secrets.get("PARTNER_KEY")).toBe("k");
  expect(config.ok && config.value.deployments[0]?.nodes[1]?.earliestHeight).toBe(1n);
});

describe("faults are told by their pointer", () => {
  test.each<[string, unknown]>([
    ["must be JSON", "{"],
    ["/deployments", { deployments: [] }],
    ["the whole", { deployments: [{ name: "a" }], nope: 1 }],
    ["/deployments/0/limits", { deployments: [{ name: "a", limits: { pagesLimit: 1 } }] }],
    [
      "/deployments/0/limits/timeoutMs: must be at most",
      { deployments: [{ name: "a", limits: { timeoutMs: 2 ** 31 } }] },
    ],
    ["/deployments/0/nodes/0/url", { deployments: [{ name: "a", nodes: [{ kind: "grpc-web", url: "ftp://x" }] }] }],
    ["/deployments/0/nodes/0/url", { deployments: [{ name: "a", nodes: [{ kind: "lcd", url: "https://u:p@x" }] }] }],
    ["/deployments/0/nodes/0", { deployments: [{ name: "a", nodes: [{ kind: "grpc" }] }] }],
    ["/deployments/0/protocolPrefix", { deployments: [{ name: "a", protocolPrefix: "/ixo" }] }],
    ["/deployments/0/sets/0", { deployments: [{ name: "a", sets: ["other"] }] }],
    ["/deployments/1/name", { deployments: [{ name: "a" }, { name: "a" }] }],
    ["/deployments/0/cors/origins/0", { deployments: [{ name: "a", cors: { origins: ["https://a.example/"] } }] }],
    ["/deployments/0/gate/keys/0/secret", gated("open text")],
    ["/deployments/0/gate/keys/0/secret: the secret KEY is not bound", gated("secret:KEY")],
  ])("%s", (pointer, config) => {
    const parsed = parse(config);
    expect(parsed.ok ? [] : parsed.error).toMatchObject([{ variable: "GATEWAY_CONFIG", message: expect.any(String) }]);
    expect(parsed.ok ? "" : parsed.error[0]?.message.startsWith(pointer)).toBe(true);
    // Never the wrong value itself.
    expect(JSON.stringify(parsed)).not.toContain("open text");
  });

  function gated(secret: string): object {
    return { deployments: [{ name: "a", gate: { mode: "bearer", keys: [{ secret, label: "k" }] } }] };
  }

  test("a binding of an image that is not there", () => {
    const config = { deployments: [{ name: "a" }], images: { mine: { kind: "r2", binding: "BUCKET", key: "k" } } };
    expect(parse(config)).toMatchObject({
      ok: false,
      error: [{ message: "/images/mine: the binding BUCKET is not there" }],
    });
  });

  test("names of members of Object.prototype are no sets", () => {
    expect(one({ sets: ["constructor"] }).ok).toBe(false);
  });
});

describe("what only the routes show", () => {
  test.each([
    [{ protocolPrefix: "v1" }, "/v1 belongs to the registry surface"],
    [{ legacyPrefixes: ["sessions"] }, "/sessions belongs to the oracle surface"],
    [{ legacyPrefixes: ["api/ussd/ixo"] }, "/api belongs to the ussd surface"],
    [
      { aliases: { extra: [{ path: "/docs/{id}", method: "ixo.entity.v1beta1.Query/Entity" }] } },
      "/docs belongs to the shared surface",
    ],
    [{ aliases: { extra: [{ path: "/x", method: "no.Such/Method" }] } }, "alias no.Such/Method /x"],
    [{ protocolPrefix: "{x}" }, "prefix {x}"],
  ])("%j is a fault of configuration on every route", async (deployment, reason) => {
    const { ask, surface, env, log } = gatewayEdge({ image, source, deployment });
    for (const path of ["/ixo/token/params", "/nope"]) {
      expect(await ask(path)).toMatchObject({
        status: 500,
        body: { code: 13, message: "Internal server error", details: [] },
      });
    }
    expect(
      surface
        .configProblems(env)
        .map(({ message }) => message)
        .join("; "),
    ).toContain(reason);
    expect(log.join("\n")).toContain(reason);
    const health = await ask("/health");
    expect(health.body.misconfigured).toEqual({ "query-gateway": ["GATEWAY_CONFIG"] });
  });

  test("health tells of a neighbour's prefix before any request has come", async () => {
    const { ask } = gatewayEdge({ image, source, deployment: { protocolPrefix: "v1" } });
    expect((await ask("/health")).body.misconfigured).toEqual({ "query-gateway": ["GATEWAY_CONFIG"] });
  });

  test("a prefix below a mount is not the neighbour's", async () => {
    const deployment = { protocolPrefix: "v1", match: { mount: "/chain" } };
    const { ask } = gatewayEdge({ image, source, deployment });
    expect([(await ask("/chain/v1/token/params")).status, (await ask("/v1/token/params")).status]).toEqual([200, 404]);
  });
});

describe("several deployments", () => {
  const GATEWAY_CONFIG = JSON.stringify({
    deployments: [
      { name: "host", match: { host: "Gateway.Test" }, protocolPrefix: "acme", legacyPrefixes: ["old"] },
      { name: "mount", match: { mount: "/chain" } },
      { name: "rest" },
    ],
  });

  test("the first that fits by host and mount answers", async () => {
    const { call } = gatewayEdge({ image, source, deployment: GATEWAY_CONFIG });
    // This host is the first one's alone.
    expect((await call("/ixo/token/params")).status).toBe(404);
    expect((await call("/old/token/params")).headers.get("Link")).toBe('</acme/token/params>; rel="successor-version"');
  });

  test("a link below a mount keeps it", async () => {
    const deployment = { match: { mount: "/chain" } };
    const { ask } = gatewayEdge({ image, source, deployment });
    const { headers } = await ask("/chain/ixo/claim/claim-1");
    expect(headers.get("Link")).toBe('</chain/ixo/claims/claim/claim-1>; rel="successor-version"');
    for (const path of ["/chain", "/chain/", "/chainixo/token/params"]) expect((await ask(path)).status).toBe(404);
  });
});

describe("an operator's own image", () => {
  const bytes = new Uint8Array(fixtureImage()).buffer;
  const images = { mine: { kind: "data", binding: "MINE" } };
  const config = (source: object) =>
    JSON.stringify({ deployments: [{ name: "a", sets: ["mine", "ixo"] }], images: { mine: source } });

  test.each<[string, object, unknown]>([
    ["a binding of bytes", { kind: "data", binding: "MINE" }, bytes],
    ["KV", { kind: "kv", binding: "MINE", key: "k" }, { get: async (key: string) => (key === "k" ? bytes : null) }],
    ["R2", { kind: "r2", binding: "MINE", key: "k" }, { get: async () => ({ arrayBuffer: async () => bytes }) }],
  ])("%s", async (_, from, MINE) => {
    const { ask } = gatewayEdge({ image, source, deployment: config(from), env: { MINE } });
    expect((await ask("/t/x")).body.code).toBe(12);
    expect((await ask("/ixo/entity/params")).status).toBe(200);
  });

  test.each<[string, unknown]>([
    ["no descriptor set", new Uint8Array([1, 2, 3]).buffer],
    ["no bytes", {}],
  ])("%s is a fault of configuration", async (_, MINE) => {
    const text = JSON.stringify({ deployments: [{ name: "a", sets: ["mine"] }], images });
    const { ask, surface, env } = gatewayEdge({ image, source, deployment: text, env: { MINE } });
    expect((await ask("/t/x")).status).toBe(500);
    expect(surface.configProblems(env)[0]?.message).toContain("/images/mine");
  });
});

describe("health", () => {
  const deployment = {
    nodes: [{ kind: "grpc-web", url: "https://node.invalid" }],
    upstream: { retries: 0, breaker: { failures: 1 } },
  };
  const platform = { fetch: async () => Promise.reject(new TypeError("refused")) };

  test("a dead node does not change /health; /healthz of the gateway's own host is 503", async () => {
    const env = {
      SURFACE_HOSTS: '{"gateway.test":["query-gateway"]}',
      DATABASE: { prepare: () => ({ first: async () => ({}) }) },
    };
    const { ask } = gatewayEdge({ image, source, deployment, platform, env });
    expect((await ask("/healthz")).body).toEqual({
      status: "ok",
      nodes: [{ name: "grpc-web-1", kind: "grpc-web", state: "ok", height: null }],
    });
    expect((await ask("/ixo/token/params")).status).toBe(503);
    const own = await ask("/healthz");
    expect([own.status, own.body.status, own.body.nodes[0].state]).toEqual([503, "error", "open"]);
    const shared = await ask("/health");
    expect([shared.status, shared.body.status, shared.body.gateway.nodes[0].state]).toEqual([200, "ok", "open"]);
  });
});
