/** Query plans of every list: none scans a whole table to answer one page, whatever the filter. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { indexedFilters, plannedPaths } from "../../support/registry/planned-requests.ts";
import { recordedDatabase } from "../../support/registry/recorded-database.ts";
import { createRegistryFixture } from "../../support/registry/fixture.ts";
import { ADMIN_TOKEN } from "../../support/registry/registry-edge.ts";
import { readDomain } from "../../../workers/registry/store/domain-rows.ts";
import { entityOrders } from "../../../workers/registry/lists/order.ts";
import { graphqlClient } from "../../support/registry/graphql-client.ts";

const recorded = recordedDatabase(env.DATABASE);
const fixture = await createRegistryFixture(env.DATABASE, [1, 2]);
const edge = fixture.withSettings({ DATABASE: recorded.database });
const domainId = await fixture.domain();
const proposalId = await fixture.propose(domainId);
await fixture.vote(proposalId, 0);

async function plansOf(statements: RegExp): Promise<readonly (readonly string[])[]> {
  return Promise.all(recorded.ran.filter(({ text }) => statements.test(text)).map((each) => recorded.plan(each)));
}

/** Steps that scan a whole table, or an index without the order of the list. */
async function fullScans(): Promise<readonly string[]> {
  const steps = await plansOf(/^\s*(?:SELECT|WITH)/);
  const tables =
    "domains|domain_controllers|domain_history|proposals|votes|voters|api_keys|imports|changes|held|chosen";
  // A page walks an index in its order and stops when it is full.
  return steps.flat().filter((step) => new RegExp(`^SCAN (?:${tables})(?! USING (?:COVERING )?INDEX)`).test(step));
}

test.each(indexedFilters)("a page and the export of %s are searched by %s [RG-80]", async (filter, column) => {
  const search = new RegExp(`^SEARCH \\w+ USING [A-Z]+ .*\\(${column}[=<>]`);
  for (const path of [`/v1/domains?${filter}`, `/v1/domains?${filter}&sort=name`, `/v1/export?${filter}`]) {
    recorded.ran.length = 0;
    const answer = await edge.call("GET", path, { key: fixture.proposer });
    await answer.text();
    const pages = await plansOf(/ AS page_id/);
    expect(pages.length, path).toBeGreaterThan(0);
    for (const steps of pages)
      expect(
        steps.some((step) => search.test(step)),
        `${path}\n${steps.join("\n")}`,
      ).toBe(true);
  }
});

test.each(plannedPaths(domainId, proposalId))("%s", async (path) => {
  recorded.ran.length = 0;
  const admin = /voters|imports/.test(path);
  const answer = await edge.call("GET", path, { key: admin ? fixture.admin : fixture.proposer });
  expect(answer.status).toBe(200);
  await answer.text();
  expect(await fullScans()).toEqual([]);
});

test.each(["", "did=did:a:b", "state=active&did=did:a:b"])("/v1/api-keys?%s", async (filter) => {
  recorded.ran.length = 0;
  expect((await edge.ask("GET", `/v1/api-keys?${filter}`, { key: ADMIN_TOKEN })).status).toBe(200);
  expect(await fullScans()).toEqual([]);
  expect(recorded.ran.at(-1)?.text).toContain(filter === "" ? "api_keys_by_creation" : "api_keys_by_did");
});

test("a version is found by its own index, and a domain's history by its versions [RG-80]", async () => {
  recorded.ran.length = 0;
  const versionId = "a".repeat(64);
  await (
    await edge.call("GET", `/1.0/identifiers/${domainId}?versionId=${versionId}`, { key: fixture.proposer })
  ).text();
  const plans = await plansOf(/FROM domain_history/);
  expect(plans.flat().join("; ")).toMatch(/SEARCH domain_history USING INDEX domain_history_by_digest \(<expr>=\?\)/);
});

test("a version is found by its time, without reading the others [RG-252]", async () => {
  const long = await fixture.domain();
  await env.DATABASE.prepare(
    `WITH RECURSIVE n (more) AS (SELECT 1 UNION ALL SELECT more + 1 FROM n WHERE more < 2000)
     INSERT INTO domain_history (domain_id, version, version_id, at, actor, action, changes, snapshot)
     SELECT domain_id, version + more, printf('%064x', more), at + more / 2, actor, 'updated', '[]', ?2
     FROM n, domain_history WHERE domain_id = ?1`,
  )
    .bind(long, JSON.stringify(await readDomain(env.DATABASE, long)))
    .run();
  for (const time of ["2100-01-01T00:00:00Z", new Date(fixture.edge.clock.now + 500).toISOString()]) {
    recorded.ran.length = 0;
    const resolved = await edge.ask("GET", `/1.0/identifiers/${long}?versionTime=${time}`, { key: fixture.proposer });
    expect(resolved.status).toBe(200);
    const looked = recorded.ran.filter(({ text }) => text.includes("FROM domain_history"));
    expect(looked.length).toBeGreaterThan(0);
    // Eleven versions of 2,000, each in the index and in the table, and the wanted one.
    expect(looked.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThanOrEqual(2 * 11 + 8);
  }
});

test.each(entityOrders)("GraphQL, orderBy %s [RG-80]", async (order) => {
  recorded.ran.length = 0;
  const query = `{ entities(orderBy: ${order}, first: 5, filter: {type: {equalTo: "project"}}) { nodes { id } } }`;
  expect((await graphqlClient(edge).ask(query)).status).toBe(200);
  expect(await fullScans()).toEqual([]);
});
