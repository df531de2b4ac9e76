/** Idempotency-Key and the documented curl. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { registryEdge, type RegistryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const DAY = 24 * 60 * 60 * 1000;
const edgeOf = (more: object = {}): RegistryEdge => registryEdge({ DATABASE, ...more });
/** The example of the public documentation, byte for byte. */
const DOCUMENTED =
  '{"type":"Project","protocol":"did:ixo:protocol/clean-cooking","metadata":{"name":"Clean Cooking Project"}}';
const form = { "Content-Type": "application/x-www-form-urlencoded" };

let lastDid = 0;
async function writer(edge: RegistryEdge) {
  const did = `did:web:idempotency-${(lastDid += 1)}.test`;
  const key = await edge.keyOf(did, ["domains:write"]);
  const create = (idempotencyKey: string | undefined, body = DOCUMENTED, credential = key) =>
    edge.ask("POST", "/v1/domains", {
      key: credential,
      body,
      headers: { ...form, ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }) },
    });
  const owned = async (): Promise<number> => {
    const row = await DATABASE.prepare("SELECT count(*) AS n FROM domains WHERE owner = ?")
      .bind(did)
      .first<{ n: number }>();
    return row?.n ?? -1;
  };
  return { did, key, create, owned };
}

describe("one key, one effect", () => {
  test("20 concurrent requests: one domain, 20 equal responses, 19 of them replayed; another body is refused [RG-73, RG-74]", async () => {
    const edge = edgeOf();
    const { create, owned } = await writer(edge);
    const answers = await Promise.all(Array.from({ length: 20 }, () => create("k")));
    const [first] = answers;
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([201, first?.body]);
      expect([headers.get("Location"), headers.get("ETag")]).toEqual([`/v1/domains/${first?.body.id}`, '"v1"']);
    }
    expect(answers.filter(({ headers }) => headers.get("Idempotent-Replayed") === "true")).toHaveLength(19);
    expect(await owned()).toBe(1);

    const other = await create("k", DOCUMENTED.replace("Clean", "Green"));
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(other.body.errors).toMatchObject([{ header: "Idempotency-Key" }]);
    expect(await owned()).toBe(1);
  });

  test("the quotes of a structured string are ignored [RG-72]", async () => {
    const edge = edgeOf();
    const { create, owned } = await writer(edge);
    const [bare, quoted] = [await create("a key"), await create('"a key"')];
    expect(quoted.body).toEqual(bare.body);
    expect(await owned()).toBe(1);
  });

  test("a stored response is replayed for a day, after that the key is new [RG-73]", async () => {
    const edge = edgeOf();
    const { create, owned } = await writer(edge);
    const first = await create("k");
    edge.clock.now += DAY - 1;
    expect((await create("k")).body).toEqual(first.body);
    edge.clock.now += 1;
    const second = await create("k");
    expect(second.headers.get("Idempotent-Replayed")).toBeNull();
    expect(second.body.id).not.toBe(first.body.id);
    expect(await owned()).toBe(2);
    expect((await create("k")).body).toEqual(second.body);
  });

  test("the key belongs to the caller's DID: separate for another caller, shared by another key of this DID [RG-72]", async () => {
    const edge = edgeOf();
    const { did, create, owned } = await writer(edge);
    const stranger = await writer(edge);
    const first = await create("k");
    const second = await edge.keyOf(did, ["domains:write"]);
    expect((await create("k", DOCUMENTED, second)).body).toEqual(first.body);
    expect((await stranger.create("k")).body.id).not.toBe(first.body.id);
    expect([await owned(), await stranger.owned()]).toEqual([1, 1]);
  });

  test("a failed request leaves its key usable [RG-74]", async () => {
    const edge = edgeOf();
    const { create, owned } = await writer(edge);
    expect((await create("k", "{}")).status).toBe(400);
    expect((await create("k")).status).toBe(201);
    expect(await owned()).toBe(1);
  });

  test.each([
    ["", 400],
    ['""', 400],
    ["x".repeat(255), 201],
    ["x".repeat(256), 400],
    ["with\ttab", 400],
    ["ümlaut", 400],
  ])("the key %j is a %i [RG-72]", async (idempotencyKey, status) => {
    const { create } = await writer(edgeOf());
    const answer = await create(idempotencyKey);
    expect(answer.status).toBe(status);
    expect(answer.body.errors?.[0]?.header).toBe(status === 400 ? "Idempotency-Key" : undefined);
  });

  test("without a key every request has its effect", async () => {
    const { create, owned } = await writer(edgeOf());
    await create(undefined);
    await create(undefined);
    expect(await owned()).toBe(2);
  });
});

test("accepts a body of 256 KiB, one byte more is a 413, with or without an Idempotency-Key [RG-29]", async () => {
  const { create } = await writer(edgeOf());
  const padded = (bytes: number): string => DOCUMENTED + " ".repeat(bytes - DOCUMENTED.length);
  for (const idempotencyKey of [undefined, "big"]) {
    expect((await create(idempotencyKey, padded(256 * 1024))).status).toBe(201);
    expect((await create(idempotencyKey, padded(256 * 1024 + 1))).body.code).toBe("body_too_large");
  }
});
