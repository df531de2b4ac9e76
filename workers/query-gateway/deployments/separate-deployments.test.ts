/** Several deployments of one gateway: which one answers, and a wrong one that fails alone. */
import { describe, expect, test } from "vitest";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { BUILD_PAUSE_MS } from "../gateway.ts";
import { image, source, parse, problemsOf } from "../../../test/support/query-gateway/gateway-configs.ts";

describe("several deployments [QG-114]", () => {
  const GATEWAY_CONFIG = JSON.stringify({
    deployments: [
      { name: "host", match: { host: "Gateway.Test" }, protocolPrefix: "acme", legacyPrefixes: ["old"] },
      { name: "mount", match: { mount: "/chain" } },
      { name: "rest" },
    ],
  });

  test("the first that fits by host and mount answers", async () => {
    const { call } = gatewayEdge({ image, source, deployment: GATEWAY_CONFIG });
    // This host belongs only to the first one.
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

describe("one wrong deployment fails alone [QG-115]", () => {
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
    ["an image", { name: "bad", sets: ["mine"] }, "/images/mine: the binding contains no bytes"],
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

  test("health reports the reason before the first request, and when no deployment is right", async () => {
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

  test("the gateway's own host stays in service with a wrong deployment, and not without a right one", async () => {
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

  test("a match that is wrong blocks no other deployment", async () => {
    const config = { deployments: [{ name: "bad", match: { host: 7 } }, { name: "good" }] };
    const { ask } = gatewayEdge({ image, source, deployment: JSON.stringify(config) });
    expect((await ask("/ixo/entity/params")).status).toBe(200);
  });

  test("an image that comes back brings its deployment back, and leaves the others as they were [QG-120]", async () => {
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

describe("a deployment that no request can reach [QG-114]", () => {
  test.each<[string, object, object]>([
    ["two without a match", {}, {}],
    ["the same host", { host: "a.example" }, { host: "A.example" }],
    ["the same mount", { mount: "/chain" }, { mount: "/chain" }],
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
    ["a mount whose name begins alike", { mount: "/chain" }, { mount: "/chains" }],
    ["a mount of one host before that mount of all", { host: "a.example", mount: "/chain" }, { mount: "/chain" }],
  ])("%s: both are reached", (_, first, second) => {
    const config = {
      deployments: [
        { name: "one", match: first },
        { name: "two", match: second },
      ],
    };
    expect(problemsOf(parse(config))).toEqual([]);
  });
});
