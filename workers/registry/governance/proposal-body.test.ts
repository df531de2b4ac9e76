/** Bodies of proposals and the packages in them. */
import { describe, expect, test } from "vitest";
import { domainRecord, emptyDocument } from "../../../test/support/registry/domain-records.ts";
import type { JsonObject } from "../../../platform/json.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { mismatches } from "./package-mismatches.ts";
import { evidenceSchemes, PACKAGE_BYTES, PACKAGE_DEPTH, PROPOSAL_TEXTS, readProposalBody } from "./proposal-body.ts";
import { excludedVoters } from "./voting-rules.ts";

const title = "Verify Clean Cooking";

/** Codes and places of the faults in a body; empty if it is valid. */
function faultsOf(body: JsonObject): readonly string[] {
  const read = readProposalBody(body);
  return read.ok ? [] : (read.error.details ?? []).map(({ reason, pointer }) => `${reason} ${pointer}`);
}

describe("the body", () => {
  test("proposes a verification by default, with a package", () => {
    expect(readProposalBody({ title, package: {} })).toMatchObject({
      ok: true,
      value: { kind: "verify", summary: "" },
    });
    expect(faultsOf({ title })).toEqual(["required /package"]);
    expect(faultsOf({ title, package: null })).toEqual(["required /package"]);
  });

  test("must be well-formed Unicode, because other text is not stored unchanged", () => {
    const half = "\ud800";
    expect(faultsOf({ title: half, summary: half, reason: half, package: {} }).toSorted()).toEqual([
      "format /reason",
      "format /summary",
      "format /title",
    ]);
  });

  test("requires a reason to revoke, and accepts no package then", () => {
    expect(faultsOf({ kind: "revoke", title, reason: "Fraud" })).toEqual([]);
    expect(faultsOf({ kind: "revoke", title })).toEqual(["required /reason"]);
  });

  test("reports all faults at once and ignores unknown members", () => {
    expect(faultsOf({ kind: "depose", summary: 1, package: [] }).toSorted()).toEqual([
      "range /kind",
      "required /title",
      "type /package",
      "type /summary",
    ]);
    expect(faultsOf({ title, package: { colour: "red" }, state: "passed", foo: 1 })).toEqual([]);
  });

  test("limits the length of its texts", () => {
    const long = (length: number) => "x".repeat(length);
    expect(faultsOf({ title: " ", package: {} })).toEqual(["length /title"]);
    expect(faultsOf({ title: long(PROPOSAL_TEXTS.title), package: {} })).toEqual([]);
    expect(faultsOf({ title: long(PROPOSAL_TEXTS.title + 1), package: {} })).toEqual(["length /title"]);
    expect(faultsOf({ title, summary: long(PROPOSAL_TEXTS.summary + 1), package: {} })).toEqual(["length /summary"]);
    const reason = long(PROPOSAL_TEXTS.reason + 1);
    expect(faultsOf({ title, kind: "revoke", reason })).toEqual(["length /reason"]);
  });
});

describe("the package", () => {
  test("can be as large and as deep as its limits, and no more [RG-89]", () => {
    const filled = (length: number) => ({ title, package: { entityDocument: { x: "x".repeat(length) } } });
    const frame = JSON.stringify(filled(0).package).length;
    expect(faultsOf(filled(PACKAGE_BYTES - frame))).toEqual([]);
    expect(faultsOf(filled(PACKAGE_BYTES - frame + 1))).toEqual(["length /package"]);
    const nested = (levels: number) => {
      let value: JsonObject = {};
      for (let level = 1; level < levels; level += 1) value = { entityDocument: value };
      return { title, package: value };
    };
    expect(faultsOf(nested(PACKAGE_DEPTH))).toEqual([]);
    expect(faultsOf(nested(PACKAGE_DEPTH + 1))).toEqual(["length /package"]);
  });

  test("contains up to fifty pieces of evidence, each with type and address", () => {
    const piece = { type: "report", uri: "https://example.org/report" };
    expect(faultsOf({ title, package: { evidence: Array(50).fill(piece) } })).toEqual([]);
    expect(faultsOf({ title, package: { evidence: Array(51).fill(piece) } })).toEqual(["length /package/evidence"]);
    expect(faultsOf({ title, package: { evidence: [{ type: "report" }] } })).toEqual([
      "required /package/evidence/0/uri",
    ]);
    for (const uri of ["not a uri", "report.pdf", "/a", "https://a b"]) {
      expect(faultsOf({ title, package: { evidence: [{ type: "report", uri }] } })).toEqual([
        "format /package/evidence/0/uri",
      ]);
    }
    const evidenceAt = (uri: string) => faultsOf({ title, package: { evidence: [{ type: "report", uri }] } });
    for (const scheme of evidenceSchemes) expect([scheme, evidenceAt(`${scheme}:x`)]).toEqual([scheme, []]);
    for (const uri of ["HTTPS://a.test/", "ipfs://bafy"]) expect(evidenceAt(uri)).toEqual([]);
  });

  test.each(["javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd"])(
    "refuses evidence with an address that a browser would run or open locally: %s [RG-192]",
    (uri) => {
      const found = faultsOf({ title, package: { evidence: [{ type: "report", uri }] } });
      expect(found).toEqual(["format /package/evidence/0/uri"]);
    },
  );

  const domain = domainRecord(1, {
    class: "did:ixo:protocol/clean-cooking",
    controllers: ["did:web:one.test", "did:web:two.test"],
    relayerNode: "did:ixo:entity:relayer123",
  });
  const documented = {
    "@context": { class: "did:ixo:entity:abc123", type: "CleanCookingProject", version: "1.0" },
    credentials: [],
    relayerNode: "did:ixo:entity:relayer123",
    validFrom: "2024-01-01T00:00:00Z",
    status: "active",
  };
  const pointers = (sent: JsonObject, known: DomainRecord = domain) =>
    mismatches(sent, known).map(({ pointer }) => pointer);

  test("can repeat content of the domain, with controllers in any order", () => {
    expect(pointers({})).toEqual([]);
    const { class: protocol, relayerNode } = domain;
    expect(pointers({ class: protocol, relayerNode, controllers: domain.controllers.toReversed() })).toEqual([]);
    const asDocumented = { ...domain, class: "did:ixo:entity:abc123", validFrom: documented.validFrom };
    expect(pointers({ entityDocument: documented }, asDocumented)).toEqual([]);
  });

  test("cannot contradict other content, and the document in it cannot either [RG-90]", () => {
    expect(pointers({ class: "did:ixo:protocol/x", relayerNode: "did:x:y", controllers: "did:web:one.test" })).toEqual([
      "/package/class",
      "/package/relayerNode",
      "/package/controllers",
    ]);
    expect(pointers({ entityDocument: { ...documented, relayerNode: "did:x:y", controller: "did:x:z" } })).toEqual([
      "/package/entityDocument/@context/class",
      "/package/entityDocument/relayerNode",
      "/package/entityDocument/controller",
      "/package/entityDocument/validFrom",
    ]);
  });

  const other = "did:ixo:protocol/other";
  test.each<[string, JsonObject, string]>([
    ["id", { id: "did:ixo:entity:x" }, "/id"],
    ["@id", { "@id": "did:ixo:entity:x" }, "/@id"],
    ["type", { type: "Device" }, "/type"],
    ["types", { type: ["Project", "Device"] }, "/type"],
    ["class", { class: other }, "/class"],
    ["class that is not text", { class: [other] }, "/class"],
    ["protocol", { protocol: other }, "/protocol"],
    ["@context", { "@context": { class: other } }, "/@context/class"],
    ["@context by its other name", { "@context": { protocol: other } }, "/@context/protocol"],
    ["@context as a list", { "@context": ["https://w3id.org", { class: other }] }, "/@context/1/class"],
    ["@context, lists in lists", { "@context": [[{ class: other }]] }, "/@context/0/0/class"],
    ["@context as the chain has it", { "@context": [{ key: "class", val: other }] }, "/@context/0/val"],
    ["context as the chain has it", { context: [{ key: "class", val: other }] }, "/context/0/val"],
    ["relayerNode", { relayerNode: other }, "/relayerNode"],
    ["controllers", { controllers: ["did:web:one.test"] }, "/controllers"],
    ["controller", { controller: "did:web:one.test" }, "/controller"],
  ])("must name the domain and its rights consistently in every place: %s", (_name, said, pointer) => {
    expect(pointers(said)).toEqual([`/package${pointer}`]);
    expect(pointers({ entityDocument: said })).toEqual([`/package/entityDocument${pointer}`]);
  });

  test("can repeat content in every form", () => {
    const { id, relayerNode, controllers, class: protocol } = domain;
    const said = {
      id,
      type: " project",
      protocol: ` ${protocol} `,
      "@context": ["https://w3id.org", { class: protocol }, { key: "class", val: protocol }, { key: "x", val: other }],
      relayerNode,
      controller: controllers,
      verificationStatus: "verified",
      entityVerified: true,
      status: "ACTIVE",
      owner: domain.owner,
    };
    expect(pointers({ ...said, entityDocument: said }, { ...domain, verificationStatus: "Verified" })).toEqual([]);
  });

  const rich = domainRecord(2, {
    metadata: { name: "Stoves", place: { town: "Bern", "a/b": 1 } },
    externalId: "serial-1",
    validFrom: "2026-01-01T00:00:00Z",
    credentials: [{ id: "urn:c:1", type: "VerifiableCredential", status: "active" }],
    accounts: [{ name: "main", address: "ixo1abc" }],
    document: {
      ...emptyDocument,
      alsoKnownAs: ["https://a.test/"],
      service: [{ id: "#s", type: "Web", serviceEndpoint: "https://a.test" }],
    },
  });

  test.each<[JsonObject, string]>([
    [{ metadata: { name: "Other" } }, "/metadata/name"],
    [{ metadata: { place: { "a/b": 2 } } }, "/metadata/place/a~1b"],
    [{ metadata: "Stoves" }, "/metadata"],
    [{ externalId: "serial-2" }, "/externalId"],
    [{ validFrom: "2026-01-02" }, "/validFrom"],
    [{ startDate: "soon" }, "/startDate"],
    [{ credentials: ["urn:c:1", "urn:c:2"] }, "/credentials/1"],
    [{ credentials: [{ id: "urn:c:1", status: "revoked" }] }, "/credentials/0"],
    [{ accounts: [{ name: "main", address: "ixo1other" }] }, "/accounts/0"],
    [{ service: [{ id: "#s", serviceEndpoint: "https://other.test" }] }, "/service/0"],
    [{ document: { alsoKnownAs: ["https://b.test/"] } }, "/document/alsoKnownAs/0"],
  ])("cannot contradict other content: %j", (said, pointer) => {
    expect(pointers({ entityDocument: said }, rich)).toEqual([`/package/entityDocument${pointer}`]);
  });

  test.each<[JsonObject, string]>([
    [{ validUntil: "2030-01-01T00:00:00Z" }, "/validUntil"],
    [{ endDate: "2030-01-01" }, "/endDate"],
    [{ validFrom: "2026-01-01" }, "/validFrom"],
    [{ name: "Stoves" }, "/name"],
    [{ owner: "did:fake:x" }, "/owner"],
    [{ externalId: "serial-1" }, "/externalId"],
    [{ status: "suspended" }, "/status"],
    [{ status: 0 }, "/status"],
    [{ verificationStatus: "Verified" }, "/verificationStatus"],
    [{ entityVerified: true }, "/entityVerified"],
    [{ entityVerified: "false" }, "/entityVerified"],
    [{ verifiedAt: "2026-01-01T00:00:00Z" }, "/verifiedAt"],
    [{ services: { issuance: { enabled: true } } }, "/services/issuance/enabled"],
    [{ metadata: { more: 1 } }, "/metadata/more"],
    [{ metadata: { constructor: 1 } }, "/metadata/constructor"],
    [{ credentials: ["urn:c:1"] }, "/credentials/0"],
    [{ accounts: [{ name: "main", address: "a1" }] }, "/accounts/0"],
    [{ service: [{ id: "#evil", type: "Web", serviceEndpoint: "https://evil.test" }] }, "/service/0"],
    [{ verificationMethod: { id: "#evil" } }, "/verificationMethod"],
    [{ authentication: ["#evil"] }, "/authentication/0"],
    [{ alsoKnownAs: "https://evil.test/" }, "/alsoKnownAs"],
    [{ document: { linkedResource: [{ id: "#r", type: "File" }] } }, "/document/linkedResource/0"],
  ])("cannot claim content that the domain lacks: %j [RG-191]", (said, pointer) => {
    const bare = domainRecord(3, {});
    expect(pointers(said, bare)).toEqual([`/package${pointer}`]);
    expect(pointers({ entityDocument: said }, bare)).toEqual([`/package/entityDocument${pointer}`]);
  });

  test("can omit content and can state that it is empty", () => {
    const nothing = { validUntil: null, externalId: null, name: null, metadata: { more: null } };
    expect(pointers({ ...nothing, credentials: [], accounts: [], service: [], entityVerified: false })).toEqual([]);
  });

  test("can repeat other content in part, and can contain members that no domain has", () => {
    const said = {
      metadata: { name: "Stoves", place: { town: "Bern" } },
      comment: "sent by the registrar",
      externalId: "serial-1",
      validFrom: "2026-01-01",
      credentials: ["urn:c:1", { id: "urn:c:1", type: "VerifiableCredential" }],
      accounts: [{ name: "main" }],
      service: [
        { id: `${rich.id}#s`, type: "Web" },
        { id: "{id}#s", description: null },
      ],
      document: { alsoKnownAs: [] },
    };
    expect(pointers({ entityDocument: said }, rich)).toEqual([]);
    expect(pointers({ entityDocument: { service: [{ id: "#s", priority: 1 }] } }, rich)).toEqual([
      "/package/entityDocument/service/0",
    ]);
  });

  test("lists at most fifty differences", () => {
    const contexts = Array.from({ length: 60 }, () => ({ class: other }));
    expect(pointers({ entityDocument: { "@context": contexts } })).toHaveLength(50);
  });
});

test("the electorate excludes the voters that the rules name, each once [RG-101]", () => {
  const people = { proposer: "did:x:p", controllers: ["did:x:p", "did:x:c"] };
  expect(excludedVoters({ excludedVoters: "none" }, people)).toEqual([]);
  expect(excludedVoters({ excludedVoters: "proposer" }, people)).toEqual(["did:x:p"]);
  expect(excludedVoters({ excludedVoters: "controllers" }, people)).toEqual(["did:x:p", "did:x:c"]);
  expect(excludedVoters({ excludedVoters: "both" }, people)).toEqual(["did:x:p", "did:x:c"]);
});
