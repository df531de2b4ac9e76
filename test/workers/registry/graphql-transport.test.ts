/** Transport, introspection and access, over D1. */
import { env } from "cloudflare:workers";
import { getIntrospectionQuery } from "graphql";
import { describe, expect, test } from "vitest";
import { graphqlClient, GRAPHQL_TYPE } from "../../support/registry/graphql-client.ts";
import { createRegistryFixture } from "../../support/registry/fixture.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";
import { NEW_REQUEST_ID } from "../../support/server/request-ids.ts";

const edge = registryEdge({ DATABASE: env.DATABASE });
const client = graphqlClient(edge);
const asGraphql = { headers: { Accept: GRAPHQL_TYPE } };
const json = { "Content-Type": "application/json" };

describe("transport [RG-124]", () => {
  const statusAndCode = ({
    status,
    body,
  }: {
    status: number;
    body: { errors: { extensions: { code: string } }[] };
  }) => [status, body.errors[0]?.extensions.code];

  test.each(["PUT", "PATCH", "DELETE"])("%s is not allowed", async (method) => {
    const answer = await edge.ask(method, "/graphql", { headers: json, body: "{}" });
    expect(statusAndCode(answer)).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("Allow")).toBe("GET, POST, OPTIONS");
  });

  test.each([
    ["text/plain", "{}", 415, "unsupported_media_type"],
    ["application/x-www-form-urlencoded", "query={nodeId}", 415, "unsupported_media_type"],
    ["application/graphql", "{ nodeId }", 415, "unsupported_media_type"],
    ["application/json", "{", 400, "malformed_json"],
    ["application/json", "", 400, "malformed_json"],
    ["application/json", "[]", 400, "validation_failed"],
    ["application/json", '[{"query":"{ nodeId }"}]', 400, "validation_failed"],
    ["application/json", "null", 400, "validation_failed"],
    ["application/json", "{}", 400, "validation_failed"],
    ["application/json", '{"query":1}', 400, "validation_failed"],
    ["application/json", '{"query":"{ nodeId }","variables":[]}', 400, "validation_failed"],
    ["application/json", '{"query":"{ nodeId }","operationName":1}', 400, "validation_failed"],
  ])("%s with %s is %i %s", async (type, body, status, code) => {
    const answer = await edge.ask("POST", "/graphql", { headers: { "Content-Type": type }, body });
    expect(statusAndCode(answer)).toEqual([status, code]);
    expect(answer.body.errors[0].extensions.requestId).toBe(answer.headers.get("X-Request-Id"));
  });

  test("a query can use GET, with its variables", async () => {
    const parameters = new URLSearchParams({
      query: "query A($id: String!) { entity(id: $id) { id } } query B { nodeId }",
      operationName: "A",
      variables: JSON.stringify({ id: "x" }),
    });
    const { status, body } = await edge.ask("GET", `/graphql?${parameters.toString()}`);
    expect([status, body.data]).toEqual([200, { entity: null }]);
    expect(statusAndCode(await edge.ask("GET", "/graphql"))).toEqual([400, "validation_failed"]);
    expect(statusAndCode(await edge.ask("GET", "/graphql?query={nodeId}&variables={"))).toEqual([
      400,
      "malformed_json",
    ]);
  });

  test.each([
    "{ nodeid }",
    "{ nodeId",
    "mutation { verify }",
    "subscription { domains }",
    "query ($f: EntityFilter!) { entities(filter: $f) { totalCount } }",
  ])("%s fails with 400 for clients that accept GraphQL's media type, otherwise with 200 and errors", async (query) => {
    const named = await client.ask(query, undefined, asGraphql);
    expect(statusAndCode(named)).toEqual([400, "validation_failed"]);
    expect(named.headers.get("Content-Type")).toBe(`${GRAPHQL_TYPE}; charset=utf-8`);
    const older = await client.ask(query);
    expect(statusAndCode(older)).toEqual([200, "validation_failed"]);
    expect(older.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
  });

  test("every web page can query", async () => {
    const headers = { Origin: "https://any.test", "Access-Control-Request-Method": "POST" };
    const preflight = await edge.call("OPTIONS", "/graphql", { headers });
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const answer = await client.ask("{ nodeId }", undefined, { headers: { Origin: "https://any.test" } });
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test("an unexpected failure discloses only its request id [RG-129]", async () => {
    const broken = registryEdge({
      DATABASE: {
        prepare: () => {
          throw new Error("SELECT secret FROM table");
        },
      },
    });
    const { status, body } = await graphqlClient(broken).ask("{ entities { totalCount } nodeId }");
    expect(status).toBe(200);
    expect(body.data).toEqual({ entities: null, nodeId: "query" });
    expect(body.errors).toEqual([
      expect.objectContaining({
        message: "Internal server error",
        extensions: { code: "internal", requestId: expect.stringMatching(NEW_REQUEST_ID) },
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(broken.log.join()).toContain("graphql-failed");
  });

  test("while the database is unreachable, the status is 503 and the code `unavailable` [RG-155]", async () => {
    const lost = registryEdge({
      DATABASE: {
        prepare: () => {
          throw new Error("D1_ERROR: Network connection lost at 10.0.0.1");
        },
      },
    });
    const { status, headers, body } = await graphqlClient(lost).ask("{ entities { totalCount } }");
    expect([status, headers.get("Retry-After")]).toEqual([503, "2"]);
    expect(body.errors).toMatchObject([{ extensions: { code: "unavailable" } }]);
    expect(JSON.stringify(body)).not.toContain("10.0.0.1");
    expect(lost.log.join()).toContain("graphql-failed");
  });
});

describe("introspection", () => {
  const closed = registryEdge({ DATABASE: env.DATABASE, REGISTRY_GRAPHQL_INTROSPECTION: "off" });
  const html = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

  test("if on, is within the limits, and includes a page for people [RG-116]", async () => {
    const { __schema: schema } = await client.data(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }));
    expect(schema.mutationType).toBeNull();
    expect(schema.types.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([
        "EntityFilter",
        "EntityCondition",
        "EntitiesOrderBy",
        "StringFilter",
        "IidFilter",
        "Cursor",
      ]),
    );
    // Locations that clients of earlier specifications can read.
    const places = schema.directives.flatMap(({ locations }: { locations: string[] }) => locations);
    expect(places.toSorted()).toEqual(expect.not.arrayContaining(["DIRECTIVE_DEFINITION"]));
    const page = await edge.call("GET", "/graphql", html);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("script-src 'self'");
    expect(page.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
    expect(page.headers.get("Permissions-Policy")).toContain("camera=(), ");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(await page.text()).not.toMatch(/<script>|https?:\/\//);
  });

  test("if off, removes the page and every hint too [RG-128]", async () => {
    const quiet = graphqlClient(closed);
    expect(await quiet.codeOf("{ __schema { queryType { name } } }")).toBe("validation_failed");
    expect(await quiet.codeOf('{ __type(name: "Entity") { name } }')).toBe("validation_failed");
    expect(await quiet.data("{ __typename }")).toEqual({ __typename: "Query" });
    const variables = { filter: { nam: {} }, order: ["ID_AS"] };
    const declared = "query ($filter: EntityFilter, $order: [EntitiesOrderBy!])";
    for (const [faults, query] of [
      [1, "{ entitie { nodes { i } } }"],
      [1, "{ entities(orderBy: ID_AS) { totalCount } }"],
      [1, "{ entities(filter: {nam: {}}) { totalCount } }"],
      [2, `${declared} { entities(filter: $filter, orderBy: $order) { totalCount } }`],
    ] as const) {
      expect(JSON.stringify((await client.ask(query, variables)).body), query).toContain("Did you mean");
      const { body } = await quiet.ask(query, variables);
      expect(body.errors, query).toHaveLength(faults);
      expect(JSON.stringify(body), query).not.toContain("Did you mean");
    }
    expect((await closed.call("GET", "/graphql", html)).status).toBe(400);
  });
});

test("faults before a document runs are returned as GraphQL errors [RG-129]", async () => {
  const wrong = registryEdge({ DATABASE: env.DATABASE, REGISTRY_QUORUM_BP: "many" });
  const closed = registryEdge({ DATABASE: env.DATABASE, REGISTRY_PUBLIC_READS: "none" });
  for (const [from, status, code] of [
    [wrong, 500, "internal"],
    [closed, 401, "unauthenticated"],
  ] as const) {
    const answer = await graphqlClient(from).ask("{ nodeId }");
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([status, "application/json; charset=utf-8"]);
    expect(answer.body).toEqual({
      errors: [{ message: expect.stringMatching(/.+/), extensions: { code, requestId: expect.stringMatching(/.+/) } }],
    });
  }
});

test("one domain is read in its effective state, lists in their stored state [RG-123]", async () => {
  const fixture = await createRegistryFixture(env.DATABASE, [4, 6]);
  const domain = await fixture.domain();
  await fixture.vote(await fixture.propose(domain), 0);
  const read = async () => {
    const query = `query ($id: String!) { entity(id: $id) { verificationStatus version verifiedAt }
      entities(condition: {id: $id}) { nodes { verificationStatus version } } }`;
    const { entity, entities } = await graphqlClient(fixture.edge).data(query, { id: domain });
    return { entity, stored: entities.nodes[0] };
  };
  const underVote = { verificationStatus: "UnderVote", version: 2 };
  expect(await read()).toEqual({ entity: { ...underVote, verifiedAt: null }, stored: underVote });
  fixture.edge.clock.now += 72 * 3_600_000;
  const verified = { verificationStatus: "Verified", version: 3, verifiedAt: "2026-11-24T09:00:00Z" };
  expect(await read()).toEqual({ entity: verified, stored: underVote });
  await fixture.finalise();
  expect(await read()).toEqual({ entity: verified, stored: { verificationStatus: "Verified", version: 3 } });
});
