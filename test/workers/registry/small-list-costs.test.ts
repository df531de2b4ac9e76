/** Costs of the small lists for a key, over D1 with 6,000 decided proposals. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LIST_ROW, PROBE_UNITS, STATEMENT_UNITS } from "../../../workers/registry/lists/row-budget.ts";
import { recordedDatabase } from "../../support/registry/recorded-database.ts";
import { createRegistryFixture, type RegistryFixture } from "../../support/registry/fixture.ts";

const PROPOSALS = 6_000;
const recorded = recordedDatabase(env.DATABASE);
let fixture: RegistryFixture;
let domainId = "";
let proposalId = "";

beforeAll(async () => {
  fixture = await createRegistryFixture(recorded.database, [1, 2]);
  domainId = await fixture.domain();
  proposalId = await fixture.propose(domainId);
  await env.DATABASE.prepare(
    `INSERT INTO proposals (id, domain_id, kind, title, summary, proposer, proposer_role, state, rules, total_power, created_at,
       ends_at, due_at, previous_status)
     WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ${PROPOSALS})
     SELECT 'prp_many_' || printf('%06d', at), domain_id, 'verify', 'T', '', 'did:web:many.test', 'compliance',
       CASE WHEN at % 1000 = 0 THEN 'rejected' ELSE 'expired' END, rules, 3, at, at + 1, at + 1, previous_status
     FROM n, proposals WHERE proposals.id = ?`,
  )
    .bind(proposalId)
    .run();
});
beforeEach(() => {
  recorded.ran.length = 0;
  fixture.edge.clock.now += 60_000;
});

const readRows = () => recorded.ran.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
const many = "proposer=did:web:many.test";

describe("a list of proposals is walked in windows [RG-216]", () => {
  test.each([
    [`${many}&kind=revoke`, []],
    [`${many}&state=rejected`, [6, 5, 4, 3, 2, 1]],
    [`proposer=did:web:none.test&${many}&state=rejected&state=open`, [6, 5, 4, 3, 2, 1]],
    ["state=rejected&kind=verify", [6, 5, 4, 3, 2, 1]],
    ["state=rejected&state=passed&proposer=did:web:none.test", []],
    [`${many}&electorate=me`, []],
  ])("%s", async (filter, thousands) => {
    const ids = thousands.map((each) => `prp_many_${String(each * 1_000).padStart(6, "0")}`);
    const walked: string[] = [];
    for (let path: string | undefined = `/v1/proposals?limit=2&${filter}`; path !== undefined;) {
      const page = await fixture.ask("GET", path, { key: fixture.voters[0] });
      expect(page.status).toBe(200);
      walked.push(...page.body.data.map(({ id }: { id: string }) => id));
      path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(walked).toEqual(ids);
  });

  test("a filter that its index answers reads a page and no more", async () => {
    const page = await fixture.ask("GET", `/v1/proposals?limit=20&${many}`, { key: fixture.admin });
    expect(page.body.data).toHaveLength(20);
    expect(readRows()).toBeLessThan(100);
  });

  test("no statement reads more than a few thousand rows", async () => {
    const page = await fixture.ask("GET", `/v1/proposals?${many}&kind=revoke`, { key: fixture.admin });
    expect(page.body.data).toEqual([]);
    expect(readRows()).toBeGreaterThan(PROPOSALS);
    // A row of the walk is read in the index and in the table, and passed on twice.
    const most = (4 * STATEMENT_UNITS) / LIST_ROW;
    expect(Math.max(...recorded.ran.map(({ rowsRead }) => rowsRead))).toBeLessThan(most + 100);
  });

  test.each([
    ["REGISTRY_GRAPHQL_KEY_ROW_COST", 400, "query_too_costly"],
    ["REGISTRY_GRAPHQL_KEY_ROW_COST_PER_MINUTE", 429, "rate_limited"],
  ])("and is refused beyond %s", async (setting, status, code) => {
    const edge = fixture.withSettings({ DATABASE: recorded.database, [setting]: "20000" });
    const refused = await edge.ask("GET", `/v1/proposals?${many}&kind=revoke`, { key: fixture.admin });
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(refused.headers.has("Retry-After")).toBe(status === 429);
    expect(readRows()).toBeLessThan((3 * 20_000) / LIST_ROW);
    expect(PROBE_UNITS).toBeLessThan(20_000);
  });
});

test.each([
  ["/v1/proposals", 101],
  ["/v1/domains/:domain/proposals", 101],
  ["/v1/proposals/:proposal/votes", 101],
  ["/v1/votes/me?proposal=a&proposal=b", 2],
  ["/v1/domains/:domain/history", 101],
  ["/v1/changes", 100],
  ["/v1/voters", 101],
  ["/v1/voter-changes", 101],
  ["/v1/webhooks", 101],
  ["/v1/imports", 101],
  [`/v1/imports?line=1&fingerprint=${"0".repeat(64)}`, 2_000],
  ["/v1/labels?did=did:web:a.test&did=did:web:b.test", 2 * 21],
])("%s is charged to a key's budget per minute, a page of it before it is read [RG-216]", async (path, rows) => {
  const [address = "", query = "limit=100"] = path
    .replace(":domain", domainId)
    .replace(":proposal", proposalId)
    .split("?");
  const statusWith = async (units: number) => {
    const env = { DATABASE: recorded.database, REGISTRY_GRAPHQL_KEY_ROW_COST: String(units) };
    const own = fixture.withSettings(env);
    return (await own.ask("GET", `${address}?${query}`, { key: fixture.admin })).status;
  };
  expect([await statusWith(rows * LIST_ROW - 1), await statusWith(rows * LIST_ROW)]).toEqual([400, 200]);
});
