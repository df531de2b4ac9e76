/** Changing domains over the routes. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { registryEdge, type RegistryCall } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:patch.test";
const edge = registryEdge({ DATABASE });
let key = "";
let strangerKey = "";
let adminKey = "";

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
  strangerKey = await edge.keyOf("did:web:stranger.test", ["domains:write"]);
  adminKey = await edge.keyOf("did:web:admin.test", ["registry:admin"]);
});

async function newDomain(more: object = {}) {
  const body = {
    type: "Project",
    class: "did:ixo:protocol/cooking",
    metadata: { name: "A", a: { b: 1, c: [1] } },
    ...more,
  };
  const created = await edge.ask("POST", "/v1/domains", { key, body });
  expect(created.status).toBe(201);
  return created.body;
}

async function patch(id: string, body: unknown, call: RegistryCall = {}) {
  return edge.ask("PATCH", `/v1/domains/${id}`, { key, body, ...call, headers: { "If-Match": "*", ...call.headers } });
}

describe("checks before the body", () => {
  test("caller: a controller or an admin; a change of controllers applies to the next request [RG-60, RG-24]", async () => {
    const { id } = await newDomain();
    expect(await patch(id, {}, { key: strangerKey })).toMatchObject({ status: 403, body: { code: "not_controller" } });
    const handedOver = await patch(id, { controllers: ["did:web:stranger.test"] });
    expect(handedOver).toMatchObject({ status: 200, body: { controllers: ["did:web:stranger.test"], owner: OWNER } });
    expect(await patch(id, { metadata: { x: 1 } })).toMatchObject({ status: 403 });
    expect(await patch(id, { metadata: { x: 1 } }, { key: strangerKey })).toMatchObject({ status: 200 });
    expect(await patch(id, { metadata: { x: 2 } }, { key: adminKey })).toMatchObject({ status: 200 });
  });

  test("version [RG-61, RG-194]", async () => {
    const { id } = await newDomain();
    const path = `/v1/domains/${id}`;
    const body = { metadata: { n: 1 } };
    expect(await edge.ask("PATCH", path, { key, body })).toMatchObject({
      status: 428,
      body: { code: "precondition_required" },
    });
    const stale = await edge.ask("PATCH", path, { key, body: "not read", headers: { "If-Match": 'W/"v1", "v2"' } });
    expect(stale).toMatchObject({ status: 412, body: { code: "version_mismatch" } });
    expect(stale.headers.get("ETag")).toBe('"v1"');
    for (const header of ['"v1";', "v1", '"v1" "v2"', "*, *", '"v1', '"v1"x', 'w/"v1"']) {
      const wrong = await edge.ask("PATCH", path, { key, body, headers: { "If-Match": header } });
      expect([header, wrong.status, wrong.body.errors?.[0]]).toEqual([
        header,
        400,
        expect.objectContaining({ header: "If-Match", code: "format" }),
      ]);
    }
    const fresh = await edge.ask("PATCH", path, { key, body, headers: { "If-Match": ' ,"v7",, "v1" ,' } });
    expect(fresh).toMatchObject({ status: 200, body: { version: 2 } });
    expect(fresh.headers.get("ETag")).toBe('"v2"');
  });

  test("media type [RG-62]", async () => {
    const { id } = await newDomain();
    const refused = await patch(id, "{}", { headers: { "Content-Type": "application/x-www-form-urlencoded" } });
    expect(refused).toMatchObject({ status: 415 });
    expect(refused.headers.get("Accept-Patch")).toBe("application/merge-patch+json");
    expect(await patch(id, "{}", { headers: { "Content-Type": "application/json" } })).toMatchObject({ status: 200 });
    expect(await patch(id, "{", {})).toMatchObject({ status: 415 });
    const malformed = await patch(id, "{", { headers: { "Content-Type": "application/merge-patch+json" } });
    expect(malformed).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  });
});

describe("merging", () => {
  test("merges metadata recursively, replaces lists as a whole, and deletes with null [RG-62]", async () => {
    const { id } = await newDomain({ validFrom: "2026-01-01", externalId: "x" });
    const merged = await patch(id, {
      metadata: { a: { b: null, c: [2], d: 3 }, e: {} },
      validFrom: null,
      externalId: null,
    });
    expect(merged.body).toMatchObject({ validFrom: null, externalId: null, version: 2 });
    expect(merged.body.metadata).toEqual({ name: "A", a: { c: [2], d: 3 }, e: {} });
    expect((await patch(id, { metadata: null })).body).toMatchObject({ metadata: {}, name: null });
  });

  test("omitted lists of the document are unchanged, null empties one [RG-48, RG-62]", async () => {
    const service = { id: "#s", type: "T", serviceEndpoint: "https://a.test" };
    const { id } = await newDomain({ document: { service: [service], alsoKnownAs: ["https://a.test/"] } });
    const linkedEntity = [{ id: "#e", type: "deed" }];
    const more = await patch(id, { document: { linkedEntity } });
    expect(more.body.document).toMatchObject({ service: [service], alsoKnownAs: ["https://a.test/"] });
    expect(more.body.document.linkedEntity).toEqual([{ id: "#e", type: "deed", relationship: "", service: "" }]);
    expect((await patch(id, { document: { service: null } })).body.document).toMatchObject({
      service: [],
      linkedEntity: [{}],
    });
  });

  test("a patch with an equal result is no change [RG-65]", async () => {
    const { id } = await newDomain({ controllers: [OWNER, "did:web:b.test"] });
    const before = await edge.ask("GET", `/v1/domains/${id}`, { key });
    edge.clock.now += 1_000;
    const same = await patch(id, {
      id,
      type: "PROJECT",
      metadata: { nothing: null, a: { b: 1 } },
      status: "ACTIVE",
      protocol: "did:ixo:protocol/cooking",
    });
    expect(same.body).toEqual(before.body);
    expect(same.headers.get("ETag")).toBe('"v1"');
    expect((await edge.ask("GET", `/v1/domains/${id}/history`, { key })).body.data).toHaveLength(1);
  });

  test("the whole must be valid: one end of the validity is checked against the other [RG-63]", async () => {
    const { id } = await newDomain({ validFrom: "2026-06-01" });
    expect(await patch(id, { validUntil: "2026-05-01" })).toMatchObject({
      status: 400,
      body: { errors: [{ code: "order" }] },
    });
    const big = { text: "a".repeat(40_000) };
    expect(await patch(id, { metadata: { one: big } })).toMatchObject({ status: 200 });
    expect(await patch(id, { metadata: { two: big } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/metadata" }] },
    });
  });

  test("a patch deeper than metadata allows is refused before it is merged", async () => {
    const { id } = await newDomain();
    const deep = (levels: number): object => (levels === 1 ? { x: null } : { a: deep(levels - 1) });
    expect(await patch(id, { metadata: deep(16) })).toMatchObject({ status: 200 });
    expect(await patch(id, { metadata: deep(17) })).toMatchObject({
      status: 400,
      body: { errors: [{ code: "range" }] },
    });
  });
});

test.each([
  ["verificationStatus", { verificationStatus: "Verified" }, "read_only_field"],
  ["versionId", { versionId: "x" }, "read_only_field"],
  ["a stranger", { foo: 1 }, "unknown_field"],
  [
    "a stranger in an item",
    { document: { service: [{ id: "#a", type: "T", serviceEndpoint: "a:b", foo: 1 }] } },
    "unknown_field",
  ],
  ["another id", { id: "did:a:b" }, "immutable_field"],
  ["another type", { type: "Asset" }, "immutable_field"],
  ["two classes", { class: "did:a:b", protocol: "did:a:c" }, "class_conflict"],
  ["no class", { class: null }, "validation_failed"],
  ["no controllers", { controllers: null }, "validation_failed"],
  ["an empty list of controllers", { controllers: [] }, "validation_failed"],
  ["the status that DELETE sets", { status: "deactivated" }, "validation_failed"],
  ["__proto__ as metadata", '{"metadata":{"__proto__":{"a":1}}}', "validation_failed"],
  ["__proto__ as a member", '{"__proto__":{"a":1}}', "unknown_field"],
])("even an admin cannot send %s [RG-64, RG-66, RG-87]", async (_what, body, code) => {
  const { id } = await newDomain();
  const headers = { "Content-Type": "application/merge-patch+json" };
  const refused = await patch(id, typeof body === "string" ? body : JSON.stringify(body), { key: adminKey, headers });
  expect(refused).toMatchObject({ status: 400, body: { code } });
  expect((await edge.ask("GET", `/v1/domains/${id}`, { key })).body.version).toBe(1);
});

test("a domain is not its own class [RG-66]", async () => {
  const { id } = await newDomain();
  expect(await patch(id, { class: id })).toMatchObject({ status: 400, body: { code: "class_cycle" } });
});

describe("suspension", () => {
  test("by a controller is lifted by the controller [RG-68]", async () => {
    const { id } = await newDomain();
    expect(await patch(id, { status: "suspended" })).toMatchObject({
      status: 200,
      body: { status: "suspended", version: 2 },
    });
    expect(await patch(id, { status: "active" })).toMatchObject({
      status: 200,
      body: { status: "active", version: 3 },
    });
    const history = await edge.ask("GET", `/v1/domains/${id}/history`, { key });
    expect(history.body.data.map(({ action }: { action: string }) => action)).toEqual([
      "reactivated",
      "suspended",
      "created",
    ]);
  });

  test("by an admin is lifted only by an admin [RG-68]", async () => {
    const { id } = await newDomain();
    await patch(id, { status: "suspended" }, { key: adminKey });
    expect(await patch(id, { status: "active" })).toMatchObject({ status: 403, body: { code: "suspended_by_admin" } });
    expect(await patch(id, { metadata: { still: "mine" } })).toMatchObject({ status: 200 });
    expect(await patch(id, { status: "active" }, { key: adminKey })).toMatchObject({ status: 200 });
  });
});

describe("items of the document", () => {
  const service = { type: "LinkedDomains", serviceEndpoint: "https://a.test" };
  const item = async (method: string, id: string, place: string, body?: unknown) =>
    edge.ask(method, `/v1/domains/${id}/document/${place}`, {
      key,
      headers: { "If-Match": "*" },
      ...(body === undefined ? {} : { body }),
    });

  test("are added, replaced and removed [RG-67]", async () => {
    const { id } = await newDomain();
    const added = await item("PUT", id, "service/%23web", service);
    expect(added).toMatchObject({
      status: 201,
      body: { version: 2, document: { service: [{ id: "#web", ...service }] } },
    });
    const replaced = await item("PUT", id, `service/${encodeURIComponent(`${id}#web`)}`, { ...service, type: "Other" });
    expect(replaced.status).toBe(200);
    expect(replaced.body.document.service).toEqual([
      { id: `${id}#web`, type: "Other", serviceEndpoint: "https://a.test" },
    ]);
    expect(await item("DELETE", id, "service/%23other")).toMatchObject({ status: 404 });
    expect(await item("DELETE", id, "service/%23web")).toMatchObject({
      status: 200,
      body: { document: { service: [] } },
    });
    expect(await item("PUT", id, "colours/%23web", service)).toMatchObject({ status: 404 });
    const path = `/v1/domains/${id}/document/service/%23web`;
    expect(await edge.ask("PUT", path, { key, body: service })).toMatchObject({ status: 428 });
  });

  test("follow the rules of their list [RG-49, RG-67]", async () => {
    const { id } = await newDomain();
    expect(await item("PUT", id, "service/%23a", { ...service, serviceEndpoint: "nowhere" })).toMatchObject({
      status: 400,
    });
    expect(await item("PUT", id, "service/%23a", { ...service, id: "#b" })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/id" }] },
    });
    expect(await item("PUT", id, "service/%23a", { ...service, foo: 1 })).toMatchObject({
      status: 400,
      body: { code: "unknown_field" },
    });
    const secret = { type: "JsonWebKey2020", publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: "AA", d: "AA" } };
    expect(await item("PUT", id, "verificationMethod/%23k", secret)).toMatchObject({ status: 400 });
  });

  test("a verification method in use cannot be removed [RG-50]", async () => {
    const { id } = await newDomain();
    await item("PUT", id, "verificationMethod/%23k", { type: "T", publicKeyMultibase: "z6Mk" });
    const used = await patch(id, { document: { authentication: ["#k"], assertionMethod: ["{id}#k"] } });
    expect(used).toMatchObject({ status: 200 });
    expect(await item("DELETE", id, "verificationMethod/%23k")).toMatchObject({ status: 400 });
    expect(await patch(id, { document: { keyAgreement: ["#other"] } })).toMatchObject({ status: 400 });
  });

  test("a list has at most 100 items, a document 128 KiB [RG-48]", async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `#${at}`, type: "t" }));
    const { id } = await newDomain({ document: { linkedEntity: entries(100) } });
    expect(await item("PUT", id, "linkedEntity/%23new", { type: "t" })).toMatchObject({ status: 400 });
    expect(await patch(id, { document: { linkedEntity: entries(101) } })).toMatchObject({ status: 400 });
    expect(await patch(id, { document: { linkedEntity: [entries(1), entries(1)].flat() } })).toMatchObject({
      status: 400,
      body: { errors: [{ code: "duplicate" }] },
    });
    const large = (bytes: number) => [{ id: "#x", type: "t", service: "s".repeat(bytes) }];
    expect(await patch(id, { document: { linkedEntity: large(127 * 1024) } })).toMatchObject({ status: 200 });
    expect(await patch(id, { document: { linkedEntity: large(128 * 1024) } })).toMatchObject({ status: 400 });
  });
});

test("a batch with one failing statement leaves nothing behind [RG-70]", async () => {
  const { id } = await newDomain();
  const rows = async () => {
    const { results } = await DATABASE.prepare(
      `SELECT (SELECT version FROM domains WHERE id = ?1) AS version,
              (SELECT count(*) FROM domain_history WHERE domain_id = ?1) AS entries,
              (SELECT count(*) FROM changes WHERE domain_id = ?1) AS changes,
              (SELECT count(*) FROM domain_controllers WHERE domain_id = ?1) AS controllers`,
    )
      .bind(id)
      .all();
    return results[0];
  };
  const before = await rows();
  // Another writer's next version is already in the history, as in the middle of a race.
  await DATABASE.prepare(
    "INSERT INTO domain_history SELECT domain_id, 2, version_id, at, actor, action, changes, reason, proposal_id, snapshot, '{}' FROM domain_history WHERE domain_id = ?",
  )
    .bind(id)
    .run();
  const refused = await patch(id, { controllers: ["did:web:one.test", "did:web:two.test"] });
  expect(refused).toMatchObject({ status: 409, body: { code: "write_contention" } });
  await DATABASE.prepare("DELETE FROM domain_history WHERE domain_id = ? AND version = 2").bind(id).run();
  expect(await rows()).toEqual(before);
  expect(await patch(id, { metadata: { now: "works" } })).toMatchObject({ status: 200, body: { version: 2 } });
});
