/** The embedded node through the whole gateway, over the real registry. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { domainId, domainRecord, emptyDocument } from "../../../test/support/registry/domain-records.ts";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { image, domains, edge } from "../../../test/support/query-gateway/embedded-edge.ts";

const ids = domains.map(({ id }) => id);
const A = domainId(0xa);

describe("entities", () => {
  test("an entity and its DID document, as a node prints them [QG-90, QG-91]", async () => {
    const record = domainRecord(0xa, {
      type: "asset",
      class: "did:ixo:protocol",
      status: "suspended",
      verificationStatus: "Verified",
      validFrom: "2026-01-02T00:00:00.500Z",
      controllers: ["did:ixo:c"],
      credentials: [{ id: "urn:cred:1", type: "VerifiableCredential", status: "active" }],
      accounts: [{ name: "admin", address: "ixo1a" }],
      document: {
        ...emptyDocument,
        verificationMethod: [
          { id: "#k", type: "K", controller: "did:ixo:c", blockchainAccountId: "ixo1a" },
          { id: "#j", type: "J", publicKeyJwk: { kty: "OKP" } },
        ],
        service: [{ id: "#s", type: "S", serviceEndpoint: "https://s.example", other: { deep: 1 } }],
        keyAgreement: ["#k"],
        alsoKnownAs: ["first", "second"],
      },
      versionId: "v",
      createdAt: "2026-01-02T03:04:05.000Z",
      updatedAt: "2026-01-02T03:04:05.000Z",
    });
    const { ask } = edge({ embedded: { relayerNode: "did:ixo:relayer" } }, [record]);
    const { status, text, headers } = await ask(`/ixo/entity/${A}`);
    expect([status, headers.get("Content-Type")]).toEqual([200, "application/json"]);
    const metadata = '"created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z"';
    expect(text).toBe(
      `{"entity":{"id":"${A}","type":"asset","start_date":"2026-01-02T00:00:00.500Z","end_date":null,` +
        '"status":1,"relayer_node":"did:ixo:relayer","credentials":["urn:cred:1"],"entity_verified":true,' +
        `"metadata":{"version_id":"v",${metadata}},"accounts":[{"name":"admin","address":"ixo1a"}]},` +
        `"iidDocument":{"context":[{"key":"class","val":"did:ixo:protocol"}],"id":"${A}","controller":["did:ixo:c"],` +
        `"verificationMethod":[{"id":"${A}#k","type":"K","controller":"did:ixo:c","blockchainAccountID":"ixo1a"},` +
        `{"id":"${A}#j","type":"J","controller":""}],` +
        `"service":[{"id":"${A}#s","type":"S","serviceEndpoint":"https://s.example"}],` +
        `"authentication":[],"assertionMethod":[],"keyAgreement":["${A}#k"],"capabilityInvocation":[],` +
        '"capabilityDelegation":[],"linkedResource":[],"linkedClaim":[],"accordedRight":[],"linkedEntity":[],' +
        `"alsoKnownAs":"first","metadata":{"versionId":"v",${metadata},"deactivated":false}}}`,
    );
  });

  test.each([
    ["/ixo/entity/params", { params: { nftContractAddress: "", nftContractMinter: "", createSequence: "1" } }],
    [`/ixo/entity/${A}/metadata`, { entity: { id: ids[0] } }],
    [`/ixo/entity/${A}/iiddocument`, { iidDocument: { id: ids[0] } }],
    [`/ixo/entity/${A}/verified`, { entity_verified: false }],
    [`/ixo/did/dids/${A}`, { iidDocument: { id: ids[0] } }],
    ["/ixo/did/dids", { iidDocuments: ids.map((id) => ({ id })), pagination: { next_key: null, total: "3" } }],
    ["/ixo/entity", { entities: ids.map((id) => ({ id })), pagination: { next_key: null, total: "3" } }],
  ])("%s", async (path, expected) => {
    const { status, body } = await edge().ask(path);
    expect([status, body]).toEqual([200, expect.objectContaining({})]);
    expect(body).toMatchObject(expected);
  });

  test("an unknown id is not found, an empty one invalid; both responses have the height [QG-92]", async () => {
    const { ask } = edge();
    const unknown = await ask("/ixo/entity/did:ixo:entity:x");
    expect([unknown.status, unknown.text]).toEqual([
      404,
      '{"code":5,"message":"entity did:ixo:entity:x not found","details":[]}',
    ]);
    expect(unknown.headers.get("X-Cosmos-Block-Height")).toBe("7");
    const empty = await ask("/ixo/entity/");
    expect([empty.status, empty.body.code]).toEqual([400, 3]);
  });

  test("an unreadable registry makes the node unavailable [QG-92]", async () => {
    const { ask, source } = edge();
    source.breakDown();
    const { status, body } = await ask(`/ixo/entity/${A}`);
    expect([status, body.code]).toEqual([503, 14]);
  });

  test("the registry's relayer node is the default [QG-90]", async () => {
    const { body } = await edge({}, undefined, { REGISTRY_RELAYER_NODE: "did:ixo:r" }).ask(`/ixo/entity/${ids[0]}`);
    expect(body.entity.relayer_node).toBe("did:ixo:r");
  });
});

describe("paging [QG-93]", () => {
  test("next_key leads from page to page until it is null", async () => {
    const { ask } = edge();
    const seen: string[] = [];
    let key = "";
    for (let page = 0; page < 3; page += 1) {
      const { body } = await ask(`/ixo/entity?pagination.limit=1&pagination.key=${encodeURIComponent(key)}`);
      seen.push(...body.entities.map(({ id }: { id: string }) => id));
      expect(body.pagination.total).toBe("0");
      key = body.pagination.next_key ?? "";
    }
    expect([seen, key]).toEqual([ids, ""]);
  });

  test.each([
    ["pagination.limit=2&pagination.reverse=true", ["c", "b"]],
    ["pagination.offset=1&pagination.limit=1", ["b"]],
    ["pagination.offset=9", []],
  ])("%s", async (query, expected) => {
    const { body } = await edge().ask(`/ixo/entity?${query}`);
    expect(body.entities.map(({ id }: { id: string }) => id.at(-1))).toEqual(expected);
  });

  test("with a limit there is no count unless requested; without one the limit is 100, with a count", async () => {
    const { ask } = edge(
      {},
      Array.from({ length: 1_001 }, (_, number) => domainRecord(number)),
    );
    const answered = async (query: string) => {
      const { entities, pagination } = (await ask(`/ixo/entity${query}`)).body;
      return [entities.length, pagination.total];
    };
    expect(await answered("?pagination.limit=5")).toEqual([5, "0"]);
    expect(await answered("?pagination.limit=5&pagination.count_total=true")).toEqual([5, "1001"]);
    expect(await answered("")).toEqual([100, "1001"]);
    expect(await answered("?pagination.limit=99999")).toEqual([1_000, "0"]);
  });

  test.each([
    ["entity", "pagination.key=YQ%3D%3D&pagination.offset=1"],
    ["entity", "pagination.key=%2F%2F8%3D"],
    ["claims/claims", "pagination.key=YQ%3D%3D"],
  ])("/ixo/%s?%s is refused", async (path, query) => {
    const { status, body } = await edge().ask(`/ixo/${path}?${query}`);
    expect([status, body.code]).toEqual([400, 3]);
  });

  test("lists of the sample data are paged likewise", async () => {
    const { ask } = edge();
    const first = await ask("/ixo/claims/claims?pagination.limit=2&pagination.reverse=true");
    expect(first.body.claims.map(({ claim_id }: { claim_id: string }) => claim_id)).toEqual(["claim-3", "claim-2"]);
    const key = encodeURIComponent(first.body.pagination.next_key);
    const second = await ask(`/ixo/claims/claims?pagination.limit=2&pagination.reverse=true&pagination.key=${key}`);
    expect(second.body).toMatchObject({
      claims: [{ claim_id: "claim-1" }],
      pagination: { next_key: null, total: "0" },
    });
  });
});

describe("height [QG-94]", () => {
  test.each([
    [0, "1"],
    [7, "7"],
  ])("revision %d is height %s, in both headers", async (revision, height) => {
    const { ask, source } = edge();
    source.moveTo(revision);
    const { headers } = await ask("/ixo/token/params");
    expect(headers.get("X-Cosmos-Block-Height")).toBe(height);
    expect(headers.get("Grpc-Metadata-X-Cosmos-Block-Height")).toBe(height);
  });

  test.each([
    ["7", 200],
    ["0", 200],
    ["6", 400],
    ["8", 400],
  ])("requested height %s is answered with %d", async (height, status) => {
    const answer = await edge().ask("/ixo/token/params", { headers: { "x-cosmos-block-height": height } });
    expect([answer.status, answer.headers.get("X-Cosmos-Block-Height")]).toEqual([status, "7"]);
  });

  test("at another height nothing is reported as missing", async () => {
    const { status } = await edge().ask("/ixo/entity/did:ixo:entity:x", { headers: { "x-cosmos-block-height": "6" } });
    expect(status).toBe(400);
  });
});

describe("a wallet's first requests [QG-96]", () => {
  const BASE = "/cosmos/base/tendermint/v1beta1";
  const clock = () => Date.parse("2026-11-22T07:30:00.250Z");
  const wallet = (deployment: object = {}) =>
    gatewayEdge({ image, source: entitiesInNode(), deployment, platform: { clock } }).ask;

  test("chain: the profile's, or a default one", async () => {
    const named = await wallet({ chainId: "ixo-5" })(`${BASE}/node_info`);
    expect([named.status, named.body.default_node_info.network]).toEqual([200, "ixo-5"]);
    expect(named.body.application_version.app_name).toBe("twinedge");
    expect((await wallet()(`${BASE}/node_info`)).body.default_node_info.network).toBe("twinedge-1");
  });

  test("height: the newest change; time: now; and it is not catching up", async () => {
    const ask = wallet({ chainId: "ixo-5" });
    const { status, body, headers } = await ask(`${BASE}/blocks/latest`);
    expect([status, headers.get("X-Cosmos-Block-Height")]).toEqual([200, "7"]);
    const header = { chain_id: "ixo-5", height: "7", time: "2026-11-22T07:30:00.250Z" };
    expect(body).toMatchObject({ block: { header, data: { txs: [] } }, sdk_block: { header } });
    expect((await ask(`${BASE}/blocks/7`)).body.block.header).toMatchObject(header);
    expect((await ask(`${BASE}/blocks/6`)).status).toBe(400);
    expect((await ask(`${BASE}/syncing`)).body).toEqual({ syncing: false });
  });

  test.each([
    "/cosmos/auth/v1beta1/accounts/ixo1a",
    "/cosmos/auth/v1beta1/account_info/ixo1a",
    "/cosmos/bank/v1beta1/balances/ixo1a",
    "/cosmos/bank/v1beta1/supply",
    "/cosmos/staking/v1beta1/params",
    "/cosmos/staking/v1beta1/delegations/ixo1a",
    "/cosmos/distribution/v1beta1/delegators/ixo1a/rewards",
    "/cosmos/gov/v1/proposals",
    "/cosmos/tx/v1beta1/txs/AB",
    "/cosmos/base/node/v1beta1/config",
    "/ibc/apps/transfer/v1/params",
    `${BASE}/validatorsets/latest`,
  ])("%s is 501", async (path) => {
    const { status, body } = await wallet()(path);
    expect([status, body.code]).toEqual([501, 12]);
  });

  test.each(["/node_info", "/blocks/latest", "/auth/accounts/ixo1a", "/status"])(
    "%s, which old nodes served, is not a path: 404",
    async (path) => {
      expect((await wallet()(path)).status).toBe(404);
    },
  );
});

const UNIMPLEMENTED = 12;

/** Every path of the gateway's document that is answered, even with "not found". */
async function answeredPaths(embedded: object): Promise<readonly string[]> {
  const deployment = JSON.stringify({ deployments: [{ name: "embedded", embedded }] });
  const { ask, surface, env: complete } = gatewayEdge({ image: ixoImage(), source: entitiesInNode(), deployment });
  const document = await surface.openapi?.(complete);
  const answered: string[] = [];
  for (const [path, item] of Object.entries(document?.paths as Record<string, Record<string, unknown>>)) {
    const concrete = path.replaceAll(/\{([\w.]+)\}/g, (_, name) => (name === "targetRole" ? "1" : "1111"));
    // CometBFT's RPC is not a method of a service.
    if (path.startsWith("/ixo/rpc")) continue;
    if (item.get !== undefined && (await ask(concrete)).body.code !== UNIMPLEMENTED) answered.push(path);
  }
  return answered.toSorted();
}

test("each path in the list is answered, paths with a star if there is sample data, and no other [QG-96]", async () => {
  const text = readFileSync(resolve(import.meta.dirname, "../../../docs/query-gateway-configuration.md"), "utf8");
  const block = /^The embedded node serves these paths.*?```text\n(.*?)\n```/ms.exec(text)?.[1];
  const always = await answeredPaths({});
  const seeded = await answeredPaths({ seed: "sample" });
  const list = seeded.map((path) => (always.includes(path) ? path : `${path} *`));
  expect(block?.split("\n")).toEqual(list);
});
