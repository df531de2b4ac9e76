/** Daily quotas of a key, its owner and a domain, and a full database. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../platform/database/database.ts";
import { createRegistryFixture } from "../../support/registry/fixture.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const body = { type: "Project", class: "did:ixo:protocol/quota", metadata: { text: "x".repeat(1_000) } };

const usedBy = (subject: string) =>
  DATABASE.prepare("SELECT bytes, proposals FROM quota_uses WHERE subject = ?").bind(subject).first<{
    bytes: number;
    proposals: number;
  }>();

describe("bytes written in a day [RG-207]", () => {
  test("a key stops at its quota, the owner's other key at the owner's quota, and both start again the next day", async () => {
    const did = "did:web:quota.test";
    const edge = registryEdge({
      DATABASE,
      REGISTRY_KEY_BYTES_PER_DAY: "30000",
      REGISTRY_OWNER_BYTES_PER_DAY: "45000",
    });
    const [one, two] = [await edge.keyOf(did, ["domains:write"]), await edge.keyOf(did, ["domains:write"])];
    const create = (key: string) => edge.ask("POST", "/v1/domains", { key, body });
    const untilRefused = async (key: string) => {
      for (let created = 0; created < 50; created += 1) {
        const answer = await create(key);
        if (answer.status !== 201) return { created, answer };
      }
      throw new Error("nothing was refused");
    };
    const first = await untilRefused(one);
    expect(first.created).toBeGreaterThan(2);
    expect(refusal(first.answer)).toEqual([429, "quota_exceeded"]);
    // The time from nine o'clock to midnight.
    expect(first.answer.headers.get("Retry-After")).toBe(String(15 * 3_600));
    const second = await untilRefused(two);
    expect(second.created).toBeGreaterThan(0);
    expect(second.created).toBeLessThan(first.created);
    const used = await usedBy(`owner:${did}`);
    expect(used?.bytes).toBeLessThanOrEqual(45_000);
    const count = await DATABASE.prepare("SELECT count(*) AS n FROM domains WHERE owner = ?").bind(did).first("n");
    expect(count).toBe(first.created + second.created);
    const read = await edge.ask("GET", `/v1/domains?owner=${did}`, { key: one });
    expect(read.status).toBe(200);
    edge.clock.now += 15 * 3_600_000;
    expect((await create(one)).status).toBe(201);
  });

  test("no concurrent writer gets past it, and changes count too", async () => {
    const did = "did:web:quota-race.test";
    const edge = registryEdge({ DATABASE, REGISTRY_KEY_BYTES_PER_DAY: "20000" });
    const key = await edge.keyOf(did, ["domains:write"]);
    const created = await edge.ask("POST", "/v1/domains", { key, body });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        edge.ask("PATCH", `/v1/domains/${created.body.id}`, {
          key,
          headers: { "If-Match": "*" },
          body: { externalId: `x${at}` },
        }),
      ),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 429]));
    expect((await usedBy(`owner:${did}`))?.bytes).toBeLessThanOrEqual(20_000);
  });

  test("a change counts the bytes that its history stores, in any script", async () => {
    const did = "did:web:quota-script.test";
    const edge = registryEdge({ DATABASE });
    const key = await edge.keyOf(did, ["domains:write"]);
    const created = await edge.ask("POST", "/v1/domains", { key, body });
    for (const text of ["水".repeat(5_000), "火".repeat(5_000), "木".repeat(5_000)]) {
      const change = { key, headers: { "If-Match": "*" }, body: { metadata: { text } } };
      expect((await edge.ask("PATCH", `/v1/domains/${created.body.id}`, change)).status).toBe(200);
    }
    const stored = await DATABASE.prepare(
      "SELECT sum(octet_length(snapshot) + octet_length(changes)) AS bytes FROM domain_history WHERE domain_id = ?",
    )
      .bind(created.body.id)
      .first<number>("bytes");
    // Each text of 15,000 bytes is in the changes to it and from it, and in a snapshot if it is not the newest.
    expect(stored).toBeGreaterThan(90_000);
    expect((await usedBy(`owner:${did}`))?.bytes).toBeGreaterThanOrEqual(Number(stored));
  });

  test("the response stored for an Idempotency-Key counts, a replay does not [RG-253]", async () => {
    const did = "did:web:quota-answers.test";
    const edge = registryEdge({ DATABASE });
    const key = await edge.keyOf(did, ["domains:write"]);
    const bytesOf = async (headers: Record<string, string>) => {
      const before = (await usedBy(`owner:${did}`))?.bytes ?? 0;
      expect((await edge.ask("POST", "/v1/domains", { key, body, headers })).status).toBe(201);
      return ((await usedBy(`owner:${did}`))?.bytes ?? 0) - before;
    };
    const plain = await bytesOf({});
    const once = { "Idempotency-Key": "once" };
    const stored = async () =>
      (await DATABASE.prepare("SELECT octet_length(answer) AS bytes FROM idempotency WHERE did = ?")
        .bind(did)
        .first<number>("bytes")) ?? 0;
    expect(await bytesOf(once)).toBeGreaterThan(plain + (await stored()));
    expect(await stored()).toBeGreaterThan(1_000);
    expect(await bytesOf(once)).toBe(0);
  });

  test("a vote counts nothing unless its response is stored [RG-253]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 1, 1]);
    const path = `/v1/proposals/${await fixture.propose(await fixture.domain())}/votes`;
    const full = fixture.withSettings({ DATABASE, REGISTRY_KEY_BYTES_PER_DAY: "1" });
    const vote = { key: fixture.voters[0], body: { option: "yes" } };
    expect(refusal(await full.ask("POST", path, { ...vote, headers: { "Idempotency-Key": "v" } }))).toEqual([
      429,
      "quota_exceeded",
    ]);
    expect((await full.ask("POST", path, vote)).status).toBe(201);
  });

  test("an admin has no quota", async () => {
    const edge = registryEdge({ DATABASE, REGISTRY_KEY_BYTES_PER_DAY: "1", REGISTRY_OWNER_BYTES_PER_DAY: "1" });
    const key = await edge.keyOf("did:web:quota-admin.test", ["registry:admin"]);
    expect((await edge.ask("POST", "/v1/domains", { key, body })).status).toBe(201);
  });
});

describe("proposals per day, including withdrawn ones [RG-208]", () => {
  test("on a domain", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 1, 1], { REGISTRY_DOMAIN_PROPOSALS_PER_DAY: "2" });
    const domainId = await fixture.domain();
    const propose = (id: string) =>
      fixture.ask("POST", `/v1/domains/${id}/proposals`, { key: fixture.proposer, body: { title: "t", package: {} } });
    for (let round = 0; round < 2; round += 1) {
      const opened = await propose(domainId);
      expect(opened.status).toBe(201);
      const path = `/v1/proposals/${opened.body.id}/withdraw`;
      expect((await fixture.ask("POST", path, { key: fixture.proposer })).status).toBe(200);
    }
    expect(refusal(await propose(domainId))).toEqual([429, "quota_exceeded"]);
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({ verificationStatus: "AwaitingVerification" });
    expect((await propose(await fixture.domain())).status).toBe(201);
    fixture.edge.clock.now += 24 * 3_600_000;
    expect((await propose(domainId)).status).toBe(201);
  });

  test("of an owner, with any of its keys", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1], { REGISTRY_OWNER_PROPOSALS_PER_DAY: "1" });
    await fixture.propose(await fixture.domain());
    const key = await fixture.edge.keyOf(fixture.proposerDid, ["verification:propose"], { role: "program" });
    const domainId = await fixture.domain();
    const second = await fixture.ask("POST", `/v1/domains/${domainId}/proposals`, {
      key,
      body: { title: "t", package: {} },
    });
    expect(refusal(second)).toEqual([429, "quota_exceeded"]);
  });

  test("a proposal stores no copy of the roll: opening one for 10,000 voters writes as many rows as for one [RG-202]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const copies = () => DATABASE.prepare("SELECT count(*) AS n FROM copied_electors").first<number>("n");
    await DATABASE.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
       INSERT INTO voters (did, weight, added_at, updated_at) SELECT 'did:web:crowd' || n || '.test', 1, 0, 0 FROM numbers`,
    ).run();
    const before = await copies();
    const proposalId = await fixture.propose(await fixture.domain());
    expect(await copies()).toBe(before);
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      totalPower: 10_000,
      electorsWithoutKey: null,
    });
    expect((await fixture.vote(proposalId, 0)).status).toBe(201);
  });
});

test("removes the uses of past days", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  await fixture.domain();
  const subject = `owner:${fixture.controllerDid}`;
  expect(await usedBy(subject)).not.toBeNull();
  fixture.edge.clock.now += 24 * 3_600_000;
  await fixture.finalise();
  expect(await usedBy(subject)).toBeNull();
});

test("a database at DATABASE_MAX_BYTES refuses writes with this reason until there is room [RG-204]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  // A separate database object, because sizes and limits belong to one.
  const own = new Proxy(DATABASE, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const full = fixture.withSettings({ DATABASE: own, DATABASE_MAX_BYTES: "1" });
  const create = () => full.ask("POST", "/v1/domains", { key: fixture.controller, body });
  // D1 reports its size with the result of a write, so the first write is stored; PostgreSQL is asked before it.
  const { size }: Database = DATABASE;
  expect((await create()).status).toBe(size === undefined ? 201 : 507);
  const refused = await create();
  expect(refused).toMatchObject({ status: 507, body: { code: "storage_full", status: 507 } });
  expect(refused.headers.get("Content-Type")).toBe("application/problem+json");
  expect((await full.ask("GET", "/v1/domains", { key: fixture.controller })).status).toBe(200);
});

test("electors without a key are shown on an open proposal [RG-209]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1, 1]);
  const ghosts = Array.from({ length: 12 }, (_, at) => `did:web:ghost-${String(at).padStart(2, "0")}.test`);
  await DATABASE.batch(
    ghosts.map((did) =>
      DATABASE.prepare("INSERT INTO voters (did, weight, added_at, updated_at) VALUES (?, 2, 0, 0)").bind(did),
    ),
  );
  const domainId = await fixture.domain();
  const path = `/v1/proposals/${await fixture.propose(domainId)}`;
  expect((await fixture.read(path)).electorsWithoutKey).toEqual({ count: 12, power: 24, dids: ghosts.slice(0, 10) });
  const [first = ""] = ghosts;
  await fixture.edge.keyOf(first, ["verification:vote"]);
  const before = await fixture.edge.call("GET", path, { key: fixture.proposer });
  expect((await before.json<{ electorsWithoutKey: object }>()).electorsWithoutKey).toMatchObject({ count: 11 });
  await fixture.patch(domainId, { metadata: { changed: true } });
  expect((await fixture.read(path)).electorsWithoutKey).toBeNull();
});
