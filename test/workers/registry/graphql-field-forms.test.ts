/** Queries of existing clients, unchanged (docs/decisions/005-registry.md). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { domainId, domainRecord } from "../../support/registry/domain-records.ts";
import { graphqlClient, onlyDomains } from "../../support/registry/graphql-client.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const client = graphqlClient(registryEdge({ DATABASE: env.DATABASE }));
const credential = { id: "urn:c:1", type: "VerifiableCredential", status: "active" } as const;
const account = { name: "main", address: "ixo1abc" };
const RELAYER = "did:ixo:entity:relayer";

beforeAll(() =>
  onlyDomains(env.DATABASE, [
    domainRecord(1, { type: "asset", credentials: [credential], accounts: [account], relayerNode: RELAYER }),
    domainRecord(2, { type: "asset/device", status: "suspended", metadata: { status: 1 } }),
    domainRecord(3, { type: "deed/offer", owner: "did:key:other" }),
  ]),
);

const everything = `id accordedRight accounts alsoKnownAs assertionMethod authentication capabilityInvocation context
  capabilityDelegation controller credentials endDate entityVerified externalId keyAgreement linkedClaim linkedResource
  linkedEntity nodeId owner metadata service relayerNode startDate settings status type verificationMethod`;

describe("queries of the portal [RG-117]", () => {
  test("all entities, with unused variables", async () => {
    const query = `query GetAllEntities($relayerNode: String!, $owner: String) {
      entities { nodes { ${everything} } totalCount } }`;
    const { entities } = await client.data(query, { relayerNode: RELAYER });
    expect(entities.totalCount).toBe(3);
    expect(entities.nodes[0]).toMatchObject({ accounts: [account], credentials: ["urn:c:1"], status: "active" });
  });

  test("entities of a relayer or an owner, without assets", async () => {
    const query = `query entities($relayerNode: String!, $owner: String) {
      entities(filter: { not: { type: { startsWith: "asset" } } or: [
        { relayerNode: { equalTo: $relayerNode } } { id: { equalTo: $relayerNode } } { owner: { equalTo: $owner } } ] })
      { nodes { ${everything} } totalCount } }`;
    const { entities } = await client.data(query, { relayerNode: RELAYER, owner: "did:key:other" });
    expect(entities.nodes.map(({ id }: { id: string }) => id)).toEqual([domainId(3)]);
  });

  test("EntitiesList, EntitiesByType, SingleEntity of the cookbook", async () => {
    const list = `query EntitiesList { entities(filter: {id: {in: ["${domainId(1)}",]}} orderBy: RELAYER_NODE_ASC) {
      totalCount edges { node { id type entityVerified owner relayerNode accounts credentials } } } }`;
    expect((await client.data(list)).entities).toMatchObject({
      totalCount: 1,
      edges: [{ node: { id: domainId(1), accounts: [account], credentials: ["urn:c:1"] } }],
    });
    const byType = `query EntitiesByType { entities(filter: {type: {equalTo: "asset"}}) {
      totalCount edges { node { id type entityVerified owner relayerNode linkedEntity accounts credentials } } } }`;
    expect((await client.data(byType)).entities.edges).toHaveLength(1);
    const single = `query SingleEntity { entity(id: "${domainId(1)}") { ${everything} } }`;
    expect((await client.data(single)).entity).toMatchObject({ accounts: [account], credentials: ["urn:c:1"] });
  });

  test("a page of a thousand is cut to the maximum, which a note reports [RG-121]", async () => {
    const { status, body } = await client.ask("{ entities(first: 1000) { nodes { id } pageInfo { hasNextPage } } }");
    expect([status, body.data.entities.nodes.length, body.data.entities.pageInfo.hasNextPage]).toEqual([200, 3, false]);
    expect(body.extensions.notes).toEqual(["entities: first may be at most 100; pageInfo says whether there is more"]);
    expect((await client.ask("{ entities { nodes { id } } }")).body.extensions.notes).toBeUndefined();
  });
});

test("both forms of accounts and credentials in one response", async () => {
  const query = `query ($id: String!) { entity(id: $id) {
    plain: accounts accounts { name } credentials { status } ...leaf } } fragment leaf on Entity { ids: credentials }`;
  expect((await client.data(query, { id: domainId(1) })).entity).toEqual({
    plain: [account],
    accounts: [{ name: "main" }],
    credentials: [{ status: "active" }],
    ids: ["urn:c:1"],
  });
});

describe("a number for a status [RG-117]", () => {
  const ids = async (query: string, variables?: object) => {
    const { entities } = await client.data(query, variables);
    return entities.nodes.map(({ id }: { id: string }) => id);
  };
  const active = [domainId(1), domainId(3)];

  test("as a literal, in a filter and in a condition", async () => {
    expect(await ids("{ entities(filter: {status: {equalTo: 0}}) { nodes { id } } }")).toEqual(active);
    expect(await ids("{ entities(filter: {not: {status: {in: [1, 3]}}}) { nodes { id } } }")).toEqual(active);
    expect(await ids("{ entities(condition: {status: 1}) { nodes { id } } }")).toEqual([domainId(2)]);
    expect(await ids('{ entities(filter: {status: {equalTo: "ACTIVE"}}) { nodes { id } } }')).toEqual(active);
  });

  test("in variables of any kind", async () => {
    const filter = "query ($f: EntityFilter) { entities(filter: $f) { nodes { id } } }";
    expect(await ids(filter, { f: { status: { equalTo: 0 } } })).toEqual(active);
    expect(await ids(filter, { f: { or: [{ status: { in: [1] } }] } })).toEqual([domainId(2)]);
    const number = "query ($s: Int!) { entities(filter: {status: {equalTo: $s}}) { nodes { id } } }";
    expect(await ids(number, { s: 1 })).toEqual([domainId(2)]);
    const text = "query ($s: String!) { entities(filter: {status: {equalTo: $s}}) { nodes { id } } }";
    expect(await ids(text, { s: "suspended" })).toEqual([domainId(2)]);
    const condition = "query ($c: EntityCondition) { entities(condition: $c) { nodes { id } } }";
    expect(await ids(condition, { c: { status: 1 } })).toEqual([domainId(2)]);
  });

  test("but not within the caller's JSON", async () => {
    expect(await ids("{ entities(filter: {metadata: {contains: {status: 1}}}) { nodes { id } } }")).toEqual([
      domainId(2),
    ]);
    const filter = "query ($f: EntityFilter) { entities(filter: $f) { nodes { id } } }";
    expect(await ids(filter, { f: { metadata: { contains: { status: 1 } } } })).toEqual([domainId(2)]);
  });

  test("refuses a text instead of a number, and a fraction", async () => {
    expect(await client.codeOf('{ entities(filter: {statusCode: {equalTo: "0"}}) { totalCount } }')).toBe(
      "validation_failed",
    );
    expect(await client.codeOf("{ entities(filter: {status: {equalTo: 0.5}}) { totalCount } }")).toBe(
      "validation_failed",
    );
  });
});
