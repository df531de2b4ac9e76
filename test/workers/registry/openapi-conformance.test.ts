/**
 * Compares the OpenAPI document with the routes' responses: uses a registry through every operation, and requires each
 * response to have a declared status, media type and body.
 */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { inheritedLists } from "../../../workers/registry/domain/composite.ts";
import { sameJson } from "../../../workers/registry/domain/json-values.ts";
import { routes } from "../../../workers/registry/router.ts";
import type { Received } from "../../support/server/received.ts";
import { type RegistryFixture, createRegistryFixture } from "../../support/registry/fixture.ts";
import { ADMIN_TOKEN, type RegistryCall } from "../../support/registry/registry-edge.ts";

const operations = routes.map((route) => route.document().operation);
const matchers = operations.map((operation) => ({
  operation,
  pattern: new RegExp(
    `^${operation.path
      .replace(/:did(?:\{\.\+\})?$/, "@")
      .replaceAll(/[.]/g, "\\.")
      .replace("@", ".+")
      .replaceAll(/:\w+/g, "[^/]+")}$`,
  ),
}));

interface Seen {
  /** Statuses by operation. */
  readonly statuses: Map<string, Set<number>>;
  /** Responses that differ from their description. */
  readonly faults: string[];
}

function conforming(fixture: RegistryFixture, { statuses, faults }: Seen) {
  return async (method: string, path: string, call: RegistryCall = {}): Promise<Received> => {
    const plain = path.split("?", 1).join("");
    const { operation } =
      matchers.find((each) => each.operation.method.toUpperCase() === method && each.pattern.test(plain)) ?? {};
    if (operation === undefined) throw new Error(`${method} ${path} is not described`);
    const response = await fixture.edge.call(method, path, call);
    const { status, headers } = response;
    statuses.set(operation.id, (statuses.get(operation.id) ?? new Set()).add(status));
    const text = await response.text();
    const type = (headers.get("Content-Type") ?? "").split(";", 1).join("");
    const tell = (fault: string) => void faults.push(`${operation.id}: ${method} ${path} ${status}: ${fault}`);
    const declared = operation.responses[status];
    if (declared === undefined) {
      tell(`the status is not declared: ${text.slice(0, 200)}`);
      return undefined;
    }
    // Only pages that have a next page have a link.
    const missing = Object.keys(declared.headers ?? {}).filter((name) => name !== "Link" && headers.get(name) === null);
    if (missing.length > 0) tell(`without ${missing.join()}`);
    const contents = [declared.content ?? []].flat();
    if (contents.length === 0) {
      if (text !== "") tell("a body is not declared");
      return undefined;
    }
    const content = contents.find((each) => (each.type ?? "application/json").split(";", 1).join("") === type);
    if (content === undefined) tell(`${type} is not declared`);
    if (!/[/+]json$/.test(type)) return text;
    const body: Received = JSON.parse(text);
    const parsed = content?.schema.safeParse(body);
    if (parsed?.success === false) tell(JSON.stringify(parsed.error.issues.slice(0, 3)));
    // The schema's output omits members that it does not know.
    else if (!sameJson(parsed?.data, body)) tell("a member is not declared");
    return body;
  };
}

const richDomain = {
  type: "Project",
  metadata: { name: "Rich", place: { town: "Bern" } },
  validFrom: "2026-01-01T00:00:00Z",
  validUntil: "2030-01-01T00:00:00Z",
  externalId: "serial-1",
  relayerNode: "did:ixo:entity:relayer",
  credentials: ["urn:c:1"],
  accounts: [{ name: "main", address: "a1" }],
  document: {
    alsoKnownAs: ["https://a.test/"],
    context: ["https://a.test/context"],
    verificationMethod: [
      { id: "#k", type: "JsonWebKey2020", publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: "AA" } },
      { id: "#a", type: "T", controller: "{id}", blockchainAccountID: "cosmos:x:y" },
    ],
    authentication: ["#k"],
    service: [{ id: "#s", type: "Web", serviceEndpoint: "https://a.test" }],
    linkedResource: [
      { id: "#r", type: "File", serviceEndpoint: "ipfs://r", mediaType: "text/plain" },
      { id: "#page", type: "Settings", description: "page", serviceEndpoint: "ipfs://p" },
    ],
    linkedClaim: [{ id: "#c", type: "Claim" }],
    linkedEntity: [{ id: "#e", type: "deed" }],
    accordedRight: [{ id: "#g", type: "Right" }],
  },
};

test("every operation responds as described [RG-26, RG-33, RG-193]", async () => {
  const fixture = await createRegistryFixture(env.DATABASE, [3, 2], {
    OUTBOX: env.SCRIPTED_OUTBOX,
    REGISTRY_WEBHOOK_HOSTS: "hooks.test",
  });
  const seen: Seen = { statuses: new Map(), faults: [] };
  const ask = conforming(fixture, seen);
  const [admin, proposer, controller] = [fixture.admin, fixture.proposer, fixture.controller].map((key) => ({ key }));
  const [voter = ""] = fixture.voters;
  const anyVersion = { ...controller, headers: { "If-Match": "*" } };
  const markdown = { "If-Match": "*", "Content-Type": "text/markdown" };
  const operator = { key: ADMIN_TOKEN };

  await ask("GET", "/v1/domain-types", controller);
  await ask("GET", "/v1/verification-rules", controller);
  const created = await ask("POST", "/v1/domains", {
    ...controller,
    headers: { "Idempotency-Key": "conformance" },
    body: { type: "Project", class: "did:ixo:protocol:x", metdata: 1, validUntil: "2030-01-01T00:00:00Z" },
  });
  const id = String(created.id);
  const path = `/v1/domains/${id}`;
  await ask("POST", "/v1/domains", { ...controller, body: {} });
  await ask("GET", "/v1/domains?count=true&limit=1", controller);
  await ask("GET", path, controller);
  await ask("GET", path, { ...controller, headers: { "If-None-Match": '"v1"' } });
  await ask("PATCH", path, { ...anyVersion, body: { metadata: { name: "A", tags: ["x"] } } });
  await ask("PATCH", path, { ...controller, body: {} });
  const item = `${path}/document/service/%23web`;
  await ask("PUT", item, { ...anyVersion, body: { type: "LinkedDomains", serviceEndpoint: "https://a.test" } });
  await ask("PUT", item, { ...anyVersion, body: { type: "LinkedDomains", serviceEndpoint: "https://b.test" } });
  await ask("GET", `${path}/document`, controller);
  await ask("DELETE", item, anyVersion);
  await ask("GET", `${path}/domain.md`, controller);
  await ask("PUT", `${path}/domain.md`, { ...controller, headers: markdown, body: "---\nname: B\n---\n" });
  await ask("POST", `${path}/domain.md`, { ...controller, headers: markdown, body: "---\nname: C\n---\n" });
  await ask("GET", `${path}/composite`, controller);
  // With a value in every member and list, own and inherited.
  const parent = await ask("POST", "/v1/domains", {
    ...controller,
    body: { ...richDomain, class: "did:ixo:protocol:x" },
  });
  const child = await ask("POST", "/v1/domains", { ...controller, body: { ...richDomain, class: parent.id } });
  for (const view of ["", "/composite", "/document", "/card", "/history", "/history/1"]) {
    await ask("GET", `/v1/domains/${child.id}${view}`, controller);
  }
  const heir = await ask("POST", "/v1/domains", { ...controller, body: { type: "Project", class: child.id } });
  const merged = await ask("GET", `/v1/domains/${heir.id}/composite`, controller);
  for (const list of inheritedLists) {
    expect(merged.document[list]).toEqual([expect.objectContaining({ inheritedFrom: child.id })]);
  }
  await ask("GET", `${path}/history`, controller);
  await ask("GET", `${path}/history/1`, controller);
  await ask("GET", `${path}/history/99`, controller);
  await ask("GET", `${path}/card`);
  await ask("GET", `${path}/card`, { headers: { Accept: "application/vc" } });
  await ask("GET", `${path}/eligibility?activity=issuance`, controller);
  await ask("GET", `${path}/services/issuance`, controller);
  await ask("PUT", `${path}/services/issuance`, { ...controller, body: { enabled: true } });
  await ask("PUT", `${path}/services/issuance`, { ...controller, body: { enabled: false } });

  const first = await ask("POST", `${path}/proposals`, { ...proposer, body: { title: "Verify", package: {} } });
  await ask("POST", `/v1/proposals/${first.id}/withdraw`, { ...proposer, body: { reason: "wrong" } });
  const second = await ask("POST", `${path}/proposals`, { ...proposer, body: { title: "Verify", package: {} } });
  await ask("GET", `${path}/proposals`, controller);
  await ask("GET", "/v1/proposals?state=open", controller);
  await ask("GET", `/v1/proposals/${second.id}`, controller);
  await ask("POST", `/v1/proposals/${second.id}/votes`, { key: voter, body: { option: "yes", rationale: "good" } });
  await ask("POST", `/v1/proposals/${second.id}/votes`, { key: voter, body: { option: "no" } });
  await ask("GET", `/v1/proposals/${second.id}/votes`, controller);
  await ask("GET", `/v1/proposals/${second.id}/votes/me`, { key: voter });
  await ask("GET", `/v1/votes/me?proposal=${first.id}&proposal=${second.id}`, { key: voter });
  await ask("GET", "/v1/votes/me", { key: voter });

  const voterPath = "/v1/voters/did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";
  await ask("PUT", voterPath, { ...admin, body: { weight: 2, label: "New" } });
  await ask("PUT", voterPath, { ...admin, body: { weight: 3 } });
  await ask("PUT", voterPath, { ...admin, headers: { "If-Match": "*" }, body: { weight: 3 } });
  await ask("PUT", "/v1/voters/did:example:nobody", { ...admin, body: { weight: 3 } });
  await ask("GET", "/v1/voter-changes", admin);
  await ask("GET", "/v1/labels?did=did:web:admin.test", admin);
  await ask("GET", voterPath, admin);
  await ask("GET", "/v1/voters", admin);
  await ask("GET", "/v1/voters", controller);
  await ask("DELETE", voterPath, admin);

  await ask("GET", "/v1/changes?limit=2", proposer);
  await ask("GET", "/v1/changes?after=x", proposer);
  const lines = `${JSON.stringify({ type: "Project", class: "did:ixo:protocol:x" })}\n{}\n`;
  const ndjson = { ...admin, headers: { "Content-Type": "application/x-ndjson" }, body: lines };
  await ask("POST", "/v1/imports/conformance/lines", ndjson);
  await ask("GET", "/v1/imports/conformance", admin);
  await ask("GET", "/v1/imports", admin);
  await ask("GET", "/v1/export", admin);

  const webhook = await ask("POST", "/v1/webhooks", {
    ...admin,
    body: { url: "https://hooks.test/x", enabled: false },
  });
  const webhookPath = `/v1/webhooks/${webhook.id}`;
  await ask("GET", "/v1/webhooks", admin);
  await ask("GET", webhookPath, admin);
  await ask("PATCH", webhookPath, { ...admin, body: { description: "x" } });
  await ask("POST", `${webhookPath}/rotate`, { ...admin, body: {} });
  await ask("POST", `${webhookPath}/ping`, admin);
  const { data: deliveries } = await ask("GET", `${webhookPath}/deliveries`, admin);
  await ask("POST", `${webhookPath}/deliveries/${deliveries[0]?.id}/replay`, admin);
  await ask("POST", `${webhookPath}/replay`, admin);
  await ask("DELETE", webhookPath, admin);

  const issued = { label: "x", did: "did:web:conformance.test", scopes: ["domains:read"] };
  const apiKey = await ask("POST", "/v1/api-keys", { ...operator, body: issued });
  await ask("POST", "/v1/api-keys", { ...controller, body: issued });
  await ask("GET", "/v1/api-keys", operator);
  await ask("GET", "/v1/api-keys/current", { key: String(apiKey.key) });
  await ask("GET", `/v1/api-keys/${apiKey.id}`, operator);
  const rotated = await ask("POST", `/v1/api-keys/${apiKey.id}/rotate`, { ...operator, body: {} });
  await ask("DELETE", `/v1/api-keys/${rotated.id}`, operator);

  await ask("POST", "/graphql", { body: { query: "{ entities { totalCount } }" } });
  await ask("POST", "/graphql", { body: { query: "{ entities(first: 1000) { totalCount } }" } });
  await ask("POST", "/graphql", {
    headers: { Accept: "application/graphql-response+json" },
    body: { query: "{ no }" },
  });
  await ask("POST", "/graphql", { headers: { "Content-Type": "text/plain" }, body: "{}" });
  await ask("POST", "/graphql", { key: "wrong", body: { query: "{ nodeId }" } });
  await ask("GET", "/graphql?query={nodeId}");
  await ask("GET", "/graphql", { headers: { Accept: "text/html" } });

  const resolution = `/1.0/identifiers/${id}`;
  for (const type of ["application/did-resolution", "application/json", "application/did", "application/did+json"]) {
    await ask("GET", resolution, { headers: { Accept: type } });
  }
  for (const type of ["application/did+ld+json", "application/ld+json"]) {
    await ask("GET", resolution, { headers: { Accept: type } });
  }
  const profile = 'application/ld+json;profile="https://w3id.org/did-resolution"';
  await ask("GET", resolution, { headers: { Accept: profile } });
  await ask("GET", resolution, { headers: { Accept: "image/png" } });
  await ask("GET", "/1.0/identifiers/nothing");
  await ask("GET", `${resolution}?versionId=x`);
  await ask("GET", `${resolution}?expandRelativeUrls=true`);
  await ask("GET", `/1.0/identifiers/did:ixo:entity:${"0".repeat(32)}`);

  await ask("DELETE", path, anyVersion);
  await ask("DELETE", path, controller);
  await ask("GET", resolution, { headers: { Accept: "application/did" } });
  await ask("PATCH", path, { ...anyVersion, body: { metadata: { a: 1 } } });

  expect(seen.faults).toEqual([]);
  const succeeded = [...seen.statuses].filter(([, statuses]) => [...statuses].some((status) => status < 300));
  expect(operations.map(({ id: name }) => name).filter((name) => !succeeded.some(([each]) => each === name))).toEqual(
    [],
  );
});
