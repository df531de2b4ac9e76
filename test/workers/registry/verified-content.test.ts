/** A vote verifies the content that its voters saw: docs/decisions/005-registry.md, "What a verification covers". */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../workers/registry/domain/content.ts";
import { createRegistryFixture, interrupted, type RegistryFixture } from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const equal = (count: number) => Array.from({ length: count }, () => 1);
const service = { id: "#s", type: "Web", serviceEndpoint: "https://other.test" };
const anyVersion = { "If-Match": "*" };

type Change = (fixture: RegistryFixture, domainId: string) => ReturnType<RegistryFixture["ask"]>;
const patch =
  (body: object): Change =>
  (fixture, domainId) =>
    fixture.ask("PATCH", `/v1/domains/${domainId}`, { key: fixture.controller, headers: anyVersion, body });

/** Every way to change a domain's content, and the field that it changes. */
const changes: readonly (readonly [string, string, Change])[] = [
  ["PATCH metadata", "metadata", patch({ metadata: { name: "Other" } })],
  ["PATCH a document list", "document", patch({ document: { service: [service] } })],
  ["PATCH credentials", "credentials", patch({ credentials: ["urn:c:2"] })],
  ["PATCH accounts", "accounts", patch({ accounts: [{ name: "main", address: "a1" }] })],
  ["PATCH externalId", "externalId", patch({ externalId: "serial-2" })],
  ["PATCH validFrom", "validFrom", patch({ validFrom: "2026-01-01T00:00:00Z" })],
  ["PATCH validUntil", "validUntil", patch({ validUntil: "2030-01-01T00:00:00Z" })],
  [
    "PUT an item",
    "document",
    (fixture, domainId) =>
      fixture.ask("PUT", `/v1/domains/${domainId}/document/service/%23s`, {
        key: fixture.controller,
        headers: anyVersion,
        body: service,
      }),
  ],
  [
    "PUT domain.md",
    "metadata",
    (fixture, domainId) =>
      fixture.ask("PUT", `/v1/domains/${domainId}/domain.md`, {
        key: fixture.controller,
        headers: { ...anyVersion, "Content-Type": "text/markdown" },
        body: "---\nname: Other\n---\n",
      }),
  ],
  [
    "PATCH by an admin",
    "metadata",
    (fixture, domainId) =>
      fixture.ask("PATCH", `/v1/domains/${domainId}`, {
        key: fixture.admin,
        headers: anyVersion,
        body: { metadata: { name: "Other" } },
      }),
  ],
];

describe("while a verification is under vote [RG-94]", () => {
  test.each(changes)("%s supersedes it", async (_way, field, change) => {
    const fixture = await createRegistryFixture(DATABASE, equal(7));
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    for (const voter of [0, 1, 2, 3]) await fixture.vote(proposalId, voter);
    const changed = await change(fixture, domainId);
    expect([200, 201]).toContain(changed.status);
    expect(changed.body).toMatchObject({ verificationStatus: "AwaitingVerification", openProposalId: null });
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "superseded",
      outcomeReason: "content_changed",
      tally: { yes: 4 },
    });
    for (const voter of [0, 4])
      expect(refusal(await fixture.vote(proposalId, voter))).toEqual([409, "proposal_closed"]);
    const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
    expect(data[0]).toMatchObject({ action: "proposal-superseded", proposalId, reason: `changed: ${field}` });
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({ entityVerified: false, version: 3 });
  });

  test.each([
    ["a change of content", (fixture: RegistryFixture, id: string) => fixture.patch(id, { metadata: { tick: 1 } })],
    ["a material change", (fixture: RegistryFixture, id: string) => fixture.patch(id, { class: "did:ixo:protocol/x" })],
    [
      "deactivation",
      (fixture: RegistryFixture, id: string) =>
        fixture.ask("DELETE", `/v1/domains/${id}`, { key: fixture.controller, headers: anyVersion }),
    ],
  ])("%s keeps Revoked and Rejected as an earlier vote set them [RG-190]", async (_way, change) => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const revoked = await fixture.verified();
    const revoke = { kind: "revoke", reason: "Fraud", package: null };
    await fixture.vote(await fixture.propose(revoked, revoke), 0);
    const rejected = await fixture.domain();
    await fixture.vote(await fixture.propose(rejected), 0, "no");
    for (const [domainId, status] of [
      [revoked, "Revoked"],
      [rejected, "Rejected"],
    ] as const) {
      const proposalId = await fixture.propose(domainId);
      expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({ verificationStatus: "UnderVote" });
      const changed = await change(fixture, domainId);
      expect(changed).toMatchObject({ status: 200, body: { verificationStatus: status, openProposalId: null } });
      const record = await fixture.read(`/v1/domains/${domainId}`);
      expect(record).toMatchObject({ verificationStatus: status, versionId: changed.body.versionId });
      const { versionId, ...shown } = record;
      expect(versionId).toBe(await digestOf(shown));
      const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
      expect(data[0]).toMatchObject({ proposalId });
      expect(data[0].changes).toContainEqual({ path: "/verificationStatus", from: "UnderVote", to: status });
      const query = `{ entity(id: "${domainId}") { verificationStatus } }`;
      expect((await fixture.ask("POST", "/graphql", { body: { query } })).body.data.entity).toEqual({
        verificationStatus: status,
      });
      const listed = await fixture.read(`/v1/domains?verificationStatus=${status}&owner=${fixture.controllerDid}`);
      expect(listed.data.map(({ id }: { id: string }) => id)).toContain(domainId);
    }
  });

  test("a change of class is still a material change", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    await fixture.patch(domainId, { class: "did:ixo:protocol/other", metadata: { name: "Other" } });
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "superseded",
      outcomeReason: "material_change",
    });
    const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
    expect(data[0].reason).toBe("changed: class, metadata");
  });

  test("changes outside the content leave it open: suspension, and a patch that changes nothing", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    for (const body of [{ metadata: {} }, { status: "suspended" }, { status: "active" }]) {
      expect((await fixture.patch(domainId, body)).status).toBe(200);
    }
    expect((await fixture.vote(proposalId, 0)).status).toBe(201);
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
      verificationStatus: "Verified",
      verifiedVersion: 1,
      changedSinceVerification: [],
    });
  });

  test("the proposal contains the version and digests of everything that its voters see [RG-89]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const digests = async (more: object) => {
      const proposalId = await fixture.propose(await fixture.domain(more));
      return (await fixture.read(`/v1/proposals/${proposalId}`)).package.domain;
    };
    const bare = await digests({});
    const full = await digests({ credentials: ["urn:c:1"], accounts: [{ name: "a", address: "b" }], externalId: "x" });
    expect(bare).toMatchObject({ version: 1, externalId: null, contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(full.externalId).toBe("x");
    expect(full.metadataHash).toBe(bare.metadataHash);
    for (const name of ["contentHash", "credentialsHash", "accountsHash"]) expect(full[name]).not.toBe(bare[name]);
  });
});

describe("a change concurrent with the deciding vote [RG-98]", () => {
  const metadata = { metadata: { name: "Other" } };

  test("the change first: the vote comes too late", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => patch(metadata)(fixture, domainId)) });
    const late = await edge.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: fixture.voters[0] ?? "",
      body: { option: "yes" },
    });
    expect(refusal(late)).toEqual([409, "proposal_closed"]);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("AwaitingVerification");
  });

  test("the vote first: the change comes after the verification [RG-95]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0)) });
    const changed = await edge.ask("PATCH", `/v1/domains/${domainId}`, {
      key: fixture.controller,
      headers: anyVersion,
      body: metadata,
    });
    expect(changed.body).toMatchObject({
      verificationStatus: "Verified",
      verifiedVersion: 1,
      changedSinceVerification: ["metadata"],
      version: 4,
    });
  });

  test("twenty times over: verified content without a mark is what the voters saw", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const seen = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const domainId = await fixture.domain();
      const proposalId = await fixture.propose(domainId);
      const race = [() => patch(metadata)(fixture, domainId), () => fixture.vote(proposalId, 0)];
      await Promise.all((round % 2 === 0 ? race : race.toReversed()).map((start) => start()));
      const domain = await fixture.read(`/v1/domains/${domainId}`);
      expect(domain.name).toBe("Other");
      seen.add(`${domain.verificationStatus} ${domain.changedSinceVerification}`);
    }
    const sound = new Set(["AwaitingVerification ", "Verified metadata"]);
    expect([...seen].filter((outcome) => !sound.has(outcome))).toEqual([]);
  });

  test("a statement that stores a vote refuses it for content that its proposal does not name", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    // A writer that ignores the rule.
    await DATABASE.prepare("UPDATE domains SET content_version = 2, metadata = '{}' WHERE id = ?").bind(domainId).run();
    expect((await fixture.vote(proposalId, 0)).status).toBe(409);
    expect((await fixture.read(`/v1/proposals/${proposalId}`)).tally.cast).toBe(0);
  });
});

describe("after the verification", () => {
  test.each(changes.filter(([way]) => way !== "PATCH validUntil"))(
    "%s is marked everywhere",
    async (_, field, change) => {
      const fixture = await createRegistryFixture(DATABASE, [1]);
      const domainId = await fixture.verified();
      await change(fixture, domainId);
      const marked = { verifiedVersion: 1, changedSinceVerification: [field] };
      expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
        verificationStatus: "Verified",
        ...marked,
      });
      expect((await fixture.read(`/v1/domains/${domainId}/card`)).credentialSubject).toMatchObject(marked);
      const query = `{ entity(id: "${domainId}") { entityVerified verifiedVersion changedSinceVerification } }`;
      const { body } = await fixture.ask("POST", "/graphql", { body: { query } });
      expect(body.data.entity).toEqual({ entityVerified: true, ...marked });
      const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
      expect(data[0].action).toBe("updated");
      expect(data[0].changes).toContainEqual({ path: "/changedSinceVerification/0", from: null, to: field });
      expect((await fixture.read(`/v1/domains/${domainId}/history/4`)).record).toMatchObject(marked);
    },
  );

  test("the mark is removed when the content is again as verified, and grows with each other field", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified({ externalId: "x" });
    const { metadata } = await fixture.read(`/v1/domains/${domainId}`);
    const marks = async (body: object) => (await fixture.patch(domainId, body)).body.changedSinceVerification;
    expect(await marks({ externalId: "y" })).toEqual(["externalId"]);
    expect(await marks({ metadata: { name: "Other" } })).toEqual(["metadata", "externalId"]);
    expect(await marks({ externalId: "x" })).toEqual(["metadata"]);
    expect(await marks({ metadata })).toEqual([]);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verifiedVersion).toBe(1);
  });

  test("class, controllers and relayer node end it, and with it the verified version [RG-96]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    for (const body of [
      { class: "did:ixo:protocol/other" },
      { controllers: [fixture.controllerDid, "did:web:second.test"] },
      { relayerNode: "did:ixo:entity:relayer" },
    ]) {
      const domainId = await fixture.verified();
      await fixture.patch(domainId, { metadata: { name: "Other" } });
      expect((await fixture.patch(domainId, body)).body).toMatchObject({
        verificationStatus: "AwaitingVerification",
        verifiedVersion: null,
        changedSinceVerification: [],
      });
    }
  });

  test("switching on allowed services does not change the verified content", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    await fixture.ask("PUT", `/v1/domains/${domainId}/services/issuance`, {
      key: fixture.controller,
      body: { enabled: true },
    });
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({ version: 4, changedSinceVerification: [] });
  });

  test("a second vote stores its own version", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    await fixture.patch(domainId, { class: "did:ixo:protocol/other" });
    await fixture.vote(await fixture.propose(domainId), 0);
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
      verificationStatus: "Verified",
      verifiedVersion: 4,
      version: 6,
    });
  });
});
