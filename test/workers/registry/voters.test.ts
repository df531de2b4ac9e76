/** The voter roll. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { registryEdge } from "../../support/registry-edge.ts";

const { DATABASE } = env;
const key = "the-admin-of-the-roll";
const edge = registryEdge({
  DATABASE,
  REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([{ key, did: "did:web:admin.test", scopes: ["registry:admin"] }]),
});
const ada = "did:web:ada.test";
const put = (did: string, body: unknown) => edge.ask("PUT", `/v1/voters/${did}`, { key, body });

beforeEach(async () => {
  await DATABASE.prepare("DELETE FROM voters").run();
});

test("a voter is added, changed, read and removed [RG-100]", async () => {
  const added = await put(ada, { weight: 3, label: "Board" });
  expect([added.status, added.headers.get("Location")]).toEqual([201, `/v1/voters/${ada}`]);
  const at = edge.clock.now;
  edge.clock.now += 5_000;
  const changed = await put(ada, { weight: 4 });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({
    did: ada,
    weight: 4,
    label: null,
    addedAt: new Date(at).toISOString().replace(".000", ""),
    updatedAt: new Date(at + 5_000).toISOString().replace(".000", ""),
  });
  expect((await edge.ask("GET", `/v1/voters/${ada}`, { key })).body).toEqual(changed.body);
  expect((await edge.ask("GET", `/v1/voters/${encodeURIComponent(ada)}`, { key })).body).toEqual(changed.body);
  expect((await edge.ask("DELETE", `/v1/voters/${ada}`, { key })).status).toBe(204);
  expect((await edge.ask("GET", `/v1/voters/${ada}`, { key })).status).toBe(404);
  expect((await edge.ask("DELETE", `/v1/voters/${ada}`, { key })).status).toBe(404);
});

test.each<[unknown, number, string | undefined]>([
  [{ weight: 1 }, 201, undefined],
  [{ weight: 1_000_000, label: "x".repeat(200) }, 201, undefined],
  [{ weight: 0 }, 400, "range"],
  [{ weight: 1_000_001 }, 400, "range"],
  [{ weight: 1.5 }, 400, "type"],
  [{ weight: "3" }, 400, "type"],
  [{}, 400, "required"],
  [{ weight: 1, label: "x".repeat(201) }, 400, "length"],
  [{ weight: 1, power: 2 }, 400, "unknown_field"],
])("%j is a %i [RG-11, RG-100]", async (body, status, code) => {
  const answer = await put(ada, body);
  expect([answer.status, answer.body.errors?.[0].code]).toEqual([status, code]);
});

test("a DID that is none is a 400, not a 404", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await edge.ask(method, "/v1/voters/alice", { key, ...(method === "PUT" ? { body: {} } : {}) });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_did"]);
  }
});

test("only registry:admin keeps the roll", async () => {
  const other = await edge.keyOf("did:web:other.test", ["domains:write", "verification:vote"]);
  for (const [method, path] of [
    ["GET", "/v1/voters"],
    ["GET", `/v1/voters/${ada}`],
    ["PUT", `/v1/voters/${ada}`],
    ["DELETE", `/v1/voters/${ada}`],
  ] as const) {
    expect([path, (await edge.ask(method, path, { key: other })).status]).toEqual([path, 403]);
    expect([path, (await edge.ask(method, path)).status]).toEqual([path, 401]);
  }
});

describe("the list", () => {
  test("is walked by DID, each voter once", async () => {
    const dids = Array.from({ length: 7 }, (_, at) => `did:web:voter-${at}.test`);
    for (const did of dids.toReversed()) await put(did, { weight: 1 });
    const walked: string[] = [];
    for (let path: string | undefined = "/v1/voters?limit=3"; path !== undefined;) {
      const { body, headers } = await edge.ask("GET", path, { key });
      walked.push(...body.data.map(({ did }: { did: string }) => did));
      path = /<([^>]+)>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
      expect(body.page).toMatchObject({ limit: 3, hasMore: path !== undefined });
    }
    expect(walked).toEqual(dids);
  });
});

test("the roll takes 10 000 voters and not one more; those in it can still be changed [RG-100]", async () => {
  await DATABASE.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
     INSERT INTO voters SELECT 'did:web:v' || n || '.test', 1, NULL, 0, 0 FROM numbers`,
  ).run();
  expect((await put(ada, { weight: 1 })).status).toBe(201);
  const refused = await put("did:web:late.test", { weight: 1 });
  expect([refused.status, refused.body.code]).toEqual([400, "validation_failed"]);
  expect((await put(ada, { weight: 2 })).status).toBe(200);
});
