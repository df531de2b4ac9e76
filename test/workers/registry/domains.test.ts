/** Creating and reading domains over the routes. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { digestOf } from "../../../workers/registry/domain/content.ts";
import { type RegistryCall, registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:domains.test";
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
});

const minimal = { type: "Project", class: "did:ixo:protocol/clean-cooking" };

async function create(body: unknown, call: RegistryCall = {}) {
  return edge.ask("POST", "/v1/domains", { key, body, ...call });
}

test("the documented curl: JSON under curl's form type [RG-27, RG-34, RG-39]", async () => {
  const body =
    '{"type":"Project","protocol":"did:ixo:protocol/clean-cooking","metadata":{"name":"Clean Cooking Project"}}';
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const created = await create(body, { headers });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    id: expect.stringMatching(/^did:ixo:entity:[0-9a-f]{32}$/),
    type: "Project",
    class: "did:ixo:protocol/clean-cooking",
    protocol: "did:ixo:protocol/clean-cooking",
    name: "Clean Cooking Project",
    metadata: { name: "Clean Cooking Project" },
    controllers: [OWNER],
    controller: [OWNER],
    owner: OWNER,
    status: "active",
    verificationStatus: "AwaitingVerification",
    entityVerified: false,
    version: 1,
    createdAt: "2026-11-21T09:00:00Z",
  });
  expect(created.headers.get("ETag")).toBe('"v1"');
  expect(created.headers.get("Location")).toBe(`/v1/domains/${created.body.id}`);
});

test("a new domain is found at once, by its raw and its escaped id, with equal bytes [RG-34, RG-31]", async () => {
  const created = await create(minimal);
  const { id } = created.body;
  for (const path of [`/v1/domains/${id}`, `/v1/domains/${encodeURIComponent(id)}`]) {
    const read = await edge.ask("GET", path, { key });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(created.body);
    expect(read.headers.get("ETag")).toBe('"v1"');
    expect(read.headers.get("Last-Modified")).toBe("Sat, 21 Nov 2026 09:00:00 GMT");
  }
});

test("a known version is answered 304, HEAD has no body [RG-52]", async () => {
  const { body } = await create(minimal);
  const path = `/v1/domains/${body.id}`;
  const known = await edge.call("GET", path, { key, headers: { "If-None-Match": 'W/"v1"' } });
  expect(known.status).toBe(304);
  expect(known.headers.get("ETag")).toBe('"v1"');
  expect(await known.text()).toBe("");
  const head = await edge.call("HEAD", path, { key });
  expect(head.status).toBe(200);
  expect(head.headers.get("ETag")).toBe('"v1"');
  expect(await head.text()).toBe("");
});

test("versionId can be computed from the response [RG-54]", async () => {
  const { body } = await create({ ...minimal, metadata: { b: [1, { ü: "é" }], a: 1e21 } });
  const { versionId, ...rest } = body;
  expect(versionId).toBe(await digestOf(rest));
});

describe("class and protocol [RG-37, RG-38]", () => {
  const did = minimal.class;
  test.each([
    [{ class: did }, 201],
    [{ protocol: did }, 201],
    [{ class: did, protocol: ` ${did} ` }, 201],
  ])("%j is accepted", async (names, status) => {
    const created = await create({ type: "Project", ...names });
    expect(created).toMatchObject({ status, body: { class: did, protocol: did } });
  });

  test("two different values are reported at both places", async () => {
    const refused = await create({ type: "Project", class: did, protocol: "did:ixo:protocol/other" });
    expect(refused).toMatchObject({ status: 400, body: { code: "class_conflict" } });
    expect(refused.body.errors).toMatchObject([
      { pointer: "/class", code: "class_conflict" },
      { pointer: "/protocol", code: "class_conflict" },
    ]);
  });
});

describe("type", () => {
  test.each([
    ["", 400],
    ["  ", 400],
    ["a".repeat(64), 201],
    ["a".repeat(65), 400],
    ["🎉".repeat(64), 201],
    ["asset/device", 201],
    ["a\nb", 400],
    [7, 400],
  ])("%j", async (type, status) => {
    const created = await create({ ...minimal, type });
    expect(created.status).toBe(status);
  });

  test("is returned as it was sent and found under every spelling [RG-39, RG-40]", async () => {
    const controllers = ["did:web:spelling.test"];
    const { body } = await create({ ...minimal, type: "ORGANIZATION", controllers });
    expect(body.type).toBe("ORGANIZATION");
    for (const type of ["organisation", "Organization", "ORGANISATION"]) {
      const found = await edge.ask("GET", `/v1/domains?type=${type}&controller=${controllers[0]}`, { key });
      expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([body.id]);
    }
  });
});

describe("validity [RG-43]", () => {
  test("must not be empty", async () => {
    const equal = await create({ ...minimal, validFrom: "2026-01-01", validUntil: "2026-01-01T00:00:00Z" });
    expect(equal).toMatchObject({ status: 400, body: { errors: [{ pointer: "/validUntil", code: "order" }] } });
    const longer = await create({ ...minimal, validFrom: "2026-01-01", validUntil: "2026-01-01T00:00:01Z" });
    expect(longer).toMatchObject({
      status: 201,
      body: { validFrom: "2026-01-01T00:00:00Z", validUntil: "2026-01-01T00:00:01Z" },
    });
  });

  test("UTC is returned as it was sent, another zone as UTC", async () => {
    const validFrom = "2026-01-01T00:00:00.000Z";
    const { body } = await create({ ...minimal, validFrom, validUntil: "2026-01-01T02:00:00.5+01:00" });
    expect(body).toMatchObject({ validFrom, validUntil: "2026-01-01T01:00:00.500Z" });
  });

  test.each(["2026-02-30", "1969-12-31", "soon", "2026-01-01T24:00:00Z", "", 5])(
    "%j is not a time",
    async (validFrom) => {
      expect(await create({ ...minimal, validFrom })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: "/validFrom" }] },
      });
    },
  );
});

test("ignores a creator's read-only and unknown members [RG-46]", async () => {
  const { body } = await create({
    ...minimal,
    id: "did:ixo:entity:00000000000000000000000000000000",
    verificationStatus: "Verified",
    services: { issuance: { enabled: true } },
    owner: "did:web:else.test",
    version: 9,
    foo: 1,
    document: { foo: 1, service: [{ id: "{id}#a", type: "T", serviceEndpoint: "https://a.test", foo: 1 }] },
  });
  expect(body).toMatchObject({ verificationStatus: "AwaitingVerification", owner: OWNER, version: 1 });
  expect(body.id).not.toMatch(/0{32}$/);
  expect(body.services.issuance.enabled).toBe(false);
  expect(body).not.toHaveProperty("foo");
  expect(body.document.service).toEqual([{ id: `${body.id}#a`, type: "T", serviceEndpoint: "https://a.test" }]);
});

test("accepts the status of documented entity documents, and no other [RG-35]", async () => {
  expect(await create({ ...minimal, status: "ACTIVE" })).toMatchObject({ status: 201, body: { status: "active" } });
  expect(await create({ ...minimal, status: "suspended" })).toMatchObject({ status: 400 });
});

test("all failures of a body are reported at once, and at most 50 of them [RG-47, RG-154]", async () => {
  const many = await create({ type: "", class: "nowhere", validFrom: "soon", relayerNode: "x" });
  expect(many.body.code).toBe("validation_failed");
  expect(many.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
    "/class",
    "/relayerNode",
    "/type",
    "/validFrom",
  ]);
  const most = await create({ ...minimal, document: { service: Array.from({ length: 60 }, () => ({})) } });
  expect(most.body.errors).toHaveLength(50);
  expect((await create({})).body.errors).toMatchObject([
    { pointer: "/type", code: "required" },
    { pointer: "/class", code: "required" },
  ]);
});

test("REGISTRY_RELAYER_NODE applies to domains that name none", async () => {
  const relayed = registryEdge({ DATABASE, REGISTRY_RELAYER_NODE: "did:web:relay.test" });
  const own = await relayed.ask("POST", "/v1/domains", { key, body: minimal });
  expect(own.body.relayerNode).toBe("did:web:relay.test");
  const other = await relayed.ask("POST", "/v1/domains", { key, body: { ...minimal, relayerNode: "did:web:r2.test" } });
  expect(other.body.relayerNode).toBe("did:web:r2.test");
  expect((await create(minimal)).body.relayerNode).toBeNull();
});

describe("the DID in a path", () => {
  test("must be valid and must exist [RG-31]", async () => {
    expect(await edge.ask("GET", "/v1/domains/nothing", { key })).toMatchObject({
      status: 400,
      body: { code: "invalid_did" },
    });
    const unknown = await edge.ask("GET", `/v1/domains/did:ixo:entity:${"0".repeat(32)}`, { key });
    expect(unknown).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

test("DELETE is final: the record stays, the DID resolves to 410 with its document, a patch is refused [RG-69, RG-133]", async () => {
  const { body } = await create(minimal);
  const path = `/v1/domains/${body.id}`;
  expect(await edge.ask("DELETE", path, { key })).toMatchObject({ status: 428 });
  const deleted = await edge.ask("DELETE", path, { key, headers: { "If-Match": '"v1"' } });
  expect(deleted).toMatchObject({ status: 200, body: { status: "deactivated", version: 2 } });
  const again = await edge.ask("DELETE", path, { key, headers: { "If-Match": '"v2"' } });
  expect(again).toMatchObject({ status: 200, body: deleted.body });
  expect(await edge.ask("GET", path, { key })).toMatchObject({ status: 200, body: deleted.body });
  const resolved = await edge.ask("GET", `/1.0/identifiers/${body.id}`);
  expect(resolved).toMatchObject({
    status: 410,
    body: { didDocument: { id: body.id }, didDocumentMetadata: { deactivated: true } },
  });
  const patched = await edge.ask("PATCH", path, { key, headers: { "If-Match": '"v2"' }, body: { metadata: { a: 1 } } });
  expect(patched).toMatchObject({ status: 409, body: { code: "domain_deactivated" } });
  const history = await edge.ask("GET", `${path}/history`, { key });
  expect(history.body.data.map(({ action }: { action: string }) => action)).toEqual(["deactivated", "created"]);
});

test("an unknown member of a new domain is reported, with the known member that it resembles [RG-46]", async () => {
  const body = { type: "Project", class: "did:ixo:protocol:x", metdata: { name: "A" }, verificationStatus: "Verified" };
  const headers = { "Idempotency-Key": "misspelt" };
  const created = await edge.ask("POST", "/v1/domains", { key, headers, body });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    metadata: {},
    verificationStatus: "AwaitingVerification",
    ignored: ["metdata", "verificationStatus"],
    didYouMean: { metdata: "metadata" },
  });
  const again = await edge.ask("POST", "/v1/domains", { key, headers, body });
  expect(again.body).toEqual(created.body);
  const { body: read } = await edge.ask("GET", `/v1/domains/${created.body.id}`, { key });
  expect(Object.keys(read)).not.toContain("ignored");
});
