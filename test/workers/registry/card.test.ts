/** The card of a domain. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const OWNER = "did:web:cards.test";
const edge = registryEdge({ DATABASE });
let key = "";

beforeAll(async () => {
  key = await edge.keyOf(OWNER, ["domains:write"]);
});

async function create(more: object = {}): Promise<string> {
  const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", ...more };
  return (await edge.ask("POST", "/v1/domains", { key, body })).body.id;
}

test("is a credential of the domain's statements about itself, read without a key [RG-136]", async () => {
  const metadata = { name: "Stoves", description: "For all", image: "https://a.test/x.png", more: { "@id": "x" } };
  const id = await create({ metadata, validUntil: "2030-01-01T00:00:00Z" });
  const card = await edge.ask("GET", `/v1/domains/${id}/card`);
  expect([card.status, card.headers.get("ETag"), card.headers.get("Content-Type")]).toEqual([
    200,
    expect.stringMatching(/^"v1-[0-9a-f]{8}"$/),
    "application/json",
  ]);
  expect(card.body).toEqual({
    "@context": [
      "https://www.w3.org/ns/credentials/v2",
      {
        "@vocab": "https://w3id.org/ixo/vocab/",
        metadata: { "@id": "https://w3id.org/ixo/vocab/metadata", "@type": "@json" },
      },
    ],
    id: `${id}#dmn`,
    type: ["VerifiableCredential", "DomainCard"],
    issuer: id,
    validFrom: "2026-11-21T09:00:00Z",
    validUntil: "2030-01-01T00:00:00Z",
    credentialSubject: {
      id,
      name: "Stoves",
      description: "For all",
      image: "https://a.test/x.png",
      domainType: "Project",
      class: "did:ixo:protocol/clean-cooking",
      controllers: [OWNER],
      status: "active",
      verificationStatus: "AwaitingVerification",
      entityVerified: false,
      version: 1,
      versionId: expect.stringMatching(/^[0-9a-f]{64}$/),
      updatedAt: "2026-11-21T09:00:00Z",
      metadata,
    },
  });
});

test("contains no address that runs code; texts that are not addresses stay in the literal [RG-136]", async () => {
  const metadata = { name: 7, description: {}, logo: "javascript:alert(1)", url: "data:text/html,x", website: "/x" };
  const { body } = await edge.ask("GET", `/v1/domains/${await create({ metadata })}/card`);
  const subject = body.credentialSubject;
  expect(Object.keys(subject).filter((name) => Object.hasOwn(metadata, name))).toEqual([]);
  const { logo: _, ...rest } = metadata;
  expect(subject.metadata).toEqual(rest);
  const deep = {
    links: ["https://a.test/", " JavaScript:alert(1)", { href: "java\nscript:alert(1)", to: ["vbscript:x"] }],
  };
  const nested = await edge.ask("GET", `/v1/domains/${await create({ metadata: deep })}/card`);
  expect(nested.body.credentialSubject.metadata).toEqual({ links: ["https://a.test/", { to: [] }] });
});

test("is 304 for a client that has it; has the media type of credentials on request [RG-53]", async () => {
  const path = `/v1/domains/${await create()}/card`;
  const etag = String((await edge.call("GET", path)).headers.get("ETag"));
  const known = await edge.call("GET", path, { headers: { "If-None-Match": etag } });
  expect(known.status).toBe(304);
  // A different format has a different tag.
  const other = await edge.call("GET", path, { headers: { "If-None-Match": etag, Accept: "application/vc" } });
  expect([other.status, other.headers.get("ETag") === etag]).toEqual([200, false]);
  const credential = await edge.ask("GET", path, { headers: { Accept: "application/vc" } });
  expect([credential.headers.get("Content-Type"), credential.headers.get("Vary")]).toEqual([
    "application/vc",
    expect.stringContaining("Accept"),
  ]);
});

describe("is listed as a service", () => {
  test("in the resolved document and in the domain's own [RG-51]", async () => {
    const id = await create({ document: { service: [{ id: "#own", type: "T", serviceEndpoint: "https://a.test/" }] } });
    const listed = [
      { id: `${id}#own`, type: "T", serviceEndpoint: "https://a.test/" },
      { id: `${id}#dmn`, type: "DomainCard", serviceEndpoint: `https://registry.test/v1/domains/${id}/card` },
    ];
    expect((await edge.ask("GET", `/1.0/identifiers/${id}`)).body.didDocument.service).toEqual(listed);
    expect((await edge.ask("GET", `/v1/domains/${id}/document`, { key })).body.service).toEqual(listed);
    const { pathname } = new URL(listed[1]?.serviceEndpoint ?? "");
    expect((await edge.ask("GET", pathname)).body.id).toBe(`${id}#dmn`);
    expect((await edge.ask("GET", `/v1/domains/${id}`, { key })).body.document.service).toHaveLength(1);
  });

  test("not in addition to an item of the domain with that id", async () => {
    const resource = {
      id: "{id}#dmn",
      type: "domainCard",
      serviceEndpoint: "ipfs://x",
      mediaType: "application/ld+json",
    };
    const id = await create({ document: { linkedResource: [resource] } });
    const { body } = await edge.ask("GET", `/1.0/identifiers/${id}`);
    expect(body.didDocument.service).toBeUndefined();
  });

  test("under the deployment's address", async () => {
    const named = registryEdge({ DATABASE, REGISTRY_PUBLIC_URL: "https://domains.example/base/" });
    const id = await create();
    const { body } = await named.ask("GET", `/1.0/identifiers/${id}`);
    expect(body.didDocument.service[0].serviceEndpoint).toBe(`https://domains.example/base/v1/domains/${id}/card`);
  });
});

test("a deployment can close it; then a key can read it [RG-19]", async () => {
  const closed = registryEdge({ DATABASE, REGISTRY_PUBLIC_READS: "graphql,did" });
  const path = `/v1/domains/${await create()}/card`;
  expect((await closed.ask("GET", path)).body.code).toBe("unauthenticated");
  expect((await closed.ask("GET", path, { key })).status).toBe(200);
});

test("404, 400", async () => {
  expect((await edge.ask("GET", "/v1/domains/did:ixo:entity:none/card")).body.code).toBe("not_found");
  expect((await edge.ask("GET", "/v1/domains/nothing/card")).body.code).toBe("invalid_did");
  expect((await edge.ask("GET", "/v1/domains/did:ixo:entity:none/card?x=1")).body.code).toBe("unknown_parameter");
});
