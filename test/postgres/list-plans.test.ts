/** PostgreSQL's plans with 20,000 rows in each table that grows: no request reads a whole table, whatever the filter. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { entityOrders } from "../../workers/registry/lists/order.ts";
import { createRegistryFixture } from "../support/registry/fixture.ts";
import { graphqlClient } from "../support/registry/graphql-client.ts";
import { fillTables, growingTables, MANY } from "../support/registry/many-rows.ts";
import { indexedFilters, plannedPaths } from "../support/registry/planned-requests.ts";
import { recordedDatabase } from "../support/registry/recorded-database.ts";
import { ADMIN_TOKEN } from "../support/registry/registry-edge.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";
import { planOf, type Plan } from "../support/storage/postgres-plans.ts";

const database = freshPostgres();
const recorded = recordedDatabase(database);
const fixture = await createRegistryFixture(database, [1, 2]);
const edge = fixture.withSettings({ DATABASE: recorded.database });
const domainId = await fixture.domain();
const proposalId = await fixture.propose(domainId);
await fixture.vote(proposalId, 0);

beforeAll(() => fillTables(database));
beforeEach(() => {
  recorded.ran.length = 0;
});

/** Rows of one statement. A window of a walk has up to 8,333: STATEMENT_UNITS, at 3 units for an entry of an index. */
const READ = MANY / 2;
/** A total reads no rows, but the entries of an index that it counts, within the limits of RG-172. */
const TOTAL = /^SELECT (?:count\(\*\)|\(SELECT count\(\*\) FROM domains \)).* AS total\b/;
/** A proposal sums the roll, which has at most 10,000 voters [RG-100]. */
const SUM_OF_ROLL = /\bSUM\(weight\).* FROM voters\b/;

/** Rows that a statement reads, except rows that have a separate limit. */
function rowsRead(text: string, { reads }: Plan): number {
  const judged = reads.filter(
    ({ table, isIndexOnly }) => !(isIndexOnly && TOTAL.test(text)) && !(table === "voters" && SUM_OF_ROLL.test(text)),
  );
  return judged.reduce((sum, { rows }) => sum + rows, 0);
}

/** Statements that read a whole table, or a number of rows that grows with it. */
async function costly(): Promise<readonly object[]> {
  const statements = recorded.ran.filter(({ text }) => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(text));
  const found: object[] = [];
  for (const statement of statements) {
    const plan = await planOf(database, statement);
    const { text } = statement;
    const scanned = plan.scanned.filter(
      (table) => growingTables.has(table) && !(table === "voters" && SUM_OF_ROLL.test(text)),
    );
    if (scanned.length > 0 || rowsRead(text, plan) > READ) found.push({ ...plan, scanned, text });
  }
  expect(statements.length).toBeGreaterThan(0);
  return found;
}

test.each(plannedPaths(domainId, proposalId))("%s reads no whole table on PostgreSQL [RG-80, RG-296]", async (path) => {
  const key = /voters|imports/.test(path) ? fixture.admin : fixture.proposer;
  const answer = await edge.call("GET", path, { key });
  expect(answer.status).toBe(200);
  await answer.text();
  expect(await costly()).toEqual([]);
});

test.each(entityOrders)("GraphQL, orderBy %s, reads no whole table on PostgreSQL [RG-80, RG-296]", async (order) => {
  const query = `{ entities(orderBy: ${order}, first: 5, filter: {type: {equalTo: "type-1"}}) { nodes { id } } }`;
  expect((await graphqlClient(edge).ask(query)).status).toBe(200);
  expect(await costly()).toEqual([]);
});

test.each(["", "did=did:key:owner1", "state=active&did=did:key:owner1"])(
  "/v1/api-keys?%s reads no whole table on PostgreSQL [RG-296]",
  async (filter) => {
    expect((await edge.ask("GET", `/v1/api-keys?${filter}`, { key: ADMIN_TOKEN })).status).toBe(200);
    expect(await costly()).toEqual([]);
  },
);

test("commands and the schedule read no whole table on PostgreSQL [RG-296]", async () => {
  const body = { type: "Project", class: "did:ixo:protocol:1", metadata: { name: "new" } };
  const created = await edge.ask("POST", "/v1/domains", {
    key: fixture.controller,
    headers: { "Idempotency-Key": "a" },
    body,
  });
  expect(created.status).toBe(201);
  const path = `/v1/domains/${created.body.id}`;
  const headers = { "If-Match": '"v1"' };
  const changed = await edge.ask("PATCH", path, {
    key: fixture.controller,
    headers,
    body: { metadata: { name: "other" } },
  });
  expect(changed.status).toBe(200);
  const proposed = await edge.ask("POST", `${path}/proposals`, {
    key: fixture.proposer,
    body: { title: "Verify", package: {} },
  });
  expect(proposed.status).toBe(201);
  const vote = await edge.ask("POST", `/v1/proposals/${proposed.body.id}/votes`, {
    key: fixture.voters[1] ?? "",
    body: { option: "yes" },
  });
  expect(vote.status).toBe(201);
  await edge.ask("GET", `/1.0/identifiers/${domainId}?versionId=${"a".repeat(64)}`, { key: fixture.proposer });
  await edge.registry.scheduled(
    { DATABASE: recorded.database } as unknown as Env,
    { waitUntil: () => undefined },
    edge.clock.now,
  );
  expect(await costly()).toEqual([]);
});

test("the filters of lists find their rows by an index, even if nothing matches [RG-80, RG-296]", async () => {
  for (const [filter] of indexedFilters) {
    recorded.ran.length = 0;
    expect((await edge.ask("GET", `/v1/domains?${filter}&limit=5`, { key: fixture.proposer })).status).toBe(200);
    const pages = recorded.ran.filter(({ text }) => text.includes(" AS page_id"));
    expect(pages.length, filter).toBeGreaterThan(0);
    for (const page of pages) expect(rowsRead(page.text, await planOf(database, page)), filter).toBeLessThan(MANY / 20);
  }
});
