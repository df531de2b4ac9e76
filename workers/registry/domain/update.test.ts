/** The effect of an update on a verification, and who can lift a suspension. */
import { describe, expect, test } from "vitest";
import type { Scope } from "../caller.ts";
import { createDomain } from "./creation.ts";
import type { DomainRecord, ServiceState } from "./domain.ts";
import { updateDomain } from "./update.ts";
import { deactivationStep, isMaterialField } from "./verification-loss.ts";

const OWNER = "did:web:owner.test";
const AT = Date.parse("2026-11-21T09:00:00Z");
const on: ServiceState = { enabled: true, enabledAt: "2026-11-20T00:00:00Z", disabledAt: null, disabledReason: null };

async function verified(more: Partial<DomainRecord> = {}): Promise<DomainRecord> {
  const birth = { id: `did:ixo:entity:${"0".repeat(32)}`, creator: OWNER, at: AT - 1000, relayerNode: undefined };
  const body = { type: "t", class: "did:a:b", metadata: { place: { town: "Zug" } }, controllers: [OWNER, "did:c:d"] };
  const created = await createDomain(body, birth);
  if (!created.ok) throw new Error(created.error.message);
  return {
    ...created.value.after,
    verificationStatus: "Verified",
    verifiedAt: "2026-11-20T00:00:00Z",
    services: { reporting: { ...on, enabled: false }, issuance: on },
    ...more,
  };
}

async function update(
  before: DomainRecord,
  patch: object,
  materialFields: readonly string[] = [],
  scopes: readonly Scope[] = [],
) {
  const updated = await updateDomain(before, { ...patch }, { actor: { did: OWNER, scopes }, at: AT, materialFields });
  if (!updated.ok) throw new Error(JSON.stringify(updated.error));
  return updated.value;
}

describe("a material change of a verified domain [RG-96]", () => {
  test.each([
    ["class", { class: "did:a:other" }, []],
    ["controllers", { controllers: [OWNER] }, []],
    ["relayerNode", { relayerNode: "did:r:n" }, []],
    ["validUntil", { validUntil: "2030-01-01" }, ["validFrom", "validUntil"]],
    ["metadata/place/town", { metadata: { place: { town: "Bern" } } }, ["/place/town"]],
    ["linkedEntity", { document: { linkedEntity: [{ id: "#e", type: "t" }] } }, ["linkedEntity"]],
  ])("a change of %s ends its verification in the same step", async (field, patch, materialFields) => {
    const before = await verified();
    const step = await update(before, patch, materialFields);
    expect(step).toMatchObject({ action: "verification-lost", reason: expect.stringContaining(field) });
    expect(step?.after).toMatchObject({
      verificationStatus: "AwaitingVerification",
      verifiedAt: null,
      version: before.version + 1,
      services: {
        reporting: { enabled: false, disabledAt: null },
        issuance: { enabled: false, disabledAt: "2026-11-21T09:00:00Z", disabledReason: "verification_lost" },
      },
    });
  });

  test("supersedes a vote to verify it, and leaves a vote to revoke its verification open", async () => {
    const revoking = await update(await verified({ openProposalId: "prp_1" }), { class: "did:a:other" });
    expect(revoking).toMatchObject({
      action: "verification-lost",
      after: { verificationStatus: "AwaitingVerification", openProposalId: "prp_1" },
    });
    const voting = await verified({ verificationStatus: "UnderVote", verifiedAt: null, openProposalId: "prp_2" });
    expect(await update(voting, { class: "did:a:other" })).toMatchObject({
      action: "proposal-superseded",
      proposalId: "prp_2",
      after: { verificationStatus: "AwaitingVerification", openProposalId: null },
    });
  });
});

test.each([
  ["metadata", { metadata: { place: { town: "Bern" } } }],
  ["controllers in another order", { controllers: ["did:c:d", OWNER] }],
  ["validUntil", { validUntil: "2030-01-01" }],
  ["status", { status: "suspended" }],
])("a change of %s keeps the verification", async (_what, patch) => {
  const step = await update(await verified({ openProposalId: "prp_1" }), patch);
  expect(step?.after).toMatchObject({ verificationStatus: "Verified", openProposalId: "prp_1" });
});

test.each(["AwaitingVerification", "Rejected", "Revoked"] as const)(
  "a change of %s is no change",
  async (verificationStatus) => {
    const step = await update(await verified({ verificationStatus, verifiedAt: null }), { class: "did:a:other" });
    expect(step).toMatchObject({ action: "updated", after: { verificationStatus } });
  },
);

test("suspension switches services off and keeps the verification, deactivation ends both", async () => {
  const suspended = await update(await verified(), { status: "suspended" }, [], ["registry:admin"]);
  expect(suspended).toMatchObject({
    action: "suspended",
    after: {
      suspendedBy: "admin",
      verificationStatus: "Verified",
      services: { issuance: { disabledReason: "suspended" } },
    },
  });
  const gone = await deactivationStep(await verified({ openProposalId: "prp_1" }), OWNER, AT);
  expect(gone).toMatchObject({
    action: "deactivated",
    after: {
      status: "deactivated",
      verificationStatus: "AwaitingVerification",
      verifiedAt: null,
      openProposalId: "prp_1",
      services: { issuance: { disabledReason: "deactivated" } },
    },
  });
});

test("a vote that cannot complete is not shown as running", async () => {
  const voting = await verified({ verificationStatus: "UnderVote", verifiedAt: null, openProposalId: "prp_2" });
  expect(await deactivationStep(voting, OWNER, AT)).toMatchObject({
    after: { verificationStatus: "AwaitingVerification" },
  });
});

describe("a suspension by an admin [RG-68]", () => {
  const suspendedBy = (by: "controller" | "admin") => verified({ status: "suspended", suspendedBy: by });

  test("overrides the controller's own suspension, and the controller cannot lift it", async () => {
    const step = await update(await suspendedBy("controller"), { status: "suspended" }, [], ["registry:admin"]);
    expect(step).toMatchObject({ action: "suspended", after: { suspendedBy: "admin", version: 2 } });
    const lifted = await updateDomain(
      step?.after ?? (await suspendedBy("admin")),
      { status: "active" },
      { actor: { did: OWNER, scopes: ["domains:write"] }, at: AT, materialFields: [] },
    );
    expect(lifted).toMatchObject({ ok: false, error: { reason: "suspended_by_admin" } });
  });

  test("remains an admin's suspension when the controller suspends too, and when the admin repeats it", async () => {
    expect(await update(await suspendedBy("admin"), { status: "suspended" })).toBeUndefined();
    expect(await update(await suspendedBy("admin"), { status: "suspended" }, [], ["registry:admin"])).toBeUndefined();
    expect(await update(await suspendedBy("controller"), { status: "suspended" })).toBeUndefined();
  });
});

test("times of versions never decrease", async () => {
  const step = await update(await verified({ updatedAt: "2026-11-21T10:00:00Z" }), { metadata: { n: 1 } });
  expect(step?.after.updatedAt).toBe("2026-11-21T10:00:00Z");
});

test("settings can name times, lists of the document and pointers into the metadata", () => {
  expect(["validFrom", "service", "/a/b", "/a~1b"].filter(isMaterialField)).toHaveLength(4);
  expect(["", "status", "a", "/", "/a~2"].filter(isMaterialField)).toEqual(["/"]);
});
