/** Downstream services and eligibility. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createRegistryFixture, type RegistryFixture } from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

async function put(
  fixture: RegistryFixture,
  domainId: string,
  name: string,
  enabled: unknown,
  key = fixture.controller,
) {
  return fixture.ask("PUT", `/v1/domains/${domainId}/services/${name}`, { key, body: { enabled } });
}
async function revoke(fixture: RegistryFixture, domainId: string): Promise<void> {
  const proposalId = await fixture.propose(domainId, { kind: "revoke", reason: "Fraud" });
  for (const voter of fixture.voters.keys()) await fixture.vote(proposalId, voter);
}

test("a service can be switched on after a vote has verified the domain, and not before [RG-112, RG-114]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.domain();
  const early = await put(fixture, domainId, "issuance", true);
  expect(refusal(early)).toEqual([409, "not_eligible"]);
  expect(early.body.errors).toMatchObject([{ code: "awaiting_verification" }]);
  const proposalId = await fixture.propose(domainId);
  expect((await put(fixture, domainId, "issuance", true)).body.errors).toMatchObject([{ code: "under_vote" }]);
  await fixture.vote(proposalId, 0);
  fixture.edge.clock.now += 1_000;
  const on = { enabled: true, enabledAt: "2026-11-21T09:00:01Z", disabledAt: null, disabledReason: null };
  expect(await put(fixture, domainId, "issuance", true)).toMatchObject({ status: 200, body: on });
  expect(await fixture.read(`/v1/domains/${domainId}/services/issuance`)).toEqual(on);
  expect(await fixture.read(`/v1/domains/${domainId}/eligibility`)).toEqual({
    domainId,
    eligible: true,
    reasons: [],
    status: "active",
    verificationStatus: "Verified",
    validFrom: null,
    validUntil: null,
    services: { reporting: { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null }, issuance: on },
    checkedAt: "2026-11-21T09:00:01Z",
  });
  const reporting = await fixture.read(`/v1/domains/${domainId}/eligibility?activity=reporting`);
  expect(reporting).toMatchObject({ eligible: false, reasons: [{ code: "service_disabled" }] });
});

test("repeating a state makes no version; switching off always works", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  const first = await put(fixture, domainId, "reporting", true);
  fixture.edge.clock.now += 1_000;
  expect((await put(fixture, domainId, "reporting", true)).body).toEqual(first.body);
  expect((await put(fixture, domainId, "reporting", false, fixture.admin)).body).toEqual({
    enabled: false,
    enabledAt: "2026-11-21T09:00:00Z",
    disabledAt: "2026-11-21T09:00:01Z",
    disabledReason: "switched_off",
  });
  await revoke(fixture, domainId);
  expect((await put(fixture, domainId, "reporting", false)).status).toBe(200);
  expect(await fixture.history(domainId)).toEqual([
    "created",
    "proposal-opened",
    "verified",
    "service-enabled",
    "service-disabled",
    "proposal-opened",
    "revoked",
  ]);
});

test("a change of metadata keeps a verification; a change of class ends it and the services, in one step [RG-95, RG-96]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  await put(fixture, domainId, "issuance", true);
  const named = await fixture.patch(domainId, { metadata: { name: "New" } });
  expect(named.body).toMatchObject({ verificationStatus: "Verified", version: 5 });
  const moved = await fixture.patch(domainId, { class: "did:ixo:protocol/other" });
  expect(moved.body).toMatchObject({ verificationStatus: "AwaitingVerification", verifiedAt: null, version: 6 });
  expect(moved.body.services.issuance).toMatchObject({ enabled: false, disabledReason: "verification_lost" });
  const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
  expect(data[0]).toMatchObject({ action: "verification-lost", version: 6, reason: "changed: class" });
});

test("a passed revocation switches the services off; the next verification does not switch them on [RG-113]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  await put(fixture, domainId, "issuance", true);
  const proposalId = await fixture.propose(domainId, { kind: "revoke", reason: "Fraud" });
  expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
    verificationStatus: "Verified",
    services: { issuance: { enabled: true } },
  });
  await fixture.vote(proposalId, 0);
  const revoked = await fixture.read(`/v1/domains/${domainId}`);
  expect(revoked).toMatchObject({ verificationStatus: "Revoked", verifiedAt: null, entityVerified: false });
  expect(revoked.services.issuance).toMatchObject({ enabled: false, disabledReason: "verification_lost" });
  expect(refusal(await put(fixture, domainId, "issuance", true))).toEqual([409, "not_eligible"]);
  await fixture.vote(await fixture.propose(domainId), 0);
  const verified = await fixture.read(`/v1/domains/${domainId}`);
  expect(verified).toMatchObject({ verificationStatus: "Verified", services: { issuance: { enabled: false } } });
});

test("suspension ends the services and keeps the verification, deactivation ends both [RG-68, RG-113]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  await put(fixture, domainId, "issuance", true);
  const suspended = await fixture.patch(domainId, { status: "suspended" });
  expect(suspended.body).toMatchObject({ verificationStatus: "Verified" });
  expect(suspended.body.services.issuance).toMatchObject({ enabled: false, disabledReason: "suspended" });
  expect((await put(fixture, domainId, "issuance", true)).body.errors).toMatchObject([{ code: "suspended" }]);
  await fixture.patch(domainId, { status: "active" });
  await put(fixture, domainId, "issuance", true);
  const headers = { "If-Match": "*" };
  const gone = await fixture.ask("DELETE", `/v1/domains/${domainId}`, { key: fixture.controller, headers });
  expect(gone.body.services.issuance).toMatchObject({ enabled: false, disabledReason: "deactivated" });
  expect((await fixture.read(`/v1/domains/${domainId}/eligibility`)).reasons).toMatchObject([
    { code: "deactivated" },
    { code: "awaiting_verification" },
  ]);
});

test("there are two services, for callers who can change the domain [RG-112]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.verified();
  const stranger = await fixture.edge.keyOf("did:web:stranger.test", ["domains:write"]);
  expect(refusal(await put(fixture, domainId, "issuance", true, stranger))).toEqual([403, "not_controller"]);
  expect(refusal(await put(fixture, domainId, "issuance", true, fixture.voters[0]))).toEqual([
    403,
    "insufficient_scope",
  ]);
  expect(refusal(await put(fixture, domainId, "mining", true))).toEqual([404, "not_found"]);
  expect(refusal(await put(fixture, `did:ixo:entity:${"0".repeat(32)}`, "issuance", true))).toEqual([404, "not_found"]);
  expect(refusal(await put(fixture, domainId, "issuance", "yes"))).toEqual([400, "validation_failed"]);
  const query = `/v1/domains/${domainId}/eligibility?activity=mining`;
  expect(refusal(await fixture.ask("GET", query, { key: fixture.controller }))).toEqual([400, "validation_failed"]);
});

test("no caller can set a verification status, not even an admin [RG-87]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.domain();
  const patched = await fixture.ask("PATCH", `/v1/domains/${domainId}`, {
    key: fixture.admin,
    headers: { "If-Match": "*" },
    body: { verificationStatus: "Verified" },
  });
  expect(refusal(patched)).toEqual([400, "read_only_field"]);
  const body = {
    type: "Project",
    class: "did:x:y",
    verificationStatus: "Verified",
    services: { issuance: { enabled: true } },
  };
  const created = await fixture.ask("POST", "/v1/domains", { key: fixture.controller, body });
  expect(created).toMatchObject({ status: 201, body: { verificationStatus: "AwaitingVerification" } });
  expect(created.body.services.issuance.enabled).toBe(false);
});
