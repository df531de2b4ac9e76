/** `GATEWAY_CONFIG`: defaults, faults by their pointer, secrets and descriptor sets by their binding. */
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";
import type { ConfigProblem } from "../../../platform/config.ts";
import { BUILD_PAUSE_MS } from "../gateway.ts";
import { parseGatewayConfig } from "./config.ts";

const image = ixoImage();
const source = entitiesInNode();
const parse = (config: unknown, env: object = {}) =>
  parseGatewayConfig({ GATEWAY_CONFIG: typeof config === "string" ? config : JSON.stringify(config), ...env });
const one = (deployment: object, env: object = {}) => parse({ deployments: [{ name: "a", ...deployment }] }, env);

function problemsOf(parsed: ReturnType<typeof parseGatewayConfig>): readonly ConfigProblem[] {
  if (!parsed.ok) return parsed.error;
  return [...parsed.value.broken.flatMap((each) => each.problems), ...parsed.value.problems];
}

test.each([undefined, "", "  "])(
  "if unset (%j) there is one embedded profile under ixo [QG-89, QG-113]",
  (GATEWAY_CONFIG) => {
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
            limits: {
              bodyBytes: 1_000_000,
              responseBytes: 10_485_760,
              timeoutMs: 10_000,
              pageLimit: 1000,
              nesting: 32,
            },
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
  },
);

test("a worked example [QG-113]", () => {
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

describe("problems are reported by their pointer [QG-113, QG-116, QG-117]", () => {
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
    const problems = problemsOf(parse(config));
    expect(problems).toMatchObject([{ variable: "GATEWAY_CONFIG", message: expect.any(String) }]);
    expect(problems[0]?.message.startsWith(pointer)).toBe(true);
    // Never the wrong value itself.
    expect(JSON.stringify(problems)).not.toContain("open text");
  });

  test.each<[string, object]>([
    ['/deployments/0/name: must be a string, such as "main"', { name: 7 }],
    ["/deployments/0/limits/timeoutMs: must be a whole number", { limits: { timeoutMs: "10" } }],
    ["/deployments/0/limits/bodyBytes: must be at least 0", { limits: { bodyBytes: -1 } }],
    ["/deployments/0/query/strict: must be true or false", { query: { strict: "yes" } }],
    ["/deployments/0/nodes: must be a list, such as []", { nodes: {} }],
    ['/deployments/0/json/unknownAny: must be one of "value", "error"', { json: { unknownAny: "x" } }],
    [
      '/deployments/0/limits: unknown member "pagesLimit"; docs/query-gateway-configuration.md lists the known members',
      { limits: { pagesLimit: 1 } },
    ],
    ["/deployments/0/match/mount: must start with a slash, such as /chain", { match: { mount: "chain" } }],
    ['/deployments/0/rate: must be "off" or like {"perMinute": 1200, "by": "ip"}', { rate: "on" }],
    [
      "/deployments/0/cors/credentials: must be false where origins has *, since browsers refuse both together; or list the origins",
      { cors: { origins: ["*"], credentials: true } },
    ],
  ])("%s", (message, deployment) => {
    expect(problemsOf(one(deployment)).map((each) => each.message)).toEqual([message]);
  });

  function gated(secret: string): object {
    return { deployments: [{ name: "a", gate: { mode: "bearer", keys: [{ secret, label: "k" }] } }] };
  }

  test("a binding of a missing descriptor set", () => {
    const images = { mine: { kind: "r2", binding: "BUCKET", key: "k" } };
    for (const sets of [["ixo"], ["mine"]]) {
      const [problem, ...more] = problemsOf(parse({ deployments: [{ name: "a", sets }], images }));
      expect(problem?.message).toBe("/images/mine: the binding BUCKET does not exist; add it to wrangler.toml");
      // Once as the profile's fault, once as the set's.
      expect(more).toHaveLength(sets.includes("mine") ? 1 : 0);
    }
  });

  test("names of members of Object.prototype are not sets", () => {
    expect(one({ sets: ["constructor"] }).ok).toBe(false);
  });
});

describe("faults that only the routes show [QG-118]", () => {
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
  ])("%j is a configuration error on every route", async (deployment, reason) => {
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

  test("health reports a prefix of another surface before the first request", async () => {
    const { ask } = gatewayEdge({ image, source, deployment: { protocolPrefix: "v1" } });
    expect((await ask("/health")).body.misconfigured).toEqual({ "query-gateway": ["GATEWAY_CONFIG"] });
  });

  test("a prefix below a mount does not collide", async () => {
    const deployment = { protocolPrefix: "v1", match: { mount: "/chain" } };
    const { ask } = gatewayEdge({ image, source, deployment });
    expect([(await ask("/chain/v1/token/params")).status, (await ask("/v1/token/params")).status]).toEqual([200, 404]);
  });
});

describe("several profiles [QG-114]", () => {
  const GATEWAY_CONFIG = JSON.stringify({
    deployments: [
      { name: "host", match: { host: "Gateway.Test" }, protocolPrefix: "acme", legacyPrefixes: ["old"] },
      { name: "mount", match: { mount: "/chain" } },
      { name: "rest" },
    ],
  });

  test("the first that matches by host and mount answers", async () => {
    const { call } = gatewayEdge({ image, source, deployment: GATEWAY_CONFIG });
    // Only the first one has this host.
    expect((await call("/ixo/token/params")).status).toBe(404);
    expect((await call("/old/token/params")).headers.get("Link")).toBe('</acme/token/params>; rel="successor-version"');
  });

  test("a link below a mount includes it", async () => {
    const deployment = { match: { mount: "/chain" } };
    const { ask } = gatewayEdge({ image, source, deployment });
    const { headers } = await ask("/chain/ixo/claim/claim-1");
    expect(headers.get("Link")).toBe('</chain/ixo/claims/claim/claim-1>; rel="successor-version"');
    for (const path of ["/chain", "/chain/", "/chainixo/token/params"]) expect((await ask(path)).status).toBe(404);
  });
});

describe("one wrong profile fails alone [QG-115]", () => {
  test.each<[string, object, string]>([
    [
      "a member",
      { name: "bad", limits: { pageLimit: "x" } },
      "/deployments/0/limits/pageLimit: must be a whole number",
    ],
    ["a set", { name: "bad", sets: ["other"] }, "/deployments/0/sets/0: must be ixo, file or a name in images"],
    [
      "a secret",
      { name: "bad", gate: { mode: "bearer", keys: [{ secret: "secret:NONE", label: "k" }] } },
      "the secret NONE is not bound",
    ],
    [
      "a route",
      { name: "bad", aliases: { extra: [{ path: "/x", method: "no.Such/Method" }] } },
      "/deployments/0: alias no.Such/Method /x",
    ],
    ["an image", { name: "bad", sets: ["mine"] }, "/images/mine: the binding holds no bytes"],
    [
      "a seed",
      { name: "bad", embedded: { seed: "NONE" } },
      "/deployments/0: embedded.seed: NONE does not contain a JSON object",
    ],
  ])("%s", async (_, bad, reason) => {
    const config = {
      deployments: [{ ...bad, match: { mount: "/bad" } }, { name: "good" }],
      images: { mine: { kind: "data", binding: "MINE" } },
    };
    const { ask, log } = gatewayEdge({ image, source, deployment: JSON.stringify(config), env: { MINE: {} } });
    expect((await ask("/bad/ixo/entity/params")).status).toBe(500);
    expect((await ask("/ixo/entity/params")).status).toBe(200);
    const { status, body } = await ask("/health");
    expect([body.misconfigured, body.gateway.status]).toEqual([undefined, "error"]);
    expect(body.gateway.problems).toEqual([{ variable: "GATEWAY_CONFIG", message: expect.stringContaining(reason) }]);
    expect(status).toBe(body.database === "connected" ? 200 : 503);
    expect(log.filter((line) => line.startsWith("error configuration-wrong"))).toHaveLength(1);
    expect(log.join()).toContain(JSON.stringify(`GATEWAY_CONFIG ${body.gateway.problems[0].message}`));
  });

  test("health reports the reason before the first request, and if no profile is valid", async () => {
    const early = gatewayEdge({
      image,
      source,
      deployment: JSON.stringify({ deployments: [{ name: "a" }, { name: "b" }] }),
    });
    expect((await early.ask("/health")).body.gateway).toMatchObject({
      status: "error",
      problems: [{ variable: "GATEWAY_CONFIG", message: expect.stringContaining("/deployments/1/match") }],
    });
    const none = gatewayEdge({ image, source, deployment: "{" });
    const { body } = await none.ask("/health");
    expect(body.gateway.problems[0].message).toMatch(/^must be JSON, such as \{"deployments"/);
    expect(body.misconfigured).toBeDefined();
  });

  test("the gateway's own host stays in service with a wrong profile, but not without a valid one", async () => {
    const env = { SURFACE_HOSTS: '{"gateway.test":["query-gateway"]}' };
    const statusOf = async (deployments: readonly object[]) => {
      const { ask } = gatewayEdge({ image, source, deployment: JSON.stringify({ deployments }), env });
      const { status, body } = await ask("/healthz");
      return [status, body.status, body.problems.length];
    };
    expect(await statusOf([{ name: "bad", match: { mount: "/bad" }, sets: ["none"] }, { name: "good" }])).toEqual([
      200,
      "error",
      1,
    ]);
    expect(await statusOf([{ name: "bad", sets: ["none"] }])).toEqual([503, "error", 1]);
  });

  test("a wrong match blocks no other profile", async () => {
    const config = { deployments: [{ name: "bad", match: { host: 7 } }, { name: "good" }] };
    const { ask } = gatewayEdge({ image, source, deployment: JSON.stringify(config) });
    expect((await ask("/ixo/entity/params")).status).toBe(200);
  });

  test("a descriptor set that returns restores its profile, and leaves the others unchanged [QG-120]", async () => {
    const clock = createManualClock();
    const bytes = new Uint8Array(fixtureImage()).buffer;
    let stored: ArrayBuffer | null = null;
    let reads = 0;
    const config = {
      deployments: [
        { name: "own", match: { mount: "/own" }, sets: ["own"] },
        { name: "good", rate: { perMinute: 1 } },
      ],
      images: { own: { kind: "kv", binding: "IMAGES", key: "own" } },
    };
    const { ask } = gatewayEdge({
      image,
      source,
      deployment: JSON.stringify(config),
      env: {
        IMAGES: {
          get: async () => {
            reads += 1;
            return stored;
          },
        },
      },
      platform: { clock: clock.now },
    });
    expect([(await ask("/own/t/x")).status, (await ask("/ixo/entity/params")).status]).toEqual([500, 200]);
    stored = bytes;
    clock.advance(BUILD_PAUSE_MS - 1);
    expect([(await ask("/own/t/x")).status, reads]).toEqual([500, 1]);
    clock.advance(1);
    expect([(await ask("/own/t/x")).status, (await ask("/ixo/entity/params")).status]).toEqual([501, 429]);
    clock.advance(BUILD_PAUSE_MS);
    expect([(await ask("/own/t/x")).status, reads]).toEqual([501, 2]);
    expect((await ask("/health")).body.gateway.problems).toBeUndefined();
  });
});

describe("a profile that no request can reach [QG-114]", () => {
  test.each<[string, object, object]>([
    ["two without a match", {}, {}],
    ["an equal host", { host: "a.example" }, { host: "A.example" }],
    ["an equal mount", { mount: "/chain" }, { mount: "/chain" }],
    ["a mount below another", { mount: "/chain" }, { mount: "/chain/two" }],
    ["a host after all hosts", {}, { host: "a.example" }],
    ["a host and a mount after that mount of all hosts", { mount: "/chain" }, { host: "a.example", mount: "/chain" }],
  ])("%s: the error names both", (_, first, second) => {
    const config = {
      deployments: [
        { name: "one", match: first },
        { name: "two", match: second },
      ],
    };
    const [problem, ...more] = problemsOf(parse(config));
    expect(problem?.message).toMatch(
      /^\/deployments\/1\/match: no request can reach "two", because "one" comes first and answers every path/,
    );
    expect(more).toEqual([]);
  });

  test.each<[string, object, object]>([
    ["a host before all hosts", { host: "a.example" }, {}],
    ["two hosts", { host: "a.example" }, { host: "b.example" }],
    ["a mount before all paths", { mount: "/chain" }, {}],
    ["a mount whose name shares a prefix", { mount: "/chain" }, { mount: "/chains" }],
    ["a mount of one host before that mount of all", { host: "a.example", mount: "/chain" }, { mount: "/chain" }],
  ])("%s: both can be reached", (_, first, second) => {
    const config = {
      deployments: [
        { name: "one", match: first },
        { name: "two", match: second },
      ],
    };
    expect(problemsOf(parse(config))).toEqual([]);
  });
});

describe("any origin [QG-111]", () => {
  test("can be allowed, without credentials and without distinguishing origins", async () => {
    const { ask, call } = gatewayEdge({ image, source, deployment: { cors: { origins: ["*"] } } });
    const { headers } = await ask("/ixo/entity/params", { headers: { Origin: "https://any.example" } });
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Vary")).not.toContain("Origin");
    expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
    const preflight = await call("OPTIONS /ixo/entity/params", { headers: { Origin: "null" } });
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"]);
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toBe("GET, HEAD, OPTIONS");
  });
});
