/** `REGISTRY_PUBLIC_READS=none` in production: the whole Worker, at every access to the registry's data. */
import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import ixoImage from "../../../proto/descriptors/ixo.binpb";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { gatewayEdge } from "../../support/query-gateway/gateway-edge.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";
import worker from "../worker.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
const CONTROLLER = "did:web:closed-reads.test";
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let id = "";
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(CONTROLLER, ["domains:read", "domains:write"]);
  const body = {
    type: "Asset",
    class: "did:ixo:protocol/x",
    metadata: { name: "Private pump" },
    accounts: [{ name: "admin", address: "ixo1private" }],
  };
  id = String((await edge.ask("POST", "/v1/domains", { key, body })).body.id);
});

/** The deployed Worker with these settings, called without a key unless one is given. */
function production(settings: object) {
  const bindings = { ...env, ENVIRONMENT: "production", GATEWAY_CONFIG: "", ...settings } as unknown as Env;
  return async (
    line: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<readonly [number, string]> => {
    const [method = "GET", path = "/"] = line.split(" ");
    const context = createExecutionContext();
    const request = new Request(`https://edge.test${path.replaceAll("{id}", id)}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const response = await worker.fetch(request, bindings, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    return [response.status, text];
  };
}

const query = JSON.stringify({ query: "{ entities(first: 100) { nodes { id name } } }" });
const asJson = { "Content-Type": "application/json" };

const doors = [
  "GET /v1/domains",
  "GET /v1/domains/{id}",
  "GET /v1/domains/{id}/card",
  "GET /v1/domains/{id}/composite",
  "GET /v1/domains/{id}/document",
  "GET /v1/domains/{id}/domain.md",
  "GET /v1/domains/{id}/history",
  "GET /v1/domain-types",
  "GET /v1/export",
  "GET /v1/changes",
  "GET /v1/webhooks",
  "GET /1.0/identifiers/{id}",
  `GET /graphql?query=${encodeURIComponent("{ entities { nodes { id name } } }")}`,
  "GET /ixo/entity",
  "GET /ixo/entity/{id}",
  "GET /ixo/entity/{id}/metadata",
  "GET /ixo/entity/{id}/iiddocument",
  "GET /ixo/entity/{id}/verified",
  "GET /ixo/did/dids",
  "GET /ixo/did/dids/{id}",
];

describe("with all reads closed [RG-161]", () => {
  test.each(doors)("%s is refused without a key, and discloses nothing", async (door) => {
    const [status, text] = await production({ REGISTRY_PUBLIC_READS: "none" })(door);
    expect([door, status]).toEqual([door, 401]);
    for (const held of ["Private pump", "ixo1private", CONTROLLER]) expect(text).not.toContain(held);
  });

  test("a POST to GraphQL is refused, and documents of the API contain no domain", async () => {
    const ask = production({ REGISTRY_PUBLIC_READS: "none" });
    expect((await ask("POST /graphql", asJson, query))[0]).toBe(401);
    for (const path of ["/openapi.json", "/openapi/query-gateway.json", "/health", "/docs/plugins"])
      for (const held of [id, "Private pump", CONTROLLER]) expect((await ask(`GET ${path}`))[1]).not.toContain(held);
  });

  test("the chain node's RPC refuses these methods too [RG-161, QG-136]", async () => {
    const ask = production({ REGISTRY_PUBLIC_READS: "none" });
    const data = Buffer.from([0x0a, id.length, ...Buffer.from(id)]).toString("hex");
    const methods = ["entity", "iid"].flatMap((module) =>
      (module === "entity" ? ["Entity", "EntityList", "EntityVerified"] : ["IidDocument", "IidDocuments"]).map(
        (name) => `/ixo.${module}.v1beta1.Query/${name}`,
      ),
    );
    for (const path of methods) {
      const params = { path, data: path.endsWith("s") || path.endsWith("List") ? "" : data, height: "0", prove: false };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "abci_query", params });
      const query = `path=${encodeURIComponent(JSON.stringify(path))}&data=0x${params.data}`;
      for (const [, text] of [await ask("POST /ixo/rpc", asJson, body), await ask(`GET /ixo/rpc/abci_query?${query}`)])
        expect([path, JSON.parse(text).result.response]).toMatchObject([path, { code: 4, value: null }]);
    }
  });

  test("a wrong setting opens nothing either", async () => {
    const ask = production({ REGISTRY_PUBLIC_READS: "nonne" });
    expect((await ask("GET /ixo/entity/{id}"))[0]).toBe(401);
    expect((await ask("GET /ixo/did/dids"))[0]).toBe(401);
  });

  test("a key with domains:read opens the registry's own routes", async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const keyed = production({ REGISTRY_PUBLIC_READS: "none", REGISTRY_KEY_ENVIRONMENT: "test" });
    expect((await keyed("GET /v1/domains/{id}", headers))[0]).toBe(200);
    expect((await keyed("POST /graphql", { ...headers, ...asJson }, query))[0]).toBe(200);
    expect((await keyed("GET /1.0/identifiers/{id}", headers))[0]).toBe(200);
  });
});

test("the chain node's entities are open with graphql, its DID documents with did [RG-161]", async () => {
  const paths = ["GET /ixo/entity/{id}", "GET /ixo/did/dids/{id}", "GET /cosmos/base/tendermint/v1beta1/node_info"];
  const statuses = (reads: string | undefined) =>
    Promise.all(paths.map(async (path) => (await production({ REGISTRY_PUBLIC_READS: reads })(path))[0]));
  expect(await statuses(undefined)).toEqual([200, 200, 200]);
  expect(await statuses("graphql")).toEqual([200, 401, 200]);
  expect(await statuses("did,card")).toEqual([401, 200, 200]);
  expect(await statuses("none")).toEqual([401, 401, 200]);
});

test("a gateway profile with a gate serves its key holders [QG-136]", async () => {
  const source = createDomainDirectory({ database: DATABASE, clock: () => edge.clock.now, log, publicReads: [] });
  const gate = { mode: "apiKey", keys: [{ secret: "secret:KEY", label: "k" }] };
  const image = new Uint8Array(ixoImage);
  const gated = gatewayEdge({ image, source, deployment: { gate }, env: { KEY: "k".repeat(16) } });
  const open = gatewayEdge({ image, source });
  expect((await gated.ask(`/ixo/entity/${id}`)).status).toBe(401);
  expect((await gated.ask(`/ixo/entity/${id}`, { headers: { "X-API-Key": "k".repeat(16) } })).status).toBe(200);
  expect(await open.ask(`/ixo/entity/${id}`)).toMatchObject({
    status: 401,
    body: { code: 16, message: expect.stringContaining("requires an API key") },
  });
});

test("on the phone a customer finds the domains that they control, and no others [RG-162]", async () => {
  const directory = createDomainDirectory({
    database: DATABASE,
    clock: () => edge.clock.now,
    log,
    publicReads: ["did"],
  });
  const ids = async (askers: readonly string[]) => {
    const [one, many] = [await directory.get(id, askers), await directory.findBySuffix(id.slice(-8), 5, askers)];
    return [one.ok ? one.value.id : one.error.code, many.ok ? many.value.map((each) => each.id) : many.error.code];
  };
  expect(await ids([CONTROLLER])).toEqual([id, [id]]);
  expect(await ids(["did:key:somebody"])).toEqual(["not_found", []]);
  expect(await ids([])).toEqual(["not_found", []]);
  for (const refused of [directory.search("pump", 5), directory.page(5), directory.count()])
    expect(await refused).toMatchObject({ ok: false, error: { code: "forbidden" } });
});
