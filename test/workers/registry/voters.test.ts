/** The voter roll. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { ADMIN_TOKEN, registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const key = "the-admin-of-the-roll";
const ADMIN = "did:web:admin.test";
const edge = registryEdge({
  DATABASE,
  REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([
    { key, did: ADMIN, scopes: ["registry:admin"] },
    ...["ada", "late", ...Array.from({ length: 7 }, (_, at) => `voter-${at}`)].map((name) => ({
      key: `the-key-of-the-voter-${name}`,
      did: `did:web:${name}.test`,
      scopes: ["domains:read", "verification:vote"],
    })),
  ]),
});
const ada = "did:web:ada.test";
const put = (did: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  edge.ask("PUT", `/v1/voters/${did}`, { key, body, headers });
const anyVersion = { "If-Match": "*" };

beforeEach(async () => {
  await DATABASE.prepare("DELETE FROM voters").run();
});

test("a voter is added, changed, read and removed [RG-100]", async () => {
  const added = await put(ada, { weight: 3, label: "Board" });
  expect([added.status, added.headers.get("Location")]).toEqual([201, `/v1/voters/${ada}`]);
  const at = edge.clock.now;
  edge.clock.now += 5_000;
  const changed = await put(ada, { weight: 4 }, anyVersion);
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({
    did: ada,
    weight: 4,
    label: null,
    version: added.body.version + 1,
    warning: null,
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

test("an invalid DID is a 400, not a 404", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await edge.ask(method, "/v1/voters/alice", { key, ...(method === "PUT" ? { body: {} } : {}) });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_did"]);
  }
});

test("only registry:admin can change the roll", async () => {
  const other = await edge.keyOf("did:web:other.test", ["domains:write", "verification:vote"]);
  for (const [method, path] of [
    ["GET", "/v1/voters"],
    ["GET", `/v1/voters/${ada}`],
    ["PUT", `/v1/voters/${ada}`],
    ["DELETE", `/v1/voters/${ada}`],
    ["GET", "/v1/voter-changes"],
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

test("the roll accepts 10 000 voters and no more; existing ones can still be changed [RG-100]", async () => {
  await DATABASE.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
     INSERT INTO voters (did, weight, added_at, updated_at) SELECT 'did:web:v' || n || '.test', 1, 0, 0 FROM numbers`,
  ).run();
  expect((await put(ada, { weight: 1 })).status).toBe(201);
  const refused = await put("did:web:late.test", { weight: 1 });
  expect([refused.status, refused.body.code]).toEqual([400, "validation_failed"]);
  expect((await put(ada, { weight: 2 }, anyVersion)).status).toBe(200);
});

describe("a voter can be replaced only after reading it [RG-199]", () => {
  test("428 without If-Match, 412 with another tag, 200 with the voter's own", async () => {
    const added = await put(ada, { weight: 40, label: "Board" });
    const tag = String(added.headers.get("ETag"));
    expect(tag).toBe(`"v${added.body.version}"`);
    const blind = await put(ada, { weight: 1 });
    expect([blind.status, blind.body.code]).toEqual([428, "precondition_required"]);
    const stale = await put(ada, { weight: 1 }, { "If-Match": '"v0"' });
    expect([stale.status, stale.body.code, stale.headers.get("ETag")]).toEqual([412, "version_mismatch", tag]);
    expect((await edge.ask("GET", `/v1/voters/${ada}`, { key })).body.weight).toBe(40);
    const replaced = await put(ada, { weight: 41, label: "Board" }, { "If-Match": tag });
    expect(replaced).toMatchObject({ status: 200, body: { weight: 41, version: added.body.version + 1 } });
    const repeated = await put(ada, { weight: 41, label: "Board" }, anyVersion);
    expect(repeated.body).toEqual(replaced.body);
    const nobody = await put("did:web:late.test", { weight: 1 }, anyVersion);
    expect([nobody.status, nobody.body.code]).toEqual([412, "version_mismatch"]);
  });

  test("a removal with If-Match is refused if the voter has changed [RG-220]", async () => {
    const remove = (headers: Readonly<Record<string, string>> = {}) =>
      edge.ask("DELETE", `/v1/voters/${ada}`, { key, headers });
    const stale = String((await put(ada, { weight: 1 })).headers.get("ETag"));
    const tag = String((await put(ada, { weight: 2 }, { "If-Match": stale })).headers.get("ETag"));
    const refused = await remove({ "If-Match": stale });
    expect([refused.status, refused.body.code, refused.headers.get("ETag")]).toEqual([412, "version_mismatch", tag]);
    expect((await edge.ask("GET", `/v1/voters/${ada}`, { key })).body.weight).toBe(2);
    expect((await remove({ "If-Match": "v1" })).status).toBe(400);
    expect((await remove({ "If-Match": tag })).status).toBe(204);
    expect((await remove({ "If-Match": tag })).status).toBe(404);
    await put(ada, { weight: 1 });
    expect((await remove({ "If-Match": " " })).status).toBe(204);
    await put(ada, { weight: 1 });
    expect((await remove()).status).toBe(204);
  });

  test("of twenty writers with one tag one succeeds", async () => {
    const tag = String((await put(ada, { weight: 1 })).headers.get("ETag"));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put(ada, { weight: at + 2 }, { "If-Match": tag })),
    );
    expect([200, 412].map((wanted) => answers.filter(({ status }) => status === wanted).length)).toEqual([1, 19]);
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put("did:web:late.test", { weight: at + 1 })),
    );
    expect([201, 428].map((wanted) => first.filter(({ status }) => status === wanted).length)).toEqual([1, 19]);
  });
});

describe("the roll accepts only DIDs that can vote [RG-200]", () => {
  const keys = [
    ["Ed25519", "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"],
    ["P-256", "zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169"],
    ["secp256k1", "zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme"],
  ] as const;

  test.each(keys)("a did:key of %s, with a warning while no API key represents it", async (_type, text) => {
    const did = `did:key:${text}`;
    const added = await put(did, { weight: 1 });
    expect(added).toMatchObject({ status: 201, body: { warning: { code: "no_voting_key" } } });
    const reader = await edge.keyOf(did, ["domains:read"]);
    expect((await edge.ask("GET", `/v1/voters/${did}`, { key })).body.warning).not.toBeNull();
    const issued = { label: "x", did, scopes: ["verification:vote"] };
    const { body } = await edge.ask("POST", "/v1/api-keys", { key: ADMIN_TOKEN, body: issued });
    expect((await edge.ask("GET", `/v1/voters/${did}`, { key })).body.warning).toBeNull();
    const { data } = (await edge.ask("GET", "/v1/voters", { key })).body;
    expect(data.find((voter: { did: string }) => voter.did === did).warning).toBeNull();
    await edge.ask("DELETE", `/v1/api-keys/${body.id}`, { key: ADMIN_TOKEN });
    expect((await edge.ask("GET", `/v1/voters/${did}`, { key })).body.warning.code).toBe("no_voting_key");
    expect(reader).toMatch(/^twe_/);
  });

  test.each([
    "did:key:zz",
    "did:key:z6MktGnA",
    "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2do",
    "did:key:uaGVsbG8",
    `did:ixo:entity:${"0".repeat(32)}`,
    "did:ixo:wallet",
    "did:web:nobody.test",
    "did:example:amina",
  ])("not %s", async (did) => {
    const refused = await put(did, { weight: 1 });
    expect([refused.status, refused.body.code]).toEqual([422, "voter_cannot_vote"]);
    expect((await edge.ask("GET", `/v1/voters/${did}`, { key })).status).toBe(404);
  });

  test("a domain while it is active", async () => {
    const owner = await edge.keyOf("did:web:owner-of-voter.test", ["domains:write"]);
    const created = await edge.ask("POST", "/v1/domains", { key: owner, body: { type: "dao", class: "did:ixo:p:x" } });
    const { id } = created.body;
    expect((await put(id, { weight: 1 })).status).toBe(201);
    await edge.ask("DELETE", `/v1/voters/${id}`, { key });
    await edge.ask("DELETE", `/v1/domains/${id}`, { key: owner, headers: anyVersion });
    expect(await put(id, { weight: 1 })).toMatchObject({ status: 422, body: { code: "voter_cannot_vote" } });
  });
});

test("every change of the roll can be read, with who, when, before and after [RG-201]", async () => {
  const at = () => new Date(edge.clock.now).toISOString().replace(".000", "");
  const first = await put(ada, { weight: 3, label: "Board" });
  const addedAt = at();
  edge.clock.now += 60_000;
  await put(ada, { weight: 1_000_000, label: "Board" }, anyVersion);
  edge.clock.now += 60_000;
  await edge.ask("DELETE", `/v1/voters/${ada}`, { key });
  const { version } = first.body;
  const changes: unknown[] = [];
  for (let path: string | undefined = `/v1/voter-changes?voter=${ada}&limit=2`; path !== undefined;) {
    const { body, headers } = await edge.ask("GET", path, { key });
    changes.push(...body.data);
    path = /<([^>]+)>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
  }
  const [added, grown] = [
    { weight: 3, label: "Board" },
    { weight: 1_000_000, label: "Board" },
  ];
  expect(changes.slice(0, 3)).toEqual([
    { version: version + 2, did: ada, at: at(), actor: ADMIN, before: grown, after: null },
    { version: version + 1, did: ada, at: expect.any(String), actor: ADMIN, before: added, after: grown },
    { version, did: ada, at: addedAt, actor: ADMIN, before: null, after: added },
  ]);
  const { body } = await edge.ask("GET", "/v1/voter-changes?limit=1", { key });
  expect(body.data).toEqual([changes[0]]);
  const wrong = await edge.ask("GET", "/v1/voter-changes?voter=alice", { key });
  expect([wrong.status, wrong.body.code]).toEqual([400, "validation_failed"]);
});
