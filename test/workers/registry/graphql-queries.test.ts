/** The documented queries and the forms that real clients send, over D1. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { domainId, domainRecord, emptyDocument } from "../../support/registry/domain-records.ts";
import { graphqlClient, onlyDomains } from "../../support/registry/graphql-client.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const edge = registryEdge({ DATABASE: env.DATABASE });
const client = graphqlClient(edge);
const RELAYER = "did:ixo:entity:a1fcead81eab2f1158a726597d872413";

describe("among five domains of several kinds", () => {
  const resource = (id: string, more: object = {}) => ({ id, type: "file", description: id, ...more });
  beforeAll(() =>
    onlyDomains(env.DATABASE, [
      domainRecord(1, {
        type: "Protocol",
        relayerNode: RELAYER,
        metadata: { name: "Cooking", tags: ["a", "b"], size: { w: 1 } },
      }),
      domainRecord(2, {
        type: "Organisation",
        class: domainId(1),
        credentials: [{ id: "urn:c:1", type: "VerifiableCredential", status: "active" }],
        accounts: [{ name: "main", address: "ixo1abc" }],
        controllers: ["did:key:one", "did:key:two"],
        externalId: "SN-1",
        validFrom: "2026-01-01T00:00:00Z",
        verificationStatus: "Verified",
        document: {
          ...emptyDocument,
          linkedResource: [resource("{id}#own"), resource("#set", { type: "Settings", description: "theme" })],
          alsoKnownAs: ["urn:also"],
          service: [{ id: "#api", type: "Api", serviceEndpoint: "https://own.test" }],
        },
      }),
      domainRecord(3, { type: "organization", status: "suspended", class: domainId(2) }),
      domainRecord(4, { type: "asset/device", relayerNode: "did:ixo:entity:other", class: domainId(2) }),
      domainRecord(5, { type: "protocol", status: "deactivated", relayerNode: "did:ixo:entity:other" }),
    ]),
  );

  test("by relayer node and type, with metadata as an object [RG-115]", async () => {
    const filter = `filter: { relayerNode: {equalTo: "${RELAYER}"}, type: {equalTo: "protocol"} }`;
    const query = `query EntitiesByRelayerNodeAndType { entities(${filter}) { nodes { id type metadata } } }`;
    expect(await client.data(query)).toEqual({
      entities: {
        nodes: [{ id: domainId(1), type: "Protocol", metadata: { name: "Cooking", tags: ["a", "b"], size: { w: 1 } } }],
      },
    });
    expect(await client.data(`{ entities(${filter}) { totalCount } }`)).toEqual({ entities: { totalCount: 1 } });
  });

  test("the status of one domain, null for an unknown one and for an invalid DID [RG-115]", async () => {
    const query =
      "query DomainStatus($did: String!) { entity(id: $did) { id status verificationStatus credentials { type status } } }";
    expect(await client.data(query, { did: domainId(2) })).toEqual({
      entity: {
        id: domainId(2),
        status: "active",
        verificationStatus: "Verified",
        credentials: [{ type: "VerifiableCredential", status: "active" }],
      },
    });
    expect(await client.data(query, { did: domainId(99) })).toEqual({ entity: null });
    expect(await client.data(query, { did: "' OR 1=1 --" })).toEqual({ entity: null });
  });

  test("controllers are a list, and there may be no accounts [RG-115]", async () => {
    const query =
      "query GetEntity($did: String!) { entity(id: $did) { id type status relayerNode owner controller accounts { name address } } }";
    expect(await client.data(query, { did: domainId(3) })).toEqual({
      entity: {
        id: domainId(3),
        type: "organization",
        status: "suspended",
        relayerNode: "",
        owner: "did:key:owner",
        controller: ["did:key:controller"],
        accounts: [],
      },
    });
  });

  test("type and status in clients' spelling [RG-115, RG-119]", async () => {
    const query = `query { entities(filter: { type: { equalTo: "ORGANIZATION" } status: { equalTo: "ACTIVE" } }) { edges { node { id name status } } } }`;
    expect(await client.data(query)).toEqual({
      entities: { edges: [{ node: { id: domainId(2), name: null, status: "active" } }] },
    });
  });

  test("both names where documentation and clients disagree [RG-116]", async () => {
    const query = `query ($did: String!) { entity(id: $did) {
      statusCode entityVerified accountsJson credentialIds externalId startDate validFrom endDate alsoKnownAs alsoKnownAsList
      context recordMetadata version class } }`;
    const { entity } = await client.data(query, { did: domainId(2) });
    expect(entity).toEqual({
      statusCode: 0,
      entityVerified: true,
      accountsJson: [{ name: "main", address: "ixo1abc" }],
      credentialIds: ["urn:c:1"],
      externalId: "SN-1",
      startDate: "2026-01-01T00:00:00Z",
      validFrom: "2026-01-01T00:00:00Z",
      endDate: null,
      alsoKnownAs: "urn:also",
      alsoKnownAsList: ["urn:also"],
      context: [{ key: "class", val: domainId(1) }],
      recordMetadata: expect.objectContaining({ versionId: "0".repeat(64), deactivated: false }),
      version: 1,
      class: domainId(1),
    });
  });

  test("services and resources include those of the classes, a document alone has its own [RG-116]", async () => {
    const query = `{ entities(filter: {class: {equalTo: "${domainId(2)}"}}) {
      nodes { id service linkedResource settings iidById { service entityById { id } } } } }`;
    const { entities } = await client.data(query);
    for (const [at, node] of entities.nodes.entries()) {
      expect(node).toEqual({
        id: domainId(at + 3),
        service: [{ id: "#api", type: "Api", serviceEndpoint: "https://own.test", inheritedFrom: domainId(2) }],
        linkedResource: [resource("{id}#own", { inheritedFrom: domainId(2) })],
        settings: { theme: expect.objectContaining({ id: "#set" }) },
        iidById: { service: [], entityById: { id: domainId(at + 3) } },
      });
    }
    expect(entities.nodes).toHaveLength(2);
  });

  test("forms that real clients send [RG-118]", async () => {
    const query =
      "query ($ids: [String!]) { entities(filter: {id: {in: $ids}}, orderBy: RELAYER_NODE_ASC) { nodes { id } } }";
    const { entities } = await client.data(query, { ids: [domainId(4), domainId(1), domainId(2)] });
    expect(entities.nodes.map(({ id }: { id: string }) => id)).toEqual([domainId(1), domainId(4), domainId(2)]);
    expect(await client.matching({ iidById: { context: { contains: [{ key: "class", val: domainId(2) }] } } })).toEqual(
      [domainId(3), domainId(4)],
    );
    expect(await client.matching({ entityVerified: { equalTo: false }, statusCode: { equalTo: 0 } })).toEqual([
      domainId(1),
      domainId(4),
    ]);
    expect(await client.matching({ not: { type: { in: ["asset/device"] } } })).toHaveLength(4);
    expect(await client.matching({ controller: { contains: ["did:key:two"] } })).toEqual([domainId(2)]);
    expect(await client.matching({ metadata: { contains: { tags: ["b"], size: { w: 1 } } } })).toEqual([domainId(1)]);
    expect(await client.matching({ startDate: { greaterThan: "2025-12-31" } })).toEqual([domainId(2)]);
    expect(await client.data(`{ entities(condition: {externalId: "SN-1"}) { totalCount } }`)).toEqual({
      entities: { totalCount: 1 },
    });
    expect(await client.data(`{ entities(condition: {externalId: null, type: "PROTOCOL"}) { totalCount } }`)).toEqual({
      entities: { totalCount: 2 },
    });
    const inline = `query ($val: String!) { entities(filter: {metadata: {contains: {name: $val}}}) { nodes { id } } }`;
    expect(await client.data(inline, { val: "Cooking" })).toEqual({ entities: { nodes: [{ id: domainId(1) }] } });
  });

  test("nodes by their ids", async () => {
    const { entity, iid } = await client.data(
      `{ entity(id: "${domainId(2)}") { nodeId } iid(id: "${domainId(2)}") { nodeId metadata } }`,
    );
    expect(atob(entity.nodeId)).toBe(`["entities","${domainId(2)}"]`);
    const query = `query ($entity: ID!, $iid: ID!) {
      node(nodeId: $entity) { __typename nodeId ... on Entity { id } }
      other: node(nodeId: $iid) { __typename ... on Iid { id } }
      entityByNodeId(nodeId: $entity) { id }
      iidByNodeId(nodeId: $entity) { id }
      none: node(nodeId: "' OR 1=1") { nodeId }
    }`;
    expect(await client.data(query, { entity: entity.nodeId, iid: iid.nodeId })).toEqual({
      node: { __typename: "Entity", nodeId: entity.nodeId, id: domainId(2) },
      other: { __typename: "Iid", id: domainId(2) },
      entityByNodeId: { id: domainId(2) },
      iidByNodeId: null,
      none: null,
    });
  });

  test("iids, with their own filter and order", async () => {
    const query = `{ iids(filter: {alsoKnownAs: {equalTo: "urn:also"}}, orderBy: [PRIMARY_KEY_DESC]) {
      totalCount nodes { id alsoKnownAs controller } } }`;
    expect(await client.data(query)).toEqual({
      iids: {
        totalCount: 1,
        nodes: [{ id: domainId(2), alsoKnownAs: "urn:also", controller: ["did:key:one", "did:key:two"] }],
      },
    });
  });
});

describe("among forty domains", () => {
  const ids = Array.from({ length: 40 }, (_, at) => domainId(at));
  beforeAll(() =>
    onlyDomains(
      env.DATABASE,
      ids.map((_, at) => domainRecord(at)),
    ),
  );

  test("ten per page, each once [RG-115, RG-121]", async () => {
    const query = `query ($after: Cursor) { entities(first: 10, after: $after) {
      edges { node { id name type } } pageInfo { hasNextPage endCursor } } }`;
    const met: string[] = [];
    let after: string | null = null;
    let more = true;
    for (; more && met.length < 50;) {
      const { entities } = await client.data(query, { after });
      expect(entities.edges).toHaveLength(10);
      met.push(...entities.edges.map(({ node }: { node: { id: string } }) => node.id));
      after = entities.pageInfo.endCursor;
      more = entities.pageInfo.hasNextPage;
    }
    expect(met).toEqual(ids);
  });

  test.each<[string, number, number]>([
    [`first: 20, after: "YXJyYXljb25uZWN0aW9uOjEw"`, 11, 31],
    [`last: 10, before: "YXJyYXljb25uZWN0aW9uOjIw"`, 10, 20],
    ["first: 50", 0, 40],
    ["last: 10", 30, 40],
    ["offset: 35, first: 3", 35, 38],
  ])("%s returns the positions from %i to %i [RG-122]", async (asked, from, to) => {
    const { entities } = await client.data(`query { entities(${asked}) { edges { node { id name } } } }`);
    expect(entities.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids.slice(from, to));
  });

  test("a cursor of another order is refused [RG-122]", async () => {
    const { entities } = await client.data("{ entities(first: 1, orderBy: NAME_ASC) { edges { cursor } } }");
    const { cursor } = entities.edges[0];
    const { status, body } = await client.ask(
      `{ entities(first: 1, orderBy: TYPE_ASC, after: "${cursor}") { nodes { id } } }`,
    );
    expect([status, body.errors[0].extensions.code]).toEqual([400, "invalid_cursor"]);
    expect(await client.codeOf(`{ iids(after: "${cursor}") { nodes { id } } }`)).toBe("invalid_cursor");
    const again = await client.data(`{ entities(first: 1, orderBy: NAME_ASC, after: "${cursor}") { nodes { id } } }`);
    expect(again.entities.nodes).toEqual([{ id: domainId(1) }]);
  });
});
