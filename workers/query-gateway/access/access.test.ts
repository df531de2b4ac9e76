/** Access to a chain profile, and the cost of wrong keys. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { FAILED_ATTEMPTS_PER_MINUTE } from "../../../platform/http/attempt-limit.ts";
import { UNGUESSABLE_LENGTH } from "../../../platform/http/attempt-limit.ts";
import { opensPath } from "./authenticate.ts";

const image = ixoImage();
const source = entitiesInNode();
const PATH = "/ixo/token/params";
const keys = [
  { secret: "secret:ONE", label: "one" },
  { secret: "secret:TWO", label: "two", allow: ["/ixo/token/*"] },
];
const env = { ONE: "user:pass word", TWO: "second-key" };

function edge(gate: object, more: object = {}) {
  return gatewayEdge({ image, source, deployment: { gate: { keys, ...gate } }, env: { ...env, ...more } });
}

const basic = (text: string) => `Basic ${btoa(text)}`;

describe.each([
  ["bearer", "Authorization", "Bearer second-key", "Bearer no"],
  ["apiKey", "X-API-Key", "second-key", "no"],
  ["basic", "Authorization", basic("user:pass word"), basic("user:no")],
])("%s", (mode, header, right, wrong) => {
  test.each([
    [{}, 401, 16],
    [{ [header]: wrong }, 403, 7],
  ])("%j is refused [QG-107]", async (headers, status, code) => {
    const answer = await edge({ mode }).ask(PATH, { headers });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.has("WWW-Authenticate")).toBe(status === 401);
  });

  test("the right one is accepted", async () => {
    expect((await edge({ mode }).ask(PATH, { headers: { [header]: right } })).status).toBe(200);
  });
});

test.each(["Bearer", "Bearer ", "Basic !", "Token second-key", "second-key"])(
  "%j is no credential",
  async (Authorization) => {
    const modes = Authorization.startsWith("Basic") ? "basic" : "bearer";
    expect((await edge({ mode: modes }).ask(PATH, { headers: { Authorization } })).status).toBe(401);
  },
);

test("a key opens the paths that it is for [QG-108]", async () => {
  const { ask } = edge({ mode: "apiKey" });
  const headers = { "X-API-Key": "second-key" };
  expect((await ask(PATH, { headers })).status).toBe(200);
  expect((await ask("/ixo/token/nope/x/y/z", { headers })).status).toBe(404);
  expect((await ask("/ixo/claims/params", { headers })).status).toBe(403);
  expect((await ask("/ixo/tokens", { headers })).status).toBe(403);
});

test("dots and stars in a pattern: only the star is special", async () => {
  const { ask } = edge({ mode: "apiKey", open: ["/ixo.token/*/x", "/ixo/*/params"] });
  expect((await ask("/ixoXtoken/1/x")).status).toBe(401);
  expect((await ask("/ixo.token/1/2/x")).status).toBe(404);
  expect((await ask(PATH)).status).toBe(200);
});

test("a pattern matches like the equivalent regular expression", () => {
  const text = (...alphabet: string[]) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 });
  fc.assert(
    fc.property(text("a", "b", "*"), text("a", "b"), (pattern, path) => {
      expect(opensPath([pattern], path)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(path));
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});

test("many stars over a long path take linear time: an unauthenticated caller chooses the path [QG-108]", () => {
  expect(opensPath(["/*/*/*/*/*/*/x"], `${"/".repeat(16_000)}y`)).toBe(false);
});

describe("after a hundred wrong keys within a minute [QG-109]", () => {
  const LONG = "k".repeat(UNGUESSABLE_LENGTH);
  const keys16 = [{ secret: "secret:LONG", label: "long" }, ...keys];

  async function limited(gateSettings: object = {}, more: object = {}) {
    const settings = { mode: "apiKey", keys: keys16, open: ["/ixo/entity/*"], ...gateSettings };
    const { ask } = edge(settings, { LONG, ...more });
    const as = (address: string, key: string, path = PATH) =>
      ask(path, { headers: { "CF-Connecting-IP": address, "X-API-Key": key } });
    await as("a", "user:pass word");
    for (let attempt = 0; attempt < FAILED_ATTEMPTS_PER_MINUTE; attempt += 1)
      expect((await as("a", `no ${attempt}`)).status).toBe(403);
    return { as, ask };
  }

  test("the next wrong one waits; other addresses do not", async () => {
    const { as } = await limited();
    const { status, body, headers } = await as("a", "no");
    expect([status, body.code, Number(headers.get("Retry-After"))]).toEqual([429, 8, expect.any(Number)]);
    expect((await as("b", "no")).status).toBe(403);
  });

  test("a good key passes: one that was accepted before, and one that cannot be guessed", async () => {
    const { as } = await limited();
    expect((await as("a", "user:pass word")).status).toBe(200);
    expect((await as("a", LONG)).status).toBe(200);
  });

  test("a short new key waits, because it may have been guessed", async () => {
    const { as } = await limited();
    expect((await as("a", "second-key")).status).toBe(429);
    expect((await as("b", "second-key")).status).toBe(200);
    expect((await as("a", "second-key")).status).toBe(200);
  });

  test("of two keys with one label, only the one that was accepted before passes", async () => {
    const { as } = await limited({ keys: [...keys, { secret: "secret:OLD", label: "one" }] }, { OLD: "older-key" });
    expect((await as("a", "user:pass word")).status).toBe(200);
    expect((await as("a", "older-key")).status).toBe(429);
  });

  test("open paths stay open, and a missing key is still a 401 [QG-108]", async () => {
    const { as, ask } = await limited();
    expect((await as("a", "no", "/ixo/entity/params")).status).toBe(200);
    expect((await ask(PATH, { headers: { "CF-Connecting-IP": "a" } })).status).toBe(401);
  });
});

test("a good key on a path that it does not open does not count as a guess [QG-109]", async () => {
  const { ask } = edge({ mode: "apiKey" });
  const as = (key: string, path: string) => ask(path, { headers: { "CF-Connecting-IP": "a", "X-API-Key": key } });
  for (let attempt = 0; attempt <= FAILED_ATTEMPTS_PER_MINUTE; attempt += 1)
    expect((await as("second-key", "/ixo/claims/params")).status).toBe(403);
  expect((await as("no", PATH)).status).toBe(403);
});
