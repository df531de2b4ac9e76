/** A revocation cannot be avoided, and a deactivated domain is verified nowhere: docs/decisions/005-registry.md. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createAuthenticator } from "../../../platform/auth/authenticator.ts";
import { createDidResolver, KNOWN_KEYS_LIFETIME } from "../../../platform/auth/did-resolver.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { createRegistryFixture, interrupted, type RegistryFixture } from "../../support/registry/fixture.ts";
import { mintInvocation, signer } from "../../support/auth/ucan.ts";

const { DATABASE } = env;
const ORACLE = "did:ixo:ixo1oracletest";
const NO_KEYS = { verificationMethod: [], authentication: [] };
const PERIOD = 72 * 3_600_000;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const revoke = { kind: "revoke", title: "Revoke", reason: "Fraud", package: null };
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const deactivate = (fixture: RegistryFixture, domainId: string, edge = fixture.edge) =>
  edge.ask("DELETE", `/v1/domains/${domainId}`, { key: fixture.controller, headers: { "If-Match": "*" } });
const directoryOf = (fixture: RegistryFixture) =>
  createDomainDirectory({ database: DATABASE, clock: () => fixture.edge.clock.now, log });

/** Every response that could call the domain verified. */
async function verdicts(fixture: RegistryFixture, domainId: string) {
  const domain = await fixture.read(`/v1/domains/${domainId}`);
  const card = await fixture.read(`/v1/domains/${domainId}/card`);
  const query = `{ entity(id: "${domainId}") { entityVerified verificationStatus verifiedAt }
    entities(filter: { id: { equalTo: "${domainId}" }, entityVerified: { equalTo: true } }) { totalCount } }`;
  const { data } = (await fixture.ask("POST", "/graphql", { body: { query } })).body;
  const listed = await fixture.read(`/v1/domains?verificationStatus=Verified&owner=${fixture.controllerDid}`);
  const exported = await fixture.edge.call("GET", `/v1/export?owner=${fixture.controllerDid}`, { key: fixture.admin });
  const lines = (await exported.text()).split("\n").filter((line) => line.includes(domainId));
  const directory = directoryOf(fixture);
  const [summary, entity] = [await directory.get(domainId), await directory.entity(domainId)];
  return {
    rest: [domain.verificationStatus, domain.entityVerified, domain.verifiedAt, domain.verifiedVersion],
    card: [card.credentialSubject.verificationStatus, card.credentialSubject.entityVerified],
    graphql: [data.entity.verificationStatus, data.entity.entityVerified, data.entity.verifiedAt],
    filtered: data.entities.totalCount,
    listed: listed.data.filter(({ id }: { id: string }) => id === domainId).length,
    exported: lines.filter((line) => line.includes('"entityVerified":true')).length,
    summary: summary.ok && summary.value.verification,
    entity: entity.ok && entity.value.value?.isVerified,
  };
}

const unverified = (status: string) => ({
  rest: [status, false, null, null],
  card: [status, false],
  graphql: [status, false, null],
  filtered: 0,
  listed: 0,
  exported: 0,
  summary: status,
  entity: false,
});

describe("a revocation under vote continues [RG-97]", () => {
  test("after the deactivation of the domain, which is verified nowhere meanwhile, and revokes it if it passes", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    const proposalId = await fixture.propose(domainId, revoke);
    expect((await deactivate(fixture, domainId)).body).toMatchObject({
      status: "deactivated",
      verificationStatus: "AwaitingVerification",
      entityVerified: false,
      openProposalId: proposalId,
    });
    expect(await verdicts(fixture, domainId)).toEqual(unverified("AwaitingVerification"));
    expect((await fixture.vote(proposalId, 0)).status).toBe(201);
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ state: "passed" });
    expect(await verdicts(fixture, domainId)).toEqual(unverified("Revoked"));
    expect((await fixture.history(domainId)).slice(-2)).toEqual(["deactivated", "revoked"]);
  });

  test.each([
    ["class", { class: "did:ixo:protocol/other" }],
    ["relayerNode", { relayerNode: "did:ixo:entity:relayer" }],
    ["controllers", { controllers: ["did:web:stranger.test"] }],
  ])("after a change of %s, which itself ends the verification", async (_name, body) => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    await fixture.ask("PUT", `/v1/domains/${domainId}/services/issuance`, {
      key: fixture.controller,
      body: { enabled: true },
    });
    const proposalId = await fixture.propose(domainId, revoke);
    const changed = await fixture.patch(domainId, body);
    expect(changed.body).toMatchObject({
      verificationStatus: "AwaitingVerification",
      openProposalId: proposalId,
      services: { issuance: { enabled: false, disabledReason: "verification_lost" } },
    });
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ state: "open" });
    await fixture.vote(proposalId, 0);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("Revoked");
    expect((await fixture.history(domainId)).slice(-2)).toEqual(["verification-lost", "revoked"]);
  });

  test.each(["reject", "expire", "withdraw"])(
    "and if it fails (%s), it does not restore a verification that has ended meanwhile",
    async (end) => {
      const fixture = await createRegistryFixture(DATABASE, [1]);
      for (const close of [
        (id: string) => fixture.patch(id, { class: "did:ixo:protocol/other" }),
        (id: string) => deactivate(fixture, id),
      ]) {
        const domainId = await fixture.verified();
        const proposalId = await fixture.propose(domainId, revoke);
        await close(domainId);
        if (end === "reject") await fixture.vote(proposalId, 0, "no");
        if (end === "expire") fixture.edge.clock.now += PERIOD;
        if (end === "withdraw") {
          await fixture.ask("POST", `/v1/proposals/${proposalId}/withdraw`, { key: fixture.proposer });
        }
        expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
          verificationStatus: "AwaitingVerification",
          openProposalId: null,
          verifiedAt: null,
        });
      }
    },
  );

  test("even if the deactivation and the deciding vote are concurrent, whichever is first", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    for (let round = 0; round < 10; round += 1) {
      const domainId = await fixture.verified();
      const proposalId = await fixture.propose(domainId, revoke);
      const race = [() => deactivate(fixture, domainId), () => fixture.vote(proposalId, 0)];
      const answers = await Promise.all((round % 2 === 0 ? race : race.toReversed()).map((start) => start()));
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 201]);
      expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
        status: "deactivated",
        verificationStatus: "Revoked",
        openProposalId: null,
      });
    }
  });

  test("a vote that decides between reading and writing the deactivation is in the domain's history", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    const proposalId = await fixture.propose(domainId, revoke);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0)) });
    expect((await deactivate(fixture, domainId, edge)).status).toBe(200);
    expect((await fixture.history(domainId)).slice(-2)).toEqual(["revoked", "deactivated"]);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("Revoked");
  });
});

describe("a new revocation [RG-91]", () => {
  const proposed = (fixture: RegistryFixture, domainId: string) =>
    fixture.ask("POST", `/v1/domains/${domainId}/proposals`, { key: fixture.proposer, body: revoke });

  test("is possible for a domain that was verified when it was deactivated, until one passes", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    await deactivate(fixture, domainId);
    const first = await proposed(fixture, domainId);
    expect(first.status).toBe(201);
    await fixture.vote(first.body.id, 0, "no");
    const second = await proposed(fixture, domainId);
    expect(second.status).toBe(201);
    await fixture.vote(second.body.id, 0);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("Revoked");
    expect(refusal(await proposed(fixture, domainId))).toEqual([409, "not_verified"]);
  });

  test("is possible if a change has ended the verification before the deactivation", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    await fixture.patch(domainId, { relayerNode: "did:ixo:entity:relayer" });
    expect(refusal(await proposed(fixture, domainId))).toEqual([409, "not_verified"]);
    await deactivate(fixture, domainId);
    const opened = await proposed(fixture, domainId);
    expect(opened.status).toBe(201);
    await fixture.vote(opened.body.id, 0);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("Revoked");
  });

  test("is possible for a verified domain whose validity has ended, even if its controller ended it", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified();
    await fixture.patch(domainId, { validUntil: "2026-11-21T08:00:00Z" });
    const opened = await proposed(fixture, domainId);
    expect(opened.status).toBe(201);
    await fixture.vote(opened.body.id, 0);
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("Revoked");
  });

  test("is refused if there is nothing to revoke", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const never = await fixture.domain();
    await deactivate(fixture, never);
    expect(refusal(await proposed(fixture, never))).toEqual([409, "not_verified"]);
    const body = { title: "Verify", package: {} };
    const verify = await fixture.ask("POST", `/v1/domains/${never}/proposals`, { key: fixture.proposer, body });
    expect(refusal(verify)).toEqual([409, "domain_not_active"]);
  });
});

test("a domain that an older release left deactivated and verified reads as not verified, and is stored so", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  await DATABASE.prepare("UPDATE domains SET status = 'deactivated' WHERE id = ?").bind(domainId).run();
  await fixture.finalise();
  expect(await verdicts(fixture, domainId)).toEqual(unverified("AwaitingVerification"));
  expect((await fixture.history(domainId)).at(-1)).toBe("verification-lost");
});

describe("the keys of a domain [RG-135]", () => {
  test("are returned by the port until it is deactivated, and then nowhere", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const { document } = directoryOf(fixture);
    expect((await document(domainId)).ok).toBe(true);
    await fixture.patch(domainId, { status: "suspended" });
    expect((await document(domainId)).ok).toBe(true);
    await deactivate(fixture, domainId);
    expect(await document(domainId)).toMatchObject({ ok: false, error: { code: "gone" } });
    expect((await fixture.ask("GET", `/1.0/identifiers/${domainId}`)).status).toBe(410);
  });

  test.each([
    ["deactivated", (fixture: RegistryFixture, id: string) => deactivate(fixture, id)],
    ["without the key", (fixture: RegistryFixture, id: string) => fixture.patch(id, { document: NO_KEYS })],
  ])("sign in to the oracle for at most a minute after it is %s, even with a cached token [RG-159]", async (_, end) => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const multibase = (await signer(7)).did().slice("did:key:".length);
    const key = { id: "#key-1", type: "Ed25519VerificationKey2020", publicKeyMultibase: multibase };
    const domainId = await fixture.domain({ document: { verificationMethod: [key], authentication: ["#key-1"] } });
    const { document } = directoryOf(fixture);
    const clock = () => fixture.edge.clock.now;
    const authenticator = createAuthenticator({
      audiences: [ORACLE],
      resolver: createDidResolver({ document, fetch, clock }),
      clock,
    });
    const expiration = Math.floor(clock() / 1000) + 3_600;
    const invocation = await mintInvocation(await signer(7, domainId), ORACLE, expiration);
    const signsIn = async () => (await authenticator.authenticateTokens({ invocation })).ok;
    expect(await signsIn()).toBe(true);
    await end(fixture, domainId);
    fixture.edge.clock.now += KNOWN_KEYS_LIFETIME - 1;
    expect(await signsIn()).toBe(true);
    fixture.edge.clock.now += 1;
    expect(await signsIn()).toBe(false);
  });
});
