/** What is cached, for whom, and how much; the platform's cache is a map here. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { frame, GRPC_WEB, trailers } from "../../../test/support/query-gateway/misbehaving-node.ts";
import { createAnswerCache, type GatewayAnswer } from "./answer-cache.ts";

const image = ixoImage();
const PATH = "/ixo/token/params";
const at = (height: string) => ({ headers: { "x-cosmos-block-height": height } });

/** A gateway over a node that is at height 100, and reports `reported(height)` for a requested one. */
function gateway(
  deployment: object = {},
  stored = new Map<string, Response>(),
  reported = (height: string) => height,
  env: object = {},
) {
  const settings = { nodes: [{ kind: "lcd", url: "https://node.test" }], ...deployment };
  const answer = (height: string): Response => {
    const headers = {
      "Content-Type": "application/json",
      "Grpc-Metadata-X-Cosmos-Block-Height": reported(height) || "none",
    };
    return new Response("{}", { headers });
  };
  return cachingEdge(image, settings, stored, answer, env);
}

/** `asked`: the heights for which the node was called, with 100 for the latest. */
function cachingEdge(
  image: Uint8Array,
  deployment: object,
  stored: Map<string, Response>,
  answer: (height: string) => Response,
  env: object = {},
) {
  const asked: string[] = [];
  const edge = gatewayEdge({
    image,
    source: entitiesInNode(),
    deployment: { chainId: "fixture-1", upstream: { retries: 0 }, ...deployment },
    env: { KEY: "right", ...env },
    platform: {
      sharedCache: () => ({
        match: async (key) => stored.get(String(key))?.clone(),
        put: async (key, response) => void stored.set(String(key), response),
      }),
      fetch: async (url, init) => {
        // This node does not report its chain.
        if (/blocks\/latest|GetLatestBlock$/.test(url)) return new Response(null, { status: 501 });
        const height = new Headers(init.headers).get("x-cosmos-block-height") ?? "100";
        asked.push(height);
        return answer(height);
      },
    },
  });
  return { ...edge, asked };
}

describe("downstream caches", () => {
  test("Vary names the height headers, at the latest height, on a 304 and with CORS too [QG-102]", async () => {
    const { ask, settled } = gateway({ cors: { origins: ["https://app.example"] } });
    const latest = await ask(PATH);
    const old = await ask(PATH, at("10"));
    await settled();
    const known = await ask(PATH, { headers: { ...at("10").headers, "If-None-Match": "*" } });
    expect([latest.status, old.status, known.status]).toEqual([200, 200, 304]);
    for (const { headers } of [latest, old, known])
      expect(headers.get("Vary")).toBe("Grpc-Metadata-X-Cosmos-Block-Height, X-Cosmos-Block-Height, Origin");
  });

  test("a response cached before access was limited is not public after it [QG-101]", async () => {
    const stored = new Map<string, Response>();
    const open = gateway({}, stored);
    await open.ask(PATH);
    expect((await open.ask(PATH, at("10"))).headers.get("Cache-Control")).toMatch(/^public/);
    await open.settled();
    expect(stored.size).toBe(1);
    const gate = { mode: "apiKey", keys: [{ secret: "secret:KEY", label: "k" }] };
    const gated = gateway({ gate }, stored);
    const as = (height: object) => gated.ask(PATH, { headers: { ...height, "X-API-Key": "right" } });
    await as({});
    expect((await as(at("10").headers)).headers.get("Cache-Control")).toMatch(/^private/);
    expect((await gated.ask(PATH, at("10"))).status).toBe(401);
  });
});

test("a response from a height other than the requested one is not cached [QG-98]", async () => {
  const { ask, asked, settled } = gateway({}, new Map(), () => "100");
  await ask(PATH);
  for (const _ of [1, 2]) {
    const { headers } = await ask(PATH, at("10"));
    await settled();
    expect([headers.get("Cache-Control"), headers.get("X-Cosmos-Block-Height")]).toEqual(["no-cache", "100"]);
  }
  expect(asked).toEqual(["100", "10", "10"]);
});

test("a response without a height is not cached [QG-98]", async () => {
  const stored = new Map<string, Response>();
  const { ask, asked, settled } = gateway({}, stored, (height) => (height === "100" ? height : ""));
  await ask(PATH);
  for (const _ of [1, 2]) {
    const { status, headers } = await ask(PATH, at("10"));
    await settled();
    expect([status, headers.get("Cache-Control"), headers.has("X-Cosmos-Block-Height")]).toEqual([
      200,
      "no-cache",
      false,
    ]);
  }
  expect([asked, stored.size]).toEqual([["100", "10", "10"], 0]);
});

test.each<[string, object, object]>([
  ["another node", { nodes: [{ kind: "lcd", url: "https://other.test" }] }, {}],
  ["another ENVIRONMENT", {}, { ENVIRONMENT: "staging" }],
  ["another embedded seed", { embedded: {} }, {}],
])("a response that is cached for a year is not found by a Worker with %s [QG-134]", async (_, deployment, env) => {
  const stored = new Map<string, Response>();
  const first = gateway({}, stored);
  await first.ask(PATH);
  await first.ask(PATH, at("10"));
  await first.settled();
  expect(stored.size).toBe(1);
  const [same, different] = [gateway({}, stored), gateway(deployment, stored, (height) => height, env)];
  await same.ask(PATH, at("10"));
  await different.ask(PATH, at("10"));
  expect([same.asked, different.asked]).toEqual([[], ["10"]]);
});

test("without a chainId no response is final [QG-135]", async () => {
  const stored = new Map<string, Response>();
  const { ask, asked, settled } = gateway({ chainId: "" }, stored);
  await ask(PATH);
  for (const _ of [1, 2]) expect((await ask(PATH, at("10"))).headers.get("Cache-Control")).toBe("no-cache");
  await settled();
  expect([asked, stored.size]).toEqual([["100", "10", "10"], 0]);
});

test("an impossible height makes nothing final [QG-98]", async () => {
  const { ask } = gateway({}, new Map(), (height) => (height === "100" ? "9223372036854775807" : height));
  await ask(PATH);
  expect((await ask(PATH, at("9223372036854775805"))).headers.get("Cache-Control")).toBe("no-cache");
});

describe("after an update [QG-97]", () => {
  const fixture = fixtureImage();
  /** An All whose id is "x", and one with a field that no descriptor set has. */
  const known = Uint8Array.of(0x0a, 1, 0x78);
  const unknown = Uint8Array.from([...known, 0xfa, 0x7f, 1, 0x79]);

  /** Another release of this set: different bytes, equal types. */
  const newer = toBinary(FileDescriptorSetSchema, {
    ...fromBinary(FileDescriptorSetSchema, fixture),
    $unknown: [{ no: 9_999, wireType: WireType.Varint, data: Uint8Array.of(1) }],
  });

  function over(image: Uint8Array, stored: Map<string, Response>, message: Uint8Array) {
    const body = Uint8Array.from([...frame(0, message), ...trailers({ "grpc-status": "0" })]);
    const settings = { nodes: [{ kind: "grpc-web", url: "https://node.test" }] };
    return cachingEdge(image, settings, stored, (height) => {
      return new Response(body, { headers: { "Content-Type": GRPC_WEB, "x-cosmos-block-height": height } });
    });
  }

  test("of the descriptor set, earlier cached responses are not found", async () => {
    const stored = new Map<string, Response>();
    const first = over(fixture, stored, known);
    await first.ask("/t/x");
    await first.ask("/t/x", at("10"));
    await first.settled();
    expect(stored.size).toBe(1);
    const [same, updated] = [over(fixture, stored, known), over(newer, stored, known)];
    await same.ask("/t/x", at("10"));
    await updated.ask("/t/x", at("10"));
    expect([same.asked, updated.asked]).toEqual([[], ["10"]]);
  });

  test("a response with a field that the descriptor set does not know is not cached [QG-55, QG-98]", async () => {
    const stored = new Map<string, Response>();
    const { ask, settled } = over(fixture, stored, unknown);
    await ask("/t/x");
    const { status, headers } = await ask("/t/x", at("10"));
    await settled();
    expect([status, headers.get("Cache-Control"), stored.size]).toEqual([200, "no-cache", 0]);
  });
});

describe("memory [QG-105]", () => {
  const lasting = { storedAt: 0, seconds: 60, staleSeconds: 0 };
  const answerOf = (size: number): GatewayAnswer => ({
    status: 200,
    contentType: "application/json",
    body: new Uint8Array(size),
    etag: "",
    cacheControl: "",
  });

  test.each([
    ["large bodies", 900_000, "", 20],
    ["long keys with empty bodies", 0, "k".repeat(10_000), 2000],
    ["very many tiny ones", 1, "", 40_000],
  ])("%s evict the oldest", async (_, size, prefix, count) => {
    const cache = createAnswerCache(
      () => 0,
      () => undefined,
    );
    for (let each = 0; each < count; each += 1) await cache.put(`${prefix}${each}`, answerOf(size), lasting);
    expect(await cache.get(`${prefix}0`)).toBeUndefined();
    expect(await cache.get(`${prefix}${count - 1}`)).toBeDefined();
  });

  test("an entry that is written again counts once", async () => {
    const cache = createAnswerCache(
      () => 0,
      () => undefined,
    );
    await cache.put("first", answerOf(10), lasting);
    for (let each = 0; each < 100; each += 1) await cache.put("again", answerOf(900_000), lasting);
    expect(await cache.get("first")).toBeDefined();
  });
});
