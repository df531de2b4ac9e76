/** Resolution of DIDs. */
import { env } from "cloudflare:workers";
import { Resolver, type DIDResolutionResult } from "did-resolver";
import { beforeAll, describe, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:resolution.test";
const edge = registryEdge({ DATABASE });
let key = "";
let id = "";
/** The record of version 1, before the patch that made version 2. */
let first: { versionId: string; createdAt: string };
let second: { versionId: string; updatedAt: string };

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
  const body = {
    type: "Project",
    class: "did:ixo:protocol/cooking",
    document: {
      context: ["https://example.org/ns/v1"],
      alsoKnownAs: ["https://example.org/"],
      verificationMethod: [{ id: "#key-1", type: "Ed25519VerificationKey2020", publicKeyMultibase: "z6MkhaXg" }],
      authentication: ["#key-1"],
      service: [{ id: "{id}#web", type: "LinkedDomains", serviceEndpoint: "https://example.org" }],
      linkedResource: [{ id: "#r", type: "Settings", description: "page" }],
    },
  };
  first = (await edge.ask("POST", "/v1/domains", { key, body })).body;
  id = (first as unknown as { id: string }).id;
  edge.clock.now += 3_600_000;
  const patched = await edge.ask("PATCH", `/v1/domains/${id}`, {
    key,
    headers: { "If-Match": "*" },
    body: { document: { alsoKnownAs: null } },
  });
  second = patched.body;
});

const resolve = (did: string, accept?: string) =>
  edge.ask("GET", `/1.0/identifiers/${did}`, accept === undefined ? {} : { headers: { Accept: accept } });

test("the document alone has W3C's form, with absolute ids and no empty lists [RG-51, RG-130]", async () => {
  const { status, headers, body } = await resolve(id, "application/did+ld+json");
  expect(status).toBe(200);
  expect(headers.get("Content-Type")).toBe("application/did+ld+json");
  expect(headers.get("ETag")).toMatch(/^"v2-[0-9a-f]{8}"$/);
  expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(body).toEqual({
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/ixo/ns/did/v1", "https://example.org/ns/v1"],
    id,
    controller: [OWNER],
    class: "did:ixo:protocol/cooking",
    verificationMethod: [
      { id: `${id}#key-1`, type: "Ed25519VerificationKey2020", controller: id, publicKeyMultibase: "z6MkhaXg" },
    ],
    authentication: [`${id}#key-1`],
    service: [
      { id: `${id}#web`, type: "LinkedDomains", serviceEndpoint: "https://example.org" },
      { id: `${id}#dmn`, type: "DomainCard", serviceEndpoint: `https://registry.test/v1/domains/${id}/card` },
    ],
    linkedResource: [
      {
        id: `${id}#r`,
        type: "Settings",
        description: "page",
        mediaType: "",
        serviceEndpoint: "",
        proof: "",
        encrypted: "false",
        right: "",
      },
    ],
  });
  const keyed = await edge.ask("GET", `/v1/domains/${id}/document`, { key });
  expect(keyed.body).toEqual(body);
});

test("the whole result reports its time and version; escaped and raw DIDs are equivalent [RG-131, RG-134]", async () => {
  for (const did of [id, encodeURIComponent(id)]) {
    const { body } = await resolve(did);
    expect(body).toMatchObject({
      didResolutionMetadata: {
        contentType: "application/did+ld+json",
        retrieved: "2026-11-21T10:00:00Z",
        did: { did: id, method: "ixo", id: id.slice("did:ixo:".length), didUrl: id },
      },
      didDocument: { id },
      didDocumentMetadata: {
        created: "2026-11-21T09:00:00Z",
        updated: "2026-11-21T10:00:00Z",
        deactivated: false,
        versionId: second.versionId,
      },
    });
  }
});

const profile = "https://w3id.org/did-resolution";
test.each([
  [undefined, 200, "application/did-resolution", true],
  ["*/*", 200, "application/did-resolution", true],
  ["application/json", 200, "application/json", true],
  ["application/did-resolution", 200, "application/did-resolution", true],
  [`application/ld+json;profile="${profile}"`, 200, `application/ld+json;profile="${profile}"`, true],
  [`application/ld+json; charset=utf-8; profile="${profile}"`, 200, `application/ld+json;profile="${profile}"`, true],
  ["application/did", 200, "application/did", false],
  ["application/did+json", 200, "application/did+json", false],
  ["application/ld+json", 200, "application/ld+json", false],
  ["text/html, application/did+json;q=0.9, */*;q=0.1", 200, "application/did+json", false],
  ["application/did+json;q=0.1, application/json", 200, "application/json", true],
  ["application/json;q=0, text/html", 406, "application/did-resolution", true],
  ["text/html", 406, "application/did-resolution", true],
  ["application/did-url-dereferencing", 501, "application/did-resolution", true],
])("Accept: %s [RG-130]", async (accept, status, contentType, isWhole) => {
  const answer = await resolve(id, accept);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("Content-Type")).toBe(contentType);
  expect("didDocument" in answer.body).toBe(isWhole);
  expect(answer.headers.get("Vary")).toContain("Accept");
});

const unknown = `did:ixo:entity:${"0".repeat(32)}`;
test.each([
  ["nothing", 400, "INVALID_DID"],
  ["did:ixo:entity:xyz", 400, "INVALID_DID"],
  ["did:ixo:entity:ABCDEF00000000000000000000000000", 400, "INVALID_DID"],
  [`${unknown}/path`, 400, "INVALID_DID"],
  [`${unknown}%23key-1`, 400, "INVALID_DID"],
  [unknown, 404, "NOT_FOUND"],
  ["did:ixo:other", 404, "NOT_FOUND"],
  ["did:web:example.org", 501, "METHOD_NOT_SUPPORTED"],
  [`${unknown}?colour=red`, 400, "INVALID_OPTIONS"],
  [`${unknown}?versionId=1`, 400, "INVALID_OPTIONS"],
  [`${unknown}?versionTime=never`, 400, "INVALID_OPTIONS"],
  [`${unknown}?versionTime=2026-01-01&versionTime=2026-01-02`, 400, "INVALID_OPTIONS"],
  [`${unknown}?expandRelativeUrls=true`, 501, "FEATURE_NOT_SUPPORTED"],
])("%s is %i %s, in the form of a result [RG-131, RG-132]", async (did, status, code) => {
  const answer = await resolve(did, "application/did+json");
  expect(answer.status).toBe(status);
  expect(answer.headers.get("Content-Type")).toBe("application/did-resolution");
  expect(answer.body).toEqual({
    didResolutionMetadata: {
      error: { type: `https://www.w3.org/ns/did#${code}`, title: expect.any(String), detail: expect.any(String) },
    },
    didDocument: null,
    didDocumentMetadata: {},
  });
});

describe("older versions", () => {
  const old = { didDocument: { alsoKnownAs: ["https://example.org/"] } };
  test("by their id, with the next version [RG-134]", async () => {
    const { body } = await resolve(`${id}?versionId=${first.versionId}`);
    expect(body).toMatchObject({
      ...old,
      didDocumentMetadata: {
        versionId: first.versionId,
        nextVersionId: second.versionId,
        nextUpdate: second.updatedAt,
      },
    });
    const current = await resolve(`${id}?versionId=${second.versionId}&noCache=true`);
    expect(current.body.didDocumentMetadata).not.toHaveProperty("nextVersionId");
    expect(await resolve(`${id}?versionId=${"0".repeat(64)}`)).toMatchObject({ status: 404 });
  });

  test("by a time, up to the instant of the next one [RG-134]", async () => {
    const versionAt = async (time: string) =>
      (await resolve(`${id}?versionTime=${time}`)).body.didDocumentMetadata.versionId;
    expect(await versionAt("2026-11-21T09:00:00Z")).toBe(first.versionId);
    expect(await versionAt("2026-11-21T09:59:59.999Z")).toBe(first.versionId);
    expect(await versionAt("2026-11-21T10:00:00Z")).toBe(second.versionId);
    expect((await resolve(`${id}?versionTime=2026-11-21T08:59:59.999Z`)).status).toBe(404);
  });
});

describe("documents that a client already has [RG-53]", () => {
  const tagOf = async (path: string, headers: Record<string, string> = {}, from = edge) =>
    String((await from.call("GET", `/1.0/identifiers/${path}`, { headers })).headers.get("ETag"));
  const statusOf = async (path: string, tag: string, headers: Record<string, string> = {}) =>
    (await edge.call("GET", `/1.0/identifiers/${path}`, { headers: { ...headers, "If-None-Match": tag } })).status;
  const asDocument = { Accept: "application/did" };

  test("are answered 304, in the client's form", async () => {
    expect(await statusOf(id, await tagOf(id))).toBe(304);
    expect(await statusOf(id, await tagOf(id, asDocument), asDocument)).toBe(304);
    expect(await statusOf(id, await tagOf(id, asDocument))).toBe(200);
    expect(await statusOf(id, '"v1"')).toBe(200);
  });

  test("a whole result, which contains its time, has a weak tag; the document a strong one", async () => {
    expect(await tagOf(id)).toMatch(/^W\/"v2-/);
    expect(await tagOf(id, asDocument)).toMatch(/^"v2-/);
  });

  test("are sent again once another version follows the old one", async () => {
    const fresh = await edge.ask("POST", "/v1/domains", {
      key,
      body: { type: "Project", class: "did:ixo:protocol:x" },
    });
    const old = `${fresh.body.id}?versionId=${fresh.body.versionId}`;
    const before = await tagOf(old);
    const headers = { "If-Match": "*" };
    await edge.ask("PATCH", `/v1/domains/${fresh.body.id}`, { key, headers, body: { metadata: { name: "next" } } });
    expect(await statusOf(old, before)).toBe(200);
    expect(await tagOf(old, asDocument)).toMatch(/^"v1-/);
  });

  test("a host in the document is part of its tag, and a write accepts any tag of the version", async () => {
    const named = registryEdge({ DATABASE, REGISTRY_PUBLIC_URL: "https://elsewhere.test" });
    expect(await tagOf(id, asDocument, named)).not.toBe(await tagOf(id, asDocument));
    const path = `/v1/domains/${id}/document`;
    const here = String((await edge.call("GET", path, { key })).headers.get("ETag"));
    expect((await named.call("GET", path, { key })).headers.get("ETag")).not.toBe(here);
    const patch = (tag: string) =>
      edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": tag }, body: {} });
    expect((await patch(here)).status).toBe(200);
    expect((await patch(here.replace("v2", "v1"))).status).toBe(412);
    expect((await patch(`W/${here}`)).status).toBe(412);
  });

  test("a pinned version reports that the DID was deactivated later [RG-195]", async () => {
    const body = { type: "Project", class: "did:ixo:protocol:x" };
    const fresh = await edge.ask("POST", "/v1/domains", { key, body });
    const pinned = `${fresh.body.id}?versionId=${fresh.body.versionId}`;
    const before = await tagOf(pinned);
    const headers = { "If-Match": "*" };
    await edge.call("PATCH", `/v1/domains/${fresh.body.id}`, { key, headers, body: { metadata: { a: 1 } } });
    const between = await tagOf(pinned);
    expect((await resolve(pinned)).body.didDocumentMetadata.deactivated).toBe(false);
    await edge.call("DELETE", `/v1/domains/${fresh.body.id}`, { key, headers });
    const found = await resolve(pinned);
    expect([found.status, found.body.didDocumentMetadata]).toEqual([
      200,
      expect.objectContaining({ deactivated: true, versionId: fresh.body.versionId }),
    ]);
    expect(new Set([before, between, await tagOf(pinned)]).size).toBe(3);
    expect(await statusOf(pinned, between)).toBe(200);
  });

  test("a deactivation is reported each time [RG-133]", async () => {
    const { body } = await edge.ask("POST", "/v1/domains", {
      key,
      body: { type: "Project", class: "did:ixo:protocol:x" },
    });
    await edge.call("DELETE", `/v1/domains/${body.id}`, { key, headers: { "If-Match": "*" } });
    expect(await statusOf(body.id, await tagOf(body.id))).toBe(410);
    expect(await statusOf(body.id, "*")).toBe(410);
  });
});

test("every refusal has the form of a result, even if it does not concern the DID [RG-132]", async () => {
  const settings = { DATABASE, REGISTRY_PUBLIC_READS_PER_MINUTE: "1", REGISTRY_PUBLIC_READS: "did" };
  const [brief, closed] = [registryEdge(settings), registryEdge({ ...settings, REGISTRY_PUBLIC_READS: "none" })];
  const wrong = registryEdge({ ...settings, REGISTRY_QUORUM_BP: "many" });
  const path = `/1.0/identifiers/${id}`;
  await brief.ask("GET", path);
  for (const [answer, status, type] of [
    [await brief.ask("GET", path), 429, "urn:problem:twe:rate_limited"],
    [await closed.ask("GET", path), 401, "urn:problem:twe:unauthenticated"],
    [await wrong.ask("GET", path), 500, "https://www.w3.org/ns/did#INTERNAL_ERROR"],
    [await edge.ask("POST", path), 405, "urn:problem:twe:method_not_allowed"],
  ] as const) {
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([status, "application/did-resolution"]);
    expect(answer.body).toMatchObject({
      didResolutionMetadata: { error: { type, detail: expect.stringMatching(/.+/) } },
      didDocument: null,
      didDocumentMetadata: {},
    });
  }
});

test("a deployment that closes resolution requires a key [RG-19]", async () => {
  const closed = registryEdge({ DATABASE, REGISTRY_PUBLIC_READS: "graphql" });
  expect(await closed.ask("GET", `/1.0/identifiers/${id}`)).toMatchObject({ status: 401 });
  expect(await closed.ask("GET", `/1.0/identifiers/${id}`, { key })).toMatchObject({ status: 200 });
});

test("OPTIONS without an origin returns the methods, and so does a wrong method", async () => {
  const options = await edge.call("OPTIONS", `/1.0/identifiers/${id}`);
  expect([options.status, await options.text()]).toEqual([204, ""]);
  expect(options.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
  expect(options.headers.get("Access-Control-Allow-Origin")).toBe("*");
  const posted = await edge.ask("POST", `/1.0/identifiers/${id}`);
  expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("a resolver built on the did-resolver library accepts our responses [RG-130]", async () => {
  const resolver = new Resolver({
    ixo: async (did) => (await resolve(did, "application/did-resolution")).body as DIDResolutionResult,
  });
  const found = await resolver.resolve(`${id}#key-1`);
  expect(found.didDocument?.verificationMethod?.[0]).toMatchObject({ id: `${id}#key-1`, controller: id });
  expect(found.didDocument?.service?.[0]?.serviceEndpoint).toBe("https://example.org");
  expect(found.didDocumentMetadata).toMatchObject({ created: "2026-11-21T09:00:00Z", versionId: second.versionId });
  const missing = await resolver.resolve(unknown);
  expect(missing.didDocument).toBeNull();
  expect(missing.didResolutionMetadata.error).toBeDefined();
});
