/** Downstream services and eligibility: contract/registry.md sections 6.6 and 6.7, vectors L1, L2, L5 and L9. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createCourt, type Court } from "../../support/registry-court.ts";

const { DATABASE } = env;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

async function put(court: Court, domainId: string, name: string, enabled: unknown, key = court.controller) {
  return court.ask("PUT", `/v1/domains/${domainId}/services/${name}`, { key, body: { enabled } });
}
async function revoke(court: Court, domainId: string): Promise<void> {
  const proposalId = await court.propose(domainId, { kind: "revoke", reason: "Fraud" });
  for (const voter of court.voters.keys()) await court.vote(proposalId, voter);
}

test("L1: a service can be had once a vote has verified the domain, and not before", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.domain();
  const early = await put(court, domainId, "issuance", true);
  expect(refusal(early)).toEqual([409, "not_eligible"]);
  expect(early.body.errors).toMatchObject([{ code: "awaiting_verification" }]);
  const proposalId = await court.propose(domainId);
  expect((await put(court, domainId, "issuance", true)).body.errors).toMatchObject([{ code: "under_vote" }]);
  await court.vote(proposalId, 0);
  court.edge.clock.now += 1_000;
  const on = { enabled: true, enabledAt: "2026-11-21T09:00:01Z", disabledAt: null, disabledReason: null };
  expect(await put(court, domainId, "issuance", true)).toMatchObject({ status: 200, body: on });
  expect(await court.read(`/v1/domains/${domainId}/services/issuance`)).toEqual(on);
  expect(await court.read(`/v1/domains/${domainId}/eligibility`)).toEqual({
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
  const reporting = await court.read(`/v1/domains/${domainId}/eligibility?activity=reporting`);
  expect(reporting).toMatchObject({ eligible: false, reasons: [{ code: "service_disabled" }] });
});

test("repeating a state is no version; off always works", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.verified();
  const first = await put(court, domainId, "reporting", true);
  court.edge.clock.now += 1_000;
  expect((await put(court, domainId, "reporting", true)).body).toEqual(first.body);
  expect((await put(court, domainId, "reporting", false, court.admin)).body).toEqual({
    enabled: false,
    enabledAt: "2026-11-21T09:00:00Z",
    disabledAt: "2026-11-21T09:00:01Z",
    disabledReason: "switched_off",
  });
  await revoke(court, domainId);
  expect((await put(court, domainId, "reporting", false)).status).toBe(200);
  expect(await court.history(domainId)).toEqual([
    "created",
    "proposal-opened",
    "verified",
    "service-enabled",
    "service-disabled",
    "proposal-opened",
    "revoked",
  ]);
});

test("L2: metadata leaves a verification alone, a class ends it and the services with it, in one step", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.verified();
  await put(court, domainId, "issuance", true);
  const named = await court.patch(domainId, { metadata: { name: "New" } });
  expect(named.body).toMatchObject({ verificationStatus: "Verified", version: 5 });
  const moved = await court.patch(domainId, { class: "did:ixo:protocol/other" });
  expect(moved.body).toMatchObject({ verificationStatus: "AwaitingVerification", verifiedAt: null, version: 6 });
  expect(moved.body.services.issuance).toMatchObject({ enabled: false, disabledReason: "verification_lost" });
  const { data } = await court.read(`/v1/domains/${domainId}/history?limit=1`);
  expect(data[0]).toMatchObject({ action: "verification-lost", version: 6, reason: "changed: class" });
});

test("L5: a passed revocation takes the services; the next verification does not bring them back", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.verified();
  await put(court, domainId, "issuance", true);
  const proposalId = await court.propose(domainId, { kind: "revoke", reason: "Fraud" });
  expect(await court.read(`/v1/domains/${domainId}`)).toMatchObject({
    verificationStatus: "Verified",
    services: { issuance: { enabled: true } },
  });
  await court.vote(proposalId, 0);
  const revoked = await court.read(`/v1/domains/${domainId}`);
  expect(revoked).toMatchObject({ verificationStatus: "Revoked", verifiedAt: null, entityVerified: false });
  expect(revoked.services.issuance).toMatchObject({ enabled: false, disabledReason: "verification_lost" });
  expect(refusal(await put(court, domainId, "issuance", true))).toEqual([409, "not_eligible"]);
  await court.vote(await court.propose(domainId), 0);
  const verified = await court.read(`/v1/domains/${domainId}`);
  expect(verified).toMatchObject({ verificationStatus: "Verified", services: { issuance: { enabled: false } } });
});

test("suspension takes the services and leaves the verification, deactivation takes both", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.verified();
  await put(court, domainId, "issuance", true);
  const suspended = await court.patch(domainId, { status: "suspended" });
  expect(suspended.body).toMatchObject({ verificationStatus: "Verified" });
  expect(suspended.body.services.issuance).toMatchObject({ enabled: false, disabledReason: "suspended" });
  expect((await put(court, domainId, "issuance", true)).body.errors).toMatchObject([{ code: "suspended" }]);
  await court.patch(domainId, { status: "active" });
  await put(court, domainId, "issuance", true);
  const headers = { "If-Match": "*" };
  const gone = await court.ask("DELETE", `/v1/domains/${domainId}`, { key: court.controller, headers });
  expect(gone.body.services.issuance).toMatchObject({ enabled: false, disabledReason: "deactivated" });
  expect((await court.read(`/v1/domains/${domainId}/eligibility`)).reasons).toMatchObject([
    { code: "deactivated" },
    { code: "awaiting_verification" },
  ]);
});

test("services are for those who may change the domain, and there are two of them", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.verified();
  const stranger = await court.edge.keyOf("did:web:stranger.test", ["domains:write"]);
  expect(refusal(await put(court, domainId, "issuance", true, stranger))).toEqual([403, "not_controller"]);
  expect(refusal(await put(court, domainId, "issuance", true, court.voters[0]))).toEqual([403, "insufficient_scope"]);
  expect(refusal(await put(court, domainId, "mining", true))).toEqual([404, "not_found"]);
  expect(refusal(await put(court, `did:ixo:entity:${"0".repeat(32)}`, "issuance", true))).toEqual([404, "not_found"]);
  expect(refusal(await put(court, domainId, "issuance", "yes"))).toEqual([400, "validation_failed"]);
  const query = `/v1/domains/${domainId}/eligibility?activity=mining`;
  expect(refusal(await court.ask("GET", query, { key: court.controller }))).toEqual([400, "validation_failed"]);
});

test("L9: nobody sets a verification status, an admin neither", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.domain();
  const patched = await court.ask("PATCH", `/v1/domains/${domainId}`, {
    key: court.admin,
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
  const created = await court.ask("POST", "/v1/domains", { key: court.controller, body });
  expect(created).toMatchObject({ status: 201, body: { verificationStatus: "AwaitingVerification" } });
  expect(created.body.services.issuance.enabled).toBe(false);
});
