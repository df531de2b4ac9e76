/** What is kept of answers, for whom, and how much of it (contract D, section 12); the platform's own cache is a map here. */
import { describe, expect, test } from "vitest";
import { gatewayEdge } from "../../../test/support/gateway-edge.ts";
import { ixoImage } from "../../../test/support/gateway-fixture.ts";
import { standInEntities } from "../../../test/support/stand-in-entities.ts";
import { createAnswerCache, type StoredAnswer } from "./answer-cache.ts";

const image = ixoImage();
const PATH = "/ixo/token/params";
const at = (height: string) => ({ headers: { "x-cosmos-block-height": height } });

/** A gateway over a node that is at height 100, and says of an older one what `told` makes of it. */
function gateway(deployment: object = {}, stored = new Map<string, Response>(), told = (height: string) => height) {
  const asked: string[] = [];
  const platformCache = {
    match: async (key: unknown) => stored.get(String(key))?.clone(),
    put: async (key: unknown, response: Response) => void stored.set(String(key), response),
  };
  const edge = gatewayEdge({
    image,
    source: standInEntities(),
    deployment: { nodes: [{ kind: "lcd", url: "https://node.test" }], upstream: { retries: 0 }, ...deployment },
    env: { KEY: "right" },
    platform: {
      sharedCache: () => platformCache,
      fetch: async (_, init) => {
        const height = new Headers(init.headers).get("x-cosmos-block-height") ?? "100";
        asked.push(height);
        return new Response("{}", {
          headers: { "Content-Type": "application/json", "Grpc-Metadata-X-Cosmos-Block-Height": told(height) },
        });
      },
    },
  });
  return { ...edge, asked };
}

describe("caches before us", () => {
  test("an answer says that it depends on the height, also where it is latest, known already, or for one origin", async () => {
    const { ask, settled } = gateway({ cors: { origins: ["https://app.example"] } });
    const latest = await ask(PATH);
    const old = await ask(PATH, at("10"));
    await settled();
    const known = await ask(PATH, { headers: { ...at("10").headers, "If-None-Match": "*" } });
    expect([latest.status, old.status, known.status]).toEqual([200, 200, 304]);
    for (const { headers } of [latest, old, known])
      expect(headers.get("Vary")).toBe("Grpc-Metadata-X-Cosmos-Block-Height, X-Cosmos-Block-Height, Origin");
  });

  test("what was stored before the gate came is not public behind it", async () => {
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

test("a node that answers from another height than it was asked for is kept by nobody", async () => {
  const { ask, asked, settled } = gateway({}, new Map(), () => "100");
  await ask(PATH);
  for (const _ of [1, 2]) {
    const { headers } = await ask(PATH, at("10"));
    await settled();
    expect([headers.get("Cache-Control"), headers.get("X-Cosmos-Block-Height")]).toEqual(["no-cache", "100"]);
  }
  expect(asked).toEqual(["100", "10", "10"]);
});

describe("memory", () => {
  const answerOf = (size: number): StoredAnswer => ({
    status: 200,
    contentType: "application/json",
    body: new Uint8Array(size),
    etag: "",
    cacheControl: "",
  });

  test.each([
    ["great bodies", 900_000, "", 20],
    ["long keys over nothing", 0, "k".repeat(10_000), 2000],
    ["very many of almost nothing", 1, "", 40_000],
  ])("%s push out the oldest", async (_, size, prefix, count) => {
    const cache = createAnswerCache(
      () => 0,
      () => undefined,
    );
    for (let each = 0; each < count; each += 1) await cache.put(`${prefix}${each}`, answerOf(size), 60);
    expect(await cache.get(`${prefix}0`)).toBeUndefined();
    expect(await cache.get(`${prefix}${count - 1}`)).toBeDefined();
  });

  test("an entry that is written again counts once", async () => {
    const cache = createAnswerCache(
      () => 0,
      () => undefined,
    );
    await cache.put("first", answerOf(10), 60);
    for (let each = 0; each < 100; each += 1) await cache.put("again", answerOf(900_000), 60);
    expect(await cache.get("first")).toBeDefined();
  });
});
