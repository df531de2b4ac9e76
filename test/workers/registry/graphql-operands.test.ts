/** The cost of a filter's own size: a long list or text is work for the database, whatever the rows are. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SERVICES_OFF_SQL } from "../../support/registry/domain-records.ts";
import { graphqlClient } from "../../support/registry/graphql-client.ts";
import { recordedDatabase } from "../../support/registry/recorded-database.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const DOMAINS = 2_000;
const recorded = recordedDatabase(env.DATABASE);
const edge = registryEdge({ DATABASE: recorded.database });
const client = graphqlClient(edge);

beforeAll(async () => {
  for (const table of ["domains", "domain_controllers", "changes", "domain_history"]) {
    await env.DATABASE.prepare(`DELETE FROM ${table}`).run();
  }
  await env.DATABASE.prepare(
    `INSERT INTO domains (id, type, type_key, class, name, metadata, owner, controllers, status, verification_status,
       services, document, credentials, accounts, version, version_id, created_at, updated_at)
     WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ${DOMAINS - 1})
     SELECT 'did:ixo:entity:' || printf('%032x', at), 'project', 'project', 'did:ixo:protocol:1', 'stove ' || at,
       '{"a":1}', 'did:key:owner', '["did:key:c"]', 'active', 'AwaitingVerification', ${SERVICES_OFF_SQL}, '{}', '[]', '[]', 1, '', at,
       at FROM n`,
  ).run();
  await env.DATABASE.prepare(
    "INSERT INTO domain_controllers (did, created_at, domain_id) SELECT 'did:key:c', created_at, id FROM domains",
  ).run();
});
beforeEach(() => {
  recorded.ran.length = 0;
  edge.clock.now += 60_000;
});

/** About as many as one body can contain. */
const many = Array.from({ length: 14_000 }, (_, at) => String(at));
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(" ");
const readRows = () => recorded.ran.reduce((sum, { rowsRead }) => sum + rowsRead, 0);

describe("an operand that is read again for every row is refused before many rows are read [RG-127]", () => {
  test.each([
    ["a list that must contain the row's", { controller: { containedBy: many } }],
    ["a list that the row must contain", { controller: { contains: ["did:key:c", ...many] } }],
    ["JSON that is equal", { metadata: { equalTo: many } }],
    ["names", { metadata: { containsAllKeys: many } }],
    ["a long text in JSON", { metadata: { contains: { a: "x".repeat(100_000) } } }],
  ])("%s", async (_, f) => {
    const query = "query ($f: EntityFilter) { entities(filter: $f) { nodes { id } } }";
    const { status, body } = await client.ask(query, { f });
    expect([status, body.errors?.[0]?.extensions?.code]).toEqual([400, "query_too_costly"]);
    // Values of the operand count like rows: all of them for every domain would be 28 million.
    expect(readRows()).toBeLessThan(5_000_000);
  });
});

describe("a list that each statement reads once", () => {
  const columns = ["id", "owner", "class", "externalId", "relayerNode", "type"];

  test("costs by its length, even if it matches nothing", async () => {
    const query = `query ($v: [String!]) { ${aliases(5, "entities(filter: {id: {in: $v}}) { nodes { id } }")} }`;
    const { body } = await client.ask(query, { v: many });
    expect(body.data.a4.nodes).toEqual([]);
    // Once to count the matches, and once to read them.
    expect(body.extensions.rowCost).toBe(5 * 2 * many.length * 3);
  });

  test.each([
    ["in an index each", columns.map((name) => `{${name}: {in: $v}}`).join(" ")],
    ["in no index", Array.from({ length: 40 }, () => "{name: {notInInsensitive: $v}}").join(" ")],
  ])("is refused if it occurs in many places: %s", async (_, members) => {
    const query = `query ($v: [String!]) { ${aliases(5, `entities(filter: {and: [${members}]}) { nodes { id } }`)} }`;
    const { status, body } = await client.ask(query, { v: many });
    expect([status, body.errors?.[0]?.extensions?.code]).toEqual([400, "query_too_costly"]);
  });

  test("of a thousand ids finds them at little cost", async () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => `did:ixo:entity:${at.toString(16).padStart(32, "0")}`);
    const query =
      "query ($ids: [String!]) { entities(filter: {id: {in: $ids}}, first: 100) { nodes { id } totalCount } }";
    const { status, body } = await client.ask(query, { ids });
    expect([status, body.data?.entities.totalCount, body.data?.entities.nodes.length]).toEqual([200, 1_000, 100]);
    expect(body.extensions.rowCost).toBeLessThan(60_000);
  });
});
