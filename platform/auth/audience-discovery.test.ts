/** The DID of a downstream service. */
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startLocalServer } from "../../test/support/server/local-server.ts";
import { AUDIENCE_LIFETIME, createAudienceDiscovery, MAX_DID_DOCUMENT } from "./audience-discovery.ts";
import type { Fetch } from "./shared-lookups.ts";

let asked: (string | undefined)[] = [];
let answer: { status: number; body: string } | "silence" = "silence";
const server = await startLocalServer((request, _, response) => {
  asked.push(request.url);
  if (answer !== "silence") response.writeHead(answer.status, { Location: "/other" }).end(answer.body);
});
afterAll(() => server.close());

const document = JSON.stringify({ id: "did:web:memory.example" });
let now = 0;
beforeEach(() => {
  asked = [];
  now = 0;
  answer = { status: 200, body: document };
});
const discovery = (timeout?: number) =>
  createAudienceDiscovery({ fetch, clock: () => now, ...(timeout !== undefined && { timeout }) });
const silent = { ok: false, error: { code: "upstream_failed" } };

it("asks the service's origin and caches the DID for ten minutes", async () => {
  const discover = discovery();
  const known = { ok: true, value: "did:web:memory.example" };
  expect(await discover(`${server.origin}/mcp/v1?x=1`)).toEqual(known);
  now = AUDIENCE_LIFETIME - 1;
  expect(await discover(server.origin)).toEqual(known);
  expect(asked).toEqual(["/.well-known/did.json"]);
  now = AUDIENCE_LIFETIME;
  await discover(server.origin);
  expect(asked).toHaveLength(2);
  expect(AUDIENCE_LIFETIME).toBe(600_000);
});

it.each([
  ["not found", { status: 404, body: document }],
  ["a redirect", { status: 301, body: "" }],
  ["text", { status: 200, body: "hello" }],
  ["no id", { status: 200, body: "{}" }],
  ["an id that is not a DID", { status: 200, body: '{"id":"memory"}' }],
  ["a body over the limit", { status: 200, body: document.padEnd(MAX_DID_DOCUMENT + 1) }],
])("does not accept %s as an answer, and does not cache it", async (_, reply) => {
  const discover = discovery();
  answer = reply;
  expect(await discover(server.origin)).toMatchObject(silent);
  answer = { status: 200, body: document.padEnd(MAX_DID_DOCUMENT) };
  expect(await discover(server.origin)).toMatchObject({ ok: true });
});

it("has a time limit", async () => {
  answer = "silence";
  expect(await discovery(50)(server.origin)).toMatchObject(silent);
});

describe("addresses [OR-35]", () => {
  const visited: string[] = [];
  const record: Fetch = (url) => {
    visited.push(url);
    return Promise.resolve(new Response(document));
  };
  const discover = createAudienceDiscovery({ fetch: record, clock: () => 0 });

  it.each(["http://memory.example", "http://localhost.example", "ftp://memory.example", "memory.example", ""])(
    "never requests %j",
    async (url) => {
      expect(await discover(url)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
      expect(visited).toEqual([]);
    },
  );

  it("requests https and this machine", async () => {
    for (const url of ["https://memory.example/x", "http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:2/y"]) {
      expect(await discover(url)).toMatchObject({ ok: true });
    }
    expect(visited).toEqual([
      "https://memory.example/.well-known/did.json",
      "http://localhost:8080/.well-known/did.json",
      "http://127.0.0.1:1/.well-known/did.json",
      "http://[::1]:2/.well-known/did.json",
    ]);
  });
});
