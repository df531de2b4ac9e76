/** Hostile texts in every operator, and limits at their edge, over D1. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { jsonOperators } from "../../../workers/registry/lists/filter/json.ts";
import { textListOperators } from "../../../workers/registry/lists/filter/text-list.ts";
import { textOperators } from "../../../workers/registry/lists/filter/text.ts";
import { GRAPHQL_BODY_BYTES, TOKENS } from "../../../workers/registry/graphql/query-limits.ts";
import { domainId, domainRecord, hostileTexts } from "../../support/registry/domain-records.ts";
import { graphqlClient, onlyDomains } from "../../support/registry/graphql-client.ts";
import { referenceFilter } from "../../support/registry/reference-filter.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const edge = registryEdge({ DATABASE: env.DATABASE });
const client = graphqlClient(edge);
const json = { "Content-Type": "application/json" };

describe("hostile texts are data [RG-120]", () => {
  const domains = hostileTexts.map((text, at) =>
    domainRecord(at, {
      externalId: text.replaceAll("\0", ""),
      metadata: { [text]: text },
      credentials: [{ id: text, type: "x", status: "active" }],
    }),
  );
  beforeAll(() => onlyDomains(env.DATABASE, domains));

  /** Filters for which D1 and an evaluation in memory disagree. */
  async function disputed(filters: readonly Readonly<Record<string, object>>[]): Promise<readonly object[]> {
    const found = await client.matchingEach(filters);
    return filters.flatMap((filter, at) => {
      const expected = domains.filter((domain) => referenceFilter(domain, filter) === true).map(({ id }) => id);
      return found[at]?.join() === expected.join() ? [] : [{ filter, expected, found: found[at] }];
    });
  }
  const one = (texts: readonly string[], operators: readonly string[], operator: string) =>
    texts.map((text) => (operators.includes(operator) ? [text] : text));

  test.each([...textOperators.text, ...textOperators.list])("in %s", async (operator) => {
    const operands = one(hostileTexts, textOperators.list, operator);
    expect(await disputed(operands.map((operand) => ({ externalId: { [operator]: operand } })))).toEqual([]);
  });

  test.each([...jsonOperators.value, ...jsonOperators.list, ...jsonOperators.name, ...jsonOperators.names])(
    "in JSON %s",
    async (operator) => {
      const operands = one(hostileTexts, [...jsonOperators.list, ...jsonOperators.names], operator);
      const filters = operands.map((operand) => ({ metadata: { [operator]: operand } }));
      const objects = operator.includes("Key") || Array.isArray(operands[0]) ? [] : hostileTexts;
      const members = objects.map((text) => ({ metadata: { [operator]: { [text]: text } } }));
      expect(await disputed([...filters, ...members])).toEqual([]);
    },
  );

  test.each([...textListOperators.list, ...textListOperators.text])("in lists, %s", async (operator) => {
    const operands = one(hostileTexts, textListOperators.list, operator);
    expect(await disputed(operands.map((operand) => ({ credentialIds: { [operator]: operand } })))).toEqual([]);
  });

  test("as a lone surrogate", async () => {
    expect(await client.matching({ externalId: { equalTo: "\ud800" } })).toEqual([]);
    expect(await client.matching({ metadata: { contains: { a: "\ud800" } } })).toEqual([]);
  });

  test("in ids, names of nodes and cursors", async () => {
    const query = `query ($text: String!, $id: ID!, $cursor: Cursor) {
      entity(id: $text) { id } iid(id: $text) { id } node(nodeId: $id) { nodeId } entities(after: $cursor) { nodes { id } } }`;
    for (const text of hostileTexts) {
      expect(await client.codeOf(query, { text, id: text, cursor: text })).toBe("invalid_cursor");
    }
    const { entities } = await client.data("{ entities { totalCount } }");
    expect(entities.totalCount).toBe(hostileTexts.length);
  });
});

describe("the size of a response", () => {
  const page = Array.from({ length: 20 }, (_, at) =>
    domainRecord(at, { metadata: { padding: "x".repeat(60_000) }, accounts: [{ name: "main", address: "a" }] }),
  );
  beforeAll(() => onlyDomains(env.DATABASE, page));
  const aliases = (count: number) => Array.from({ length: count }, (_, at) => `a${at}: metadata`).join(" ");
  const metadata = (count: number) => `{ entities(first: 20) { nodes { ${aliases(count)} } } }`;

  test("is limited, whatever the size of one field", async () => {
    const { status, body } = await client.ask(metadata(13));
    expect([status, body.errors]).toEqual([200, undefined]);
    const over = await client.ask(metadata(14));
    expect([over.status, over.body.errors?.[0]?.extensions?.code]).toEqual([400, "query_too_costly"]);
    expect(over.body.data?.entities ?? null).toBeNull();
  });

  test("is limited, whatever the length of the query's aliases", async () => {
    const named = (length: number) => `{ entities(first: 100) { nodes { accounts { ${"a".repeat(length)}: name } } } }`;
    expect((await client.ask(named(3_000))).status).toBe(200);
    expect(await client.codeOf(named(4_000))).toBe("query_too_costly");
  });

  test("the data read for a response is limited too", async () => {
    const roots = Array.from({ length: 20 }, (_, at) => `r${at}: entities(first: 20) { nodes { id } }`);
    expect(await client.codeOf(`{ ${roots.slice(0, 13).join(" ")} }`)).toBeUndefined();
    expect(await client.codeOf(`{ ${roots.join(" ")} }`)).toBe("query_too_costly");
  });
});

describe("limits, at their edge and one beyond [RG-125]", () => {
  beforeAll(() => onlyDomains(env.DATABASE, [domainRecord(1)]));
  const repeated = (count: number, make: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => make(at)).join(" ");
  const refused = async (query: string) => {
    const { status, body } = await client.ask(query);
    return [status, body.errors?.[0]?.extensions?.code ?? "none"];
  };

  test("root fields", async () => {
    expect(await refused(`{ ${repeated(20, (at) => `a${at}: nodeId`)} }`)).toEqual([200, "none"]);
    expect(await refused(`{ ${repeated(21, (at) => `a${at}: nodeId`)} }`)).toEqual([400, "query_too_costly"]);
  });

  test("depth", async () => {
    const deep = (levels: number): string => (levels === 1 ? "nodeId" : `query { ${deep(levels - 1)} }`);
    expect(await refused(`{ ${deep(10)} }`)).toEqual([200, "none"]);
    expect(await refused(`{ ${deep(11)} }`)).toEqual([400, "query_too_costly"]);
  });

  test("tokens", async () => {
    // 20 tokens in addition to the ids.
    const asked = (tokens: number) =>
      `{ entities(filter: {id: {in: [${repeated(tokens - 20, () => '"x"')}]}}) { totalCount } }`;
    expect(await refused(asked(TOKENS))).toEqual([200, "none"]);
    expect(await refused(asked(TOKENS + 1))).toEqual([400, "query_too_costly"]);
  });

  test("cost, which every response reports [RG-126]", async () => {
    const fields = (count: number) => `{ entities(first: 100) { nodes { ${repeated(count, (at) => `a${at}: id`)} } } }`;
    expect((await client.ask(fields(198))).body.extensions).toMatchObject({ cost: 19_901 });
    expect(await refused(fields(199))).toEqual([400, "query_too_costly"]);
  });

  test("pages [RG-121]", async () => {
    expect(await refused("{ entities(first: 100) { nodes { id } } }")).toEqual([200, "none"]);
    expect(await refused("{ entities(first: -1) { nodes { id } } }")).toEqual([400, "invalid_page_size"]);
    for (const name of ["first", "last"]) {
      const { status, body } = await client.ask(`{ entities(${name}: 101) { nodes { id } } }`);
      expect([status, body.extensions.notes]).toEqual([
        200,
        [`entities: ${name} may be at most 100; pageInfo says whether there is more`],
      ]);
    }
    const least = registryEdge({
      DATABASE: env.DATABASE,
      REGISTRY_GRAPHQL_MAX_PAGE: "1",
      REGISTRY_GRAPHQL_DEFAULT_PAGE: "1",
    });
    await onlyDomains(env.DATABASE, [domainRecord(1), domainRecord(2)]);
    const cut = await graphqlClient(least).data("{ entities(first: 1000) { nodes { id } pageInfo { hasNextPage } } }");
    expect(cut.entities).toEqual({ nodes: [{ id: domainId(1) }], pageInfo: { hasNextPage: true } });
    await onlyDomains(env.DATABASE, [domainRecord(1)]);
    expect(await refused("{ entities(first: 1, last: 1) { nodes { id } } }")).toEqual([400, "validation_failed"]);
  });

  test("the body", async () => {
    const body = (bytes: number) => {
      const text = JSON.stringify({ query: "{ nodeId }", extensions: { padding: "" } });
      return text.replace('""', `"${"x".repeat(bytes - text.length)}"`);
    };
    expect((await edge.call("POST", "/graphql", { headers: json, body: body(GRAPHQL_BODY_BYTES) })).status).toBe(200);
    const over = await edge.ask("POST", "/graphql", { headers: json, body: body(GRAPHQL_BODY_BYTES + 1) });
    expect([over.status, over.body.errors[0].extensions.code]).toEqual([413, "body_too_large"]);
  });

  test("the depth of variables, checked before coercion recurses", async () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { not: nested(levels - 1) });
    const query = "query ($filter: EntityFilter) { entities(filter: $filter) { totalCount } }";
    expect(await client.codeOf(query, { filter: nested(10) })).toBeUndefined();
    expect(await client.codeOf(query, { filter: nested(11) })).toBe("query_too_costly");
    const body = `{"query":${JSON.stringify(query)},"variables":{"filter":${'{"not":'.repeat(9_000)}{}${"}".repeat(9_000)}}}`;
    const answer = await edge.ask("POST", "/graphql", { headers: json, body });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, "validation_failed"]);
  });

  test("the number of different values in a statement", async () => {
    const either = (count: number) => ({
      or: Array.from({ length: count }, (_, at) => ({ name: { equalTo: `name ${at}` } })),
    });
    expect(await client.matching(either(80))).toEqual([]);
    const query = "query ($filter: EntityFilter) { entities(filter: $filter) { totalCount } }";
    expect(await client.codeOf(query, { filter: either(81) })).toBe("query_too_costly");
    const values = (count: number) => ({ metadata: { in: Array.from({ length: count }, (_, at) => ({ at })) } });
    expect(await client.matching(values(80))).toEqual([]);
    expect(await client.codeOf(query, { filter: values(81) })).toBe("query_too_costly");
    const many = Array.from({ length: 1_000 }, (_, at) => domainId(at));
    expect(await client.matching({ id: { in: many } })).toEqual([domainId(1)]);
    const leaves = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`k${at}`, { a: { b: { c: { [`d${at}`]: at } } } }]),
    );
    expect(await client.matching({ metadata: { contains: leaves }, not: { metadata: { contains: leaves } } })).toEqual(
      [],
    );
    const each = Array.from({ length: 5 }, () => ({ metadata: { contains: leaves } }));
    expect(await client.codeOf(query, { filter: { or: each.slice(1) } })).toBeUndefined();
    expect(await client.codeOf(query, { filter: { or: each } })).toBe("query_too_costly");
  });
});
