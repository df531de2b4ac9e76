/** `GATEWAY_CONFIG`: defaults, faults by their pointer, secrets and descriptor sets by their binding. */
import { describe, expect, test } from "vitest";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { parseGatewayConfig } from "./config.ts";
import { image, source, parse, problemsOf } from "../../../test/support/query-gateway/gateway-configs.ts";

const one = (deployment: object, env: object = {}) => parse({ deployments: [{ name: "a", ...deployment }] }, env);

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
      // The fault is reported once for the profile and once for the set.
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
