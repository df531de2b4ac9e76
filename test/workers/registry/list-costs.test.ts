/** Cost limits of REST lists, totals and callers without a key, over D1 with 6,000 domains. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PROBE_UNITS } from "../../../workers/registry/lists/row-budget.ts";
import { graphqlClient } from "../../support/registry/graphql-client.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";
import { manyDomains } from "../../support/registry/many-domains.ts";

const many = manyDomains();
const { DOMAINS, recorded, edge, readRows } = many;

const client = graphqlClient(edge);

describe("totals come from maintained counts [RG-170]", () => {
  test.each([
    ["", DOMAINS],
    ['type: {equalTo: "Project"}', 3_000],
    ['type: {in: ["project", "device"]}', DOMAINS],
    ['status: {equalTo: "active"}', 5_940],
    ["entityVerified: {equalTo: false}", 4_500],
    ['owner: {equalTo: "did:key:owner1"}', 2_000],
    ['owner: {in: ["did:key:owner1", "did:key:owner2", "did:key:none"]}', 4_000],
    ['class: {equalTo: "did:ixo:protocol:3"}, status: {notEqualTo: "active"}', 0],
    ['relayerNode: {equalTo: "did:ixo:relayer"}, verificationStatus: {equalTo: "verified"}', 1_500],
    ['and: [{type: {equalTo: "device"}}, {or: [{status: {equalTo: "suspended"}}, {statusCode: {equalTo: 3}}]}]', 30],
    ['status: {like: "sus%"}, not: {verificationStatus: {equalTo: "Verified"}}', 0],
  ])("entities(filter: {%s})", async (filter, total) => {
    const { body } = await client.ask(`{ entities(filter: {${filter}}, first: 1) { totalCount } }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.entities.totalCount).toBe(total);
    expect(body.extensions.rowCost).toBe(20);
    expect(readRows()).toBeLessThan(40);
  });

  test.each([
    ["", DOMAINS],
    ["type=project&type=device", DOMAINS],
    ["status=suspended&type=device", 30],
    ["owner=did:key:owner0&verificationStatus=Verified", 500],
  ])("/v1/domains?count=true&%s", async (filter, total) => {
    const { body } = await edge.ask("GET", `/v1/domains?count=true&limit=1&${filter}`, { key: many.key });
    expect(body.page.total).toBe(total);
    const counts = recorded.ran.filter(({ text }) => text.includes("domain_counts"));
    expect(counts).toHaveLength(1);
    expect(counts.every(({ rowsRead }) => rowsRead < 40)).toBe(true);
  });

  test("in the transaction of each write, including changes and removals", async () => {
    const countOf = async (filter: string) =>
      (await client.data(`{ entities(filter: {${filter}}) { totalCount } }`)).entities.totalCount as number;
    const filters = ['class: {equalTo: "did:a:moved"}', 'type: {equalTo: "device"}, status: {equalTo: "deactivated"}'];
    const counts = () => Promise.all(filters.map(countOf));
    expect(await counts()).toEqual([0, 0]);
    const writer = await edge.keyOf("did:key:writer", ["domains:write"]);
    const { body } = await edge.ask("POST", "/v1/domains", { key: writer, body: { type: "Device", class: "did:a:b" } });
    expect(await countOf('owner: {equalTo: "did:key:writer"}')).toBe(1);
    const headers = { "If-Match": "*" };
    await edge.ask("PATCH", `/v1/domains/${body.id}`, { key: writer, headers, body: { class: "did:a:moved" } });
    expect(await counts()).toEqual([1, 0]);
    await edge.ask("DELETE", `/v1/domains/${body.id}`, { key: writer, headers });
    expect(await counts()).toEqual([1, 1]);
    await env.DATABASE.prepare("DELETE FROM domains WHERE id = ?").bind(body.id).run();
    expect(await counts()).toEqual([0, 0]);
    expect(await countOf("")).toBe(DOMAINS);
  });
});

describe("lists of REST are metered [RG-172]", () => {
  const scans = [
    "class=did:ixo:protocol:1&status=suspended&sort=name",
    "status=suspended&validAt=2026-01-01&sort=-name&type=device&owner=did:key:owner1",
  ];

  test.each(["type=device&status=suspended", ...scans])("%s is answered", async (filter) => {
    const page = await edge.ask("GET", `/v1/domains?limit=5&${filter}`, { key: many.key });
    expect([page.status, page.body.code]).toEqual([200, undefined]);
    const walked: string[] = [];
    for (let path: string | undefined = `/v1/domains?limit=7&${filter}`; path !== undefined;) {
      const next = await edge.ask("GET", path, { key: many.key });
      walked.push(...next.body.data.map(({ id }: { id: string }) => id));
      path = /<([^>]+)>/.exec(next.headers.get("Link") ?? "")?.[1];
    }
    expect(new Set(walked).size).toBe(walked.length);
    const { body } = await edge.ask("GET", `/v1/domains?count=true&limit=1&${filter}`, { key: many.key });
    expect(body.page.total).toBe(walked.length);
  });

  test.each([
    ["REGISTRY_GRAPHQL_KEY_ROW_COST", 400, "query_too_costly"],
    ["REGISTRY_GRAPHQL_KEY_ROW_COST_PER_MINUTE", 429, "rate_limited"],
  ])("and refused beyond %s after no more than a probe", async (setting, status, code) => {
    const own = registryEdge({ DATABASE: recorded.database, [setting]: "20000" });
    const reader = await own.keyOf("did:key:reader", ["domains:read"]);
    for (const path of [
      "/v1/domains?q=stove&type=device&updatedTo=1970-01-01T00:00:02.5Z",
      "/v1/export?q=stove&type=device&updatedTo=1970-01-01T00:00:02.5Z",
    ]) {
      own.clock.now += 60_000;
      recorded.ran.length = 0;
      const refused = await own.ask("GET", path, { key: reader });
      expect([refused.status, refused.body.code], path).toEqual([status, code]);
      expect(refused.headers.has("Retry-After")).toBe(status === 429);
      // The probes of the words and of both filters, and the probe of the list: an entry and a row each.
      expect(readRows()).toBeLessThan(PROBE_UNITS + 5_000);
    }
  });
});

test.each(["controller=abc", "class=abc", "owner=x", "relayerNode=x", "controller=%25", "protocol=did:"])(
  "%s is not a DID [RG-76]",
  async (filter) => {
    const [parameter = ""] = filter.replace("protocol", "class").split("=");
    expect(await edge.ask("GET", `/v1/domains?${filter}`, { key: many.key })).toMatchObject({
      status: 400,
      body: { errors: [{ parameter }] },
    });
  },
);

describe("indexes answer [RG-176]", () => {
  test.each([
    ['filter: {type: {equalTo: "project"}}, orderBy: CREATED_AT_DESC', "serial-2999"],
    ['filter: {type: {equalTo: "device"}}, orderBy: CREATED_AT_ASC', "serial-3000"],
    ['filter: {name: {equalTo: "stove 4321"}}', "serial-4321"],
    ['condition: {name: "stove 4321"}', "serial-4321"],
    ['filter: {name: {startsWith: "stove 432"}}, orderBy: NAME_DESC', "serial-4329"],
    ['filter: {name: {startsWith: "stove"}}, orderBy: NAME_ASC', "serial-0"],
    ['filter: {name: {startsWith: "stove 9"}}, orderBy: CREATED_AT_ASC', "serial-9"],
  ])("entities(%s)", async (list, first) => {
    const { body } = await client.ask(`{ entities(${list}, first: 1) { nodes { externalId } } }`);
    expect(body.data.entities.nodes[0].externalId).toBe(first);
    expect(body.extensions.rowCost).toBeLessThan(PROBE_UNITS);
    expect(readRows()).toBeLessThan(5_000);
  });

  test("a prefix filter matches every name with the prefix", async () => {
    const names = ["ÿ", "ÿ\u{10ffff}", "\u{10ffff}\u{10ffff}x", "\ud7ff", "\ud7ffz"];
    for (const [at, name] of names.entries()) {
      await env.DATABASE.prepare("UPDATE domains SET name = ? WHERE external_id = ?").bind(name, `serial-${at}`).run();
    }
    for (const [text, found] of [
      ["ÿ", 2],
      ["ÿ\u{10ffff}", 1],
      ["\u{10ffff}", 1],
      ["\ud7ff", 2],
      ["a\0b", 0],
    ] as const) {
      const filters = { startsWith: text, equalTo: text };
      const query = "query ($f: EntityFilter) { entities(filter: $f) { totalCount } }";
      const total = async (filter: object) =>
        (await client.data(query, { f: { name: filter } })).entities.totalCount as number;
      expect(await total({ startsWith: filters.startsWith }), text).toBe(found);
    }
  });

  test("the schema says which orders have no index", async () => {
    const { __type: type } = await client.data(
      '{ __type(name: "EntitiesOrderBy") { enumValues { name description } } }',
    );
    const without = (type.enumValues as { name: string; description: string | null }[]).filter(
      ({ description }) => description !== null,
    );
    expect(without.map(({ name }) => name)).toEqual(
      ["RELAYER_NODE", "ENTITY_VERIFIED", "EXTERNAL_ID"].flatMap((name) => [`${name}_ASC`, `${name}_DESC`]),
    );
  });
});

describe("budgets of the deployment [RG-174]", () => {
  const scan = '{ entities(filter: {name: {includes: "nowhere"}}) { nodes { id } } }';

  test("are shared by callers without a key, and affect no one else", async () => {
    const own = registryEdge({ DATABASE: env.DATABASE, REGISTRY_PUBLIC_ROW_COST_PER_SECOND: "20000" });
    const reader = await own.keyOf("did:key:reader", ["domains:read"]);
    const ask = (at: number) =>
      graphqlClient(own).ask(scan, undefined, { headers: { "CF-Connecting-IP": `192.0.2.${at}` } });
    const statuses: number[] = [];
    for (let at = 1; at <= 6; at += 1) statuses.push((await ask(at)).status);
    expect(statuses[0]).toBe(200);
    const refused = await ask(7);
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([429, "rate_limited"]);
    expect(refused.body.errors[0].message).toMatch(/Callers without an API key/);
    for (const path of ["/v1/domains", "/v1/domains?status=suspended&sort=name"]) {
      expect((await own.ask("GET", path, { key: reader })).status).toBe(200);
    }
    expect((await graphqlClient(own).ask(scan, undefined, { key: reader })).status).toBe(200);
    own.clock.now += (Number(refused.headers.get("Retry-After")) + 1) * 1_000;
    expect((await ask(7)).status).toBe(200);
  });

  test("limit small requests too", async () => {
    const own = registryEdge({ DATABASE: env.DATABASE, REGISTRY_PUBLIC_ROW_COST_PER_SECOND: "10000" });
    const resolve = (at: number) =>
      own.ask("GET", `/1.0/identifiers/did:ixo:entity:${"0".repeat(32)}`, {
        headers: { "CF-Connecting-IP": `192.0.2.${at}` },
      });
    const statuses = new Set<number>();
    for (let at = 0; at < 250; at += 1) statuses.add((await resolve(at % 200)).status);
    expect([...statuses]).toEqual([200, 429]);
  });
});

test("an IPv6 network has a limit above that for its /64s [RG-177]", async () => {
  const own = registryEdge({ DATABASE: env.DATABASE, REGISTRY_PUBLIC_READS_PER_MINUTE: "2" });
  const ask = async (network: string) =>
    (
      await own.ask("POST", "/graphql", {
        body: { query: "{ nodeId }" },
        headers: { "CF-Connecting-IP": `${network}::1` },
      })
    ).status;
  const statuses: number[] = [];
  for (let at = 0; at < 17; at += 1)
    statuses.push(await ask(`2001:db8:7:${at.toString(16)}`), await ask(`2001:db8:7:${at.toString(16)}`));
  expect(statuses).toEqual([...Array.from({ length: 32 }, () => 200), 429, 429]);
  expect(await ask("2001:db8:7:0")).toBe(429);
  expect(await ask("2001:db8:8:0")).toBe(200);
});
