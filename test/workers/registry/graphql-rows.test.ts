/**
 * Limits on the rows that the database reads for a GraphQL request, over D1 with 20,000 domains
 * (docs/decisions/005-registry.md).
 */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { entityOrders } from "../../../workers/registry/lists/order.ts";
import { PROBE_UNITS, STATEMENT_UNITS } from "../../../workers/registry/lists/row-budget.ts";
import { domainId, SERVICES_OFF_SQL } from "../../support/registry/domain-records.ts";
import { graphqlClient } from "../../support/registry/graphql-client.ts";
import { recordedDatabase } from "../../support/registry/recorded-database.ts";
import { registryEdge, type RegistryCall } from "../../support/registry/registry-edge.ts";

const DOMAINS = 20_000;
const recorded = recordedDatabase(env.DATABASE);
const edge = registryEdge({ DATABASE: recorded.database });
const client = graphqlClient(edge);

beforeAll(async () => {
  for (const table of ["domains", "domain_controllers", "changes", "domain_history"]) {
    await env.DATABASE.prepare(`DELETE FROM ${table}`).run();
  }
  await env.DATABASE.prepare(
    `INSERT INTO domains (id, type, type_key, class, name, metadata, owner, controllers, relayer_node, external_id,
       valid_from_ms, status, verification_status, services, document, credentials, accounts, version, version_id,
       created_at, updated_at)
     WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ${DOMAINS - 1})
     SELECT 'did:ixo:entity:' || printf('%032x', at), 'project', CASE at % 4 WHEN 0 THEN 'device' ELSE 'project' END,
       'did:ixo:protocol:' || (at % 10), CASE WHEN at % 3 = 0 THEN NULL ELSE 'improved stove ' || at END,
       json_object('name', 'improved stove ' || at), 'did:key:owner' || (at % 5000), '["did:key:c"]', 'did:ixo:relayer',
       'serial-' || at, CASE WHEN at % 2 = 0 THEN NULL ELSE at END,
       CASE WHEN at % 100 = 0 THEN 'suspended' ELSE 'active' END, 'AwaitingVerification', ${SERVICES_OFF_SQL}, '{}', '[]', '[]', 1,
       '', at, at FROM n`,
  ).run();
  await env.DATABASE.prepare(
    "INSERT INTO domain_controllers (did, created_at, domain_id) SELECT 'did:key:c', created_at, id FROM domains",
  ).run();
});
beforeEach(() => {
  recorded.ran.length = 0;
  // Refills the callers' budgets.
  edge.clock.now += 60_000;
});

const readRows = () => recorded.ran.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
const refusalOf = async (query: string, variables?: object, call?: RegistryCall) => {
  const { status, body } = await client.ask(query, variables, call);
  return [status, body.errors?.[0]?.extensions?.code];
};
const COSTLY = [400, "query_too_costly"];
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(" ");
const likes = (pattern: string) => Array.from({ length: 80 }, () => `{name: {like: "${pattern}"}}`).join(" ");

describe("a query that reads every domain many times is refused before it reads one [RG-127]", () => {
  const declared = "query ($f: EntityFilter)";
  const filter = { or: Array.from({ length: 80 }, () => ({ name: { like: "%i%x%y%" } })) };

  test.each([
    [
      "a filter in a variable, counted 20 times",
      `${declared} { ${aliases(20, "entities(first: 1, filter: $f) { totalCount }")} }`,
    ],
    [
      "inside a nested query",
      `${declared} { query { query { ${aliases(18, "entities(filter: $f) { totalCount }")} } } }`,
    ],
    [
      "in a fragment",
      `${declared} { ...all } fragment all on Query { ${aliases(20, "entities(filter: $f) { totalCount }")} }`,
    ],
    [
      "the filter as a literal",
      `query ($f: EntityFilter) { entities(filter: {and: [{or: [${likes("%i%x%y%")}]}]}) { totalCount } b: entities(filter: $f) { totalCount } }`,
    ],
    ["on documents", `{ ${aliases(20, 'iids(filter: {alsoKnownAs: {like: "%a%b%c%"}}) { totalCount }')} }`],
    ["JSON", `{ ${aliases(20, "entities(filter: {metadata: {contains: {a: [1, 2, 3]}}}) { totalCount }")} }`],
    ["one comparison each", `{ ${aliases(20, 'entities(filter: {name: {notEqualTo: "x"}}) { totalCount }')} }`],
    ["a condition", `{ ${aliases(20, 'entities(condition: {startDate: "2026-01-01"}) { totalCount }')} }`],
  ])("%s", async (_, query) => {
    const { status, body } = await client.ask(query, { f: filter });
    expect([status, body.errors?.[0]?.extensions?.code], JSON.stringify(body).slice(0, 300)).toEqual(COSTLY);
    expect(body.errors?.[0]?.message).toMatch(/reads too many domains\. Filter by id, .* or send an API key/);
    // The number of domains.
    expect(readRows()).toBeLessThanOrEqual(5);
  });

  test("with a key too, if the key's budget is not enough", async () => {
    const key = await edge.keyOf("did:key:reader", ["domains:read"]);
    const query = `${declared} { ${aliases(20, "entities(first: 1, filter: $f) { totalCount }")} }`;
    const { status, body } = await client.ask(query, { f: filter }, { key });
    expect([status, body.errors?.[0]?.extensions?.code]).toEqual(COSTLY);
    expect(body.errors?.[0]?.message).not.toMatch(/API key/);
  });
});

describe("a query that reads many domains before it finds some is stopped on the way [RG-127]", () => {
  test.each([
    ["a page with few matches", `{ ${aliases(20, 'entities(filter: {name: {like: "%i%x%y%z%"}}) { nodes { id } }')} }`],
    ["eighty operators", `{ entities(first: 1, filter: {or: [${likes("%q%i%x%y%")}]}) { nodes { id } } }`],
    [
      "whether there is more",
      `{ ${aliases(20, 'entities(first: 0, after: "YXJyYXljb25uZWN0aW9uOjk5OTk=", filter: {name: {includes: "nowhere"}}) { pageInfo { hasNextPage hasPreviousPage } }')} }`,
    ],
    [
      "with an access path that most rows match",
      `{ ${aliases(20, 'entities(filter: {type: {equalTo: "project"}, name: {includes: "nowhere"}}) { nodes { id } }')} }`,
    ],
    [
      "with a controller of all domains",
      `{ ${aliases(20, 'entities(filter: {controller: {anyEqualTo: "did:key:c"}, name: {includes: "nowhere"}}) { nodes { id } }')} }`,
    ],
    [
      "far positions",
      `{ ${aliases(20, "entities(offset: 19000, first: 1, filter: {name: {isNull: false}}) { nodes { id } }")} }`,
    ],
    [
      "positions beyond the end",
      `{ ${aliases(20, "entities(offset: 2000000000, first: 1, filter: {name: {isNull: false}}) { nodes { id } }")} }`,
    ],
    [
      "pages together with counts",
      `{ ${aliases(20, 'entities(filter: {name: {like: "%i%x%y%z%"}}) { edges { cursor } totalCount }')} }`,
    ],
    ["JSON on the way", `{ ${aliases(20, "entities(filter: {metadata: {contains: {a: 1}}}) { nodes { id } }")} }`],
  ])("%s", async (_, query) => {
    expect(await refusalOf(query)).toEqual(COSTLY);
  });

  test("no statement reads more than a window, and none sorts more than a few", async () => {
    for (const query of [
      ...entityOrders.map(
        (order) =>
          `{ entities(orderBy: ${order}, first: 5) { nodes { id } pageInfo { hasNextPage hasPreviousPage } totalCount } }`,
      ),
      ...entityOrders.map(
        (order) => `{ entities(orderBy: ${order}, last: 5, filter: {name: {includes: "nowhere"}}) { nodes { id } } }`,
      ),
      '{ entities(filter: {type: {equalTo: "project"}}, orderBy: NAME_DESC) { nodes { id } totalCount } }',
      '{ entities(filter: {type: {in: ["project", "device"]}}) { nodes { id } totalCount } }',
      '{ entities(filter: {controller: {overlaps: ["did:key:c"]}}, orderBy: UPDATED_AT_DESC) { nodes { id } totalCount } }',
      "{ entities(offset: 15000, first: 1) { nodes { id } } }",
      `{ entities(filter: {or: [${likes("%i%x%y%")}]}, first: 1) { nodes { id } } }`,
    ]) {
      edge.clock.now += 60_000;
      recorded.ran.length = 0;
      await client.ask(query);
      for (const each of recorded.ran) {
        // At most four reads for three units: an index entry and its row, and for a path of controllers another entry and row.
        expect(each.rowsRead, `${query} ${each.text}`).toBeLessThanOrEqual((STATEMENT_UNITS * 4) / 3);
        const plan = await recorded.plan(each);
        const isSorted = plan.some((line) => /TEMP B-TREE FOR (?:LAST|ORDER)/.test(line));
        const isWalk = each.text.includes("walk_position");
        expect(isSorted && isWalk ? plan : [], each.text).toEqual([]);
      }
    }
  });
});

test("the content of domains is read after sorting, not for sorting", async () => {
  await client.ask('{ entities(filter: {owner: {equalTo: "did:key:owner7"}}, orderBy: NAME_DESC) { nodes { id } } }');
  const read = recorded.ran.filter(({ text }) => text.includes("domains.metadata,"));
  expect(read).toHaveLength(1);
  for (const statement of read) {
    const plan = await recorded.plan(statement);
    expect(plan.filter((line) => line.includes("FOR ORDER BY"))).toHaveLength(1);
    expect(plan.at(-1)).toMatch(/^SEARCH domains USING INTEGER PRIMARY KEY/);
  }
});

describe("ordinary queries are answered", () => {
  test.each([
    ["{ entities { totalCount } }", { totalCount: DOMAINS }],
    ['{ entities(filter: {type: {equalTo: "device"}}) { totalCount } }', { totalCount: DOMAINS / 4 }],
    [
      '{ entities(filter: {type: {equalTo: "device"}, status: {equalTo: "SUSPENDED"}}) { totalCount } }',
      { totalCount: 200 },
    ],
    ['{ entities(filter: {not: {type: {in: ["device"]}}}) { totalCount } }', { totalCount: (DOMAINS / 4) * 3 }],
    ['{ entities(filter: {controller: {anyEqualTo: "did:key:c"}}) { totalCount } }', { totalCount: DOMAINS }],
    ['{ entities(filter: {relayerNode: {equalTo: "did:ixo:relayer"}}) { totalCount } }', { totalCount: DOMAINS }],
    [
      '{ entities(filter: {owner: {equalTo: "did:key:owner7"}}, orderBy: NAME_DESC) { nodes { externalId } } }',
      {
        nodes: ["serial-7", "serial-15007", "serial-10007", "serial-5007"].map((externalId) => ({ externalId })),
      },
    ],
    [
      '{ entities(filter: {externalId: {equalTo: "serial-19999"}}) { nodes { id } } }',
      { nodes: [{ id: domainId(19_999) }] },
    ],
    [
      "{ entities(last: 1) { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }",
      {
        nodes: [{ id: domainId(19_999) }],
        pageInfo: { hasNextPage: false, hasPreviousPage: true },
      },
    ],
    ["{ entities(first: 1, offset: 15000) { nodes { id } } }", { nodes: [{ id: domainId(15_000) }] }],
    [
      '{ entities(first: 1, filter: {name: {endsWith: "stove 19999"}}) { nodes { id } } }',
      { nodes: [{ id: domainId(19_999) }] },
    ],
    [
      '{ entities(orderBy: [RELAYER_NODE_ASC], filter: {id: {in: ["' + domainId(5) + '"]}}) { nodes { id } } }',
      { nodes: [{ id: domainId(5) }] },
    ],
    ["{ entities(first: 1, orderBy: START_DATE_DESC) { nodes { id } } }", { nodes: [{ id: domainId(19_999) }] }],
    ["{ entities(last: 1, orderBy: START_DATE_ASC) { nodes { id } } }", { nodes: [{ id: domainId(19_998) }] }],
  ])("%s", async (query, expected) => {
    const { body } = await client.ask(query);
    expect(body.errors).toBeUndefined();
    expect(body.data.entities).toEqual(expected);
  });

  test("a page costs the rows that it reads, however many domains there are", async () => {
    const { body } = await client.ask("{ entities(first: 10) { nodes { id } pageInfo { hasNextPage } } }");
    expect(body.extensions.rowCost).toBeLessThan(1_000);
  });

  test("a key can read more than anonymous callers", async () => {
    const query = `{ entities(first: 1, filter: {or: [${likes("%i%x%y%")}]}) { nodes { id } } }`;
    expect(await refusalOf(query)).toEqual(COSTLY);
    const key = await edge.keyOf("did:key:reader", ["domains:read"]);
    expect(await refusalOf(query, undefined, { key })).toEqual([400, "query_too_costly"]);
    const lighter = `{ ${aliases(5, 'entities(first: 1, filter: {name: {like: "%i%x%y%"}}) { nodes { id } }')} }`;
    expect(await refusalOf(lighter)).toEqual(COSTLY);
    expect(await refusalOf(lighter, undefined, { key })).toEqual([200, undefined]);
  });
});

test("a caller has a budget per minute, whatever each request costs [RG-127]", async () => {
  const own = registryEdge({ DATABASE: env.DATABASE, REGISTRY_GRAPHQL_PUBLIC_ROW_COST_PER_MINUTE: "500000" });
  const ask = (address: string) =>
    graphqlClient(own).ask('{ entities(filter: {name: {includes: "nowhere"}}) { nodes { id } } }', undefined, {
      headers: { "CF-Connecting-IP": address },
    });
  const statuses: number[] = [];
  for (let at = 0; at < 4; at += 1) statuses.push((await ask("192.0.2.1")).status);
  // The second would need more than is left, and reads no more than a probe.
  expect(statuses).toEqual([200, 429, 429, 429]);
  const refused = await ask("192.0.2.1");
  expect(refused.body.errors[0].extensions.code).toBe("rate_limited");
  const wait = Number(refused.headers.get("Retry-After"));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect((await ask("192.0.2.2")).status).toBe(200);
  // The wait suffices, and a refused request does not extend it.
  const half = Math.floor(wait / 2);
  own.clock.now += half * 1_000;
  expect((await ask("192.0.2.1")).status).toBe(429);
  own.clock.now += (wait - half) * 1_000 + Math.ceil((PROBE_UNITS * 60_000) / 500_000);
  expect((await ask("192.0.2.1")).status).toBe(200);
});

test("a refused query delays no other", async () => {
  const key = await edge.keyOf("did:key:writer", ["domains:write"]);
  const query = `{ ${aliases(20, `entities(first: 1, filter: {or: [${likes("%i%x")}]}) { nodes { id } }`)} }`;
  const post = async () => {
    const body = { type: "project", class: "did:ixo:protocol:1" };
    expect((await edge.ask("POST", "/v1/domains", { key, body })).status).toBe(201);
    await edge.settled();
    return readRows();
  };
  await post();
  recorded.ran.length = 0;
  const alone = await post();
  recorded.ran.length = 0;
  const costly = Promise.all(Array.from({ length: 10 }, () => client.ask(query)));
  await post();
  expect((await costly).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 400));
  // A refused query reads no rows: these are the few rows of the key, of the domain's creation and of its audit.
  expect(readRows()).toBe(alone);
  expect(alone).toBeLessThan(20);
});
