/** Domains created through the registry's routes and read through the gateway, over one D1. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import ixoImage from "../../../proto/descriptors/ixo.binpb";
import { createDeploymentBudget } from "../../../workers/registry/lists/deployment-budget.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { gatewayEdge } from "../../support/query-gateway/gateway-edge.ts";
import { recordedDatabase } from "../../support/registry/recorded-database.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function edges() {
  const registry = registryEdge({ DATABASE: env.DATABASE });
  const source = createDomainDirectory({ database: env.DATABASE, clock: () => registry.clock.now, log: silent });
  return { registry, gateway: gatewayEdge({ image: new Uint8Array(ixoImage), source }) };
}

async function createDomain(
  registry: ReturnType<typeof registryEdge>,
  key: string,
  more: object = {},
): Promise<string> {
  const body = { type: "asset", protocol: "did:ixo:protocol/x", metadata: { name: "N" }, ...more };
  const { status, body: created } = await registry.ask("POST", "/v1/domains", { key, body });
  expect(status).toBe(201);
  return String(created.id);
}

test("a domain with a document: its own content, absolute ids, the newest change as height [QG-90, QG-91]", async () => {
  const { registry, gateway } = edges();
  const key = await registry.keyOf("did:ixo:gate1", ["domains:read", "domains:write"]);
  const id = await createDomain(registry, key, {
    validFrom: "2026-01-02T03:04:05Z",
    relayerNode: "did:ixo:relayer",
    document: {
      verificationMethod: [{ id: "#key-1", type: "Multikey", publicKeyMultibase: "z6MkTest" }],
      service: [{ id: "#api", type: "Api", serviceEndpoint: "https://api.example" }],
      authentication: ["#key-1"],
      alsoKnownAs: ["urn:x"],
    },
  });
  const { status, body, headers } = await gateway.ask(`/ixo/entity/${id}`);
  expect(status).toBe(200);
  expect(body.entity).toMatchObject({
    id,
    type: "asset",
    start_date: "2026-01-02T03:04:05Z",
    end_date: null,
    status: 0,
    relayer_node: "did:ixo:relayer",
    entity_verified: false,
    metadata: { version_id: expect.stringMatching(/^[0-9a-f]{64}$/), created: expect.any(String) },
    accounts: [],
  });
  expect(body.iidDocument).toMatchObject({
    context: [{ key: "class", val: "did:ixo:protocol/x" }],
    verificationMethod: [{ id: `${id}#key-1`, type: "Multikey", publicKeyMultibase: "z6MkTest" }],
    service: [{ id: `${id}#api`, serviceEndpoint: "https://api.example" }],
    authentication: [`${id}#key-1`],
    alsoKnownAs: "urn:x",
    metadata: { deactivated: false },
  });
  const height = Number(headers.get("X-Cosmos-Block-Height"));
  expect(height).toBeGreaterThanOrEqual(1);
  await createDomain(registry, key);
  const later = await gateway.ask(`/ixo/entity/${id}`);
  expect(Number(later.headers.get("X-Cosmos-Block-Height"))).toBeGreaterThan(height);
  expect((await gateway.ask("/ixo/entity/params")).headers.get("X-Cosmos-Block-Height")).toBe(
    later.headers.get("X-Cosmos-Block-Height"),
  );
});

test("an offset is at most 10,000, and a total is read and not counted [QG-132, QG-133]", async () => {
  const recorded = recordedDatabase(env.DATABASE);
  const source = createDomainDirectory({ database: recorded.database, clock: () => 0, log: silent });
  const gateway = gatewayEdge({ image: new Uint8Array(ixoImage), source });
  for (const list of ["/ixo/entity", "/ixo/did/dids"]) {
    expect((await gateway.ask(`${list}?pagination.offset=10000`)).status).toBe(200);
    for (const offset of ["10001", "9007199254740991"]) {
      const refused = await gateway.ask(`${list}?pagination.offset=${offset}`);
      expect([refused.status, refused.body.code]).toEqual([400, 3]);
      expect(refused.body.message).toMatch(/at most 10000; use key/);
    }
  }
  recorded.ran.length = 0;
  const { body } = await gateway.ask("/ixo/entity?pagination.limit=1&pagination.count_total=true");
  const domains = await env.DATABASE.prepare("SELECT count(*) AS domains FROM domains").first<number>("domains");
  expect(body.pagination.total).toBe(String(domains));
  const totals = recorded.ran.filter(({ text }) => text.includes("domain_counts"));
  expect(totals.map(({ rowsRead }) => rowsRead < 40)).toEqual([true]);
});

test("all domains in pages, by id, in both directions [QG-93]", async () => {
  const { registry, gateway } = edges();
  const key = await registry.keyOf("did:ixo:gate2", ["domains:read", "domains:write"]);
  for (let count = 0; count < 3; count += 1) await createDomain(registry, key);
  const all = await gateway.ask("/ixo/entity?pagination.limit=1000&pagination.count_total=true");
  const ids: string[] = all.body.entities.map(({ id }: { id: string }) => id);
  expect([ids, all.body.pagination]).toEqual([ids.toSorted(), { next_key: null, total: String(ids.length) }]);
  for (const reverse of [false, true]) {
    const walked: string[] = [];
    let next = "";
    do {
      const key64 = encodeURIComponent(next);
      const { body } = await gateway.ask(
        `/ixo/did/dids?pagination.limit=2&pagination.reverse=${reverse}&pagination.key=${key64}`,
      );
      walked.push(...body.iidDocuments.map(({ id }: { id: string }) => id));
      next = body.pagination.next_key ?? "";
    } while (next !== "");
    expect(walked).toEqual(reverse ? ids.toReversed() : ids);
  }
  const { body } = await gateway.ask("/ixo/entity?pagination.offset=1&pagination.limit=1");
  expect(body.entities[0].id).toBe(ids[1]);
});

test("anonymous callers share the budget of reads without a key, and get a 429 when it is used up [RG-250]", async () => {
  const clock = { now: 0 };
  const paces = { scan: 10_000, public: 20_000 };
  const failed = (thrown: unknown) => expect.unreachable(String(thrown));
  const deployment = createDeploymentBudget(paces, { limiters: undefined, clock: () => clock.now, failed });
  const recorded = recordedDatabase(env.DATABASE);
  const source = createDomainDirectory({ database: recorded.database, clock: () => 0, log: silent, deployment });
  const image = new Uint8Array(ixoImage);
  const open = gatewayEdge({ image, source });
  const gated = gatewayEdge({
    image,
    source,
    deployment: { gate: { mode: "apiKey", keys: [{ label: "k", secret: "secret:KEY" }] } },
    env: { KEY: "k".repeat(16) },
  });
  const largest = "/ixo/entity?pagination.limit=1000&pagination.offset=10000";
  let last = await open.ask(largest);
  for (let asked = 1; asked < 20 && last.status === 200; asked += 1) last = await open.ask(largest);
  expect([last.status, last.body.code]).toEqual([429, 8]);
  expect(last.body.message).toMatch(/Callers without an API key/);
  const wait = Number(last.headers.get("Retry-After"));
  expect(wait).toBeGreaterThan(0);
  recorded.ran.length = 0;
  expect((await open.ask(largest)).status).toBe(429);
  expect(recorded.ran).toEqual([]);
  expect(open.log.join()).not.toContain("node-failed");
  expect((await gated.ask(largest, { headers: { "X-API-Key": "k".repeat(16) } })).status).toBe(200);
  clock.now += wait * 1000;
  expect((await open.ask(largest)).status).toBe(200);
  clock.now += 60_000;
  expect((await open.ask("/ixo/entity/params")).status).toBe(200);
});

test.each(["/ixo/entity/params", "/cosmos/base/tendermint/v1beta1/blocks/latest", "/ixo/entity/did:ixo:entity:x"])(
  "%s counts against that budget too [RG-250]",
  async (path) => {
    const deployment = createDeploymentBudget(
      { scan: 1, public: 1 },
      { limiters: undefined, clock: () => 0, failed: (thrown) => expect.unreachable(String(thrown)) },
    );
    const source = createDomainDirectory({ database: env.DATABASE, clock: () => 0, log: silent, deployment });
    const gateway = gatewayEdge({ image: new Uint8Array(ixoImage), source });
    const statuses = new Set<number>();
    for (let asked = 0; asked < 120; asked += 1) statuses.add((await gateway.ask(path)).status);
    expect(statuses).toContain(429);
  },
);

test("ids of no domain are not found", async () => {
  const { gateway } = edges();
  for (const id of ["x", `did:ixo:entity:${"0".repeat(32)}`, "did:ixo:entity:%27%20OR%201"]) {
    const { status, body, headers } = await gateway.ask(`/ixo/entity/${id}`);
    expect([status, body.code, Number(headers.get("X-Cosmos-Block-Height")) >= 1]).toEqual([404, 5, true]);
  }
});
