/** How time and votes change a domain. */
import { describe, expect, test } from "vitest";
import { createDomain } from "../domain/creation.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { printTime } from "../domain/time.ts";
import type { Ballot } from "./proposal.ts";
import { withService } from "../domain/services.ts";
import { effectiveState } from "./effective-state.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const HOUR = 3_600_000;
const rules = {
  quorumBp: 3_340,
  thresholdBp: 5_000,
  vetoBp: 3_340,
  votingPeriodSeconds: 7_200,
  allowRevote: false,
  excludedVoters: "none",
} as const;

async function domainWith(changed: Partial<DomainRecord>): Promise<DomainRecord> {
  const birth = { id: `did:ixo:entity:${"1".repeat(32)}`, creator: "did:x:c", at: start, relayerNode: undefined };
  const born = await createDomain({ type: "Project", class: "did:x:y" }, birth);
  if (!born.ok) throw new Error(born.error.message);
  return { ...born.value.after, ...changed };
}

function ballot(more: Partial<Ballot>): Ballot {
  return {
    id: "prp_1",
    domainId: "",
    kind: "verify",
    state: "open",
    outcomeReason: null,
    rules,
    totalPower: 10,
    tally: { yes: 4, no: 0, abstain: 0, noWithVeto: 0 },
    createdAt: start,
    endsAt: start + 2 * HOUR,
    dueAt: start + 2 * HOUR,
    decidedAt: null,
    decidedEarly: false,
    domainVersion: 1,
    content: null,
    previousStatus: "AwaitingVerification",
    ...more,
  };
}

const underVote = { verificationStatus: "UnderVote", openProposalId: "prp_1" } as const;
const never = { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null };
const issuing = withService({ reporting: never, issuance: never }, "issuance", true, start);

describe("the end of a vote", () => {
  test("comes at votingEndsAt, not a millisecond before [RG-108]", async () => {
    const domain = await domainWith(underVote);
    const before = await effectiveState({ domain, proposal: ballot({}) }, start + 2 * HOUR - 1);
    expect(before).toMatchObject({ due: [], proposal: { state: "open" } });
    const at = await effectiveState({ domain, proposal: ballot({}) }, start + 2 * HOUR);
    const decidedAt = printTime(start + 2 * HOUR);
    expect(at.proposal).toMatchObject({ state: "passed", decidedAt: start + 2 * HOUR, decidedEarly: false });
    expect(at.domain).toMatchObject({ verificationStatus: "Verified", verifiedAt: decidedAt, updatedAt: decidedAt });
    expect(at.due.map(({ action, actor }) => [action, actor])).toEqual([["verified", "system"]]);
    expect(await effectiveState({ domain, proposal: ballot({}) }, start + 99 * HOUR)).toEqual(at);
  });

  test("is the time of the deciding vote if there is one, whatever the reader's clock shows", async () => {
    const domain = await domainWith(underVote);
    const decided = ballot({ tally: { yes: 7, no: 0, abstain: 0, noWithVeto: 0 }, dueAt: start + HOUR });
    const read = await effectiveState({ domain, proposal: decided }, start + HOUR - 1);
    expect(read.proposal).toMatchObject({ state: "passed", decidedAt: start + HOUR, decidedEarly: true });
    expect(read.due[0]?.reason).toBe("approved: yes 7, no 0, abstain 0, no with veto 0, of 10");
  });

  test.each([
    ["verify", { yes: 0, no: 4, abstain: 0, noWithVeto: 0 }, "Rejected", "rejected"],
    ["verify", { yes: 3, no: 0, abstain: 0, noWithVeto: 0 }, "Revoked", "proposal-expired"],
    ["revoke", { yes: 4, no: 0, abstain: 0, noWithVeto: 0 }, "Revoked", "revoked"],
    ["revoke", { yes: 0, no: 4, abstain: 0, noWithVeto: 0 }, "Verified", "revocation-rejected"],
    ["revoke", { yes: 0, no: 0, abstain: 0, noWithVeto: 0 }, "Verified", "proposal-expired"],
  ] as const)("%s with %o leaves %s", async (kind, tally, verificationStatus, action) => {
    const isRevocation = kind === "revoke";
    const domain = await domainWith({
      ...underVote,
      ...(isRevocation ? { verificationStatus: "Verified", verifiedAt: printTime(start), services: issuing } : {}),
    });
    const proposal = ballot({ kind, tally, previousStatus: isRevocation ? "Verified" : "Revoked" });
    const settled = await effectiveState({ domain, proposal }, start + 2 * HOUR);
    expect(settled.domain).toMatchObject({ verificationStatus, openProposalId: null, version: 2 });
    expect(settled.due.map((step) => step.action)).toEqual([action]);
    expect(settled.domain.services.issuance.enabled).toBe(isRevocation && verificationStatus === "Verified");
  });
});

describe("the end of validity", () => {
  const verified = { verificationStatus: "Verified", verifiedAt: printTime(start), services: issuing } as const;

  test("switches services off at validUntil, which becomes the record's time of change [RG-113]", async () => {
    const domain = await domainWith({ ...verified, validUntil: printTime(start + HOUR) });
    expect((await effectiveState({ domain, proposal: undefined }, start + HOUR - 1)).due).toEqual([]);
    const { domain: ended, due } = await effectiveState({ domain, proposal: undefined }, start + 5 * HOUR);
    const at = printTime(start + HOUR);
    expect(ended).toMatchObject({ version: 2, updatedAt: at, verificationStatus: "Verified" });
    expect(ended.services.issuance).toEqual({
      enabled: false,
      enabledAt: printTime(start),
      disabledAt: at,
      disabledReason: "validity_ended",
    });
    expect(due.map(({ action }) => action)).toEqual(["validity-ended"]);
  });

  test("changes nothing if every service is off", async () => {
    const domain = await domainWith({ validUntil: printTime(start) });
    expect((await effectiveState({ domain, proposal: undefined }, start + HOUR)).domain).toEqual(domain);
  });

  test.each([
    ["before the vote's", 1, ["validity-ended", "revoked"], "validity_ended"],
    ["with the vote's", 2, ["revoked"], "verification_lost"],
    ["after the vote's", 3, ["revoked"], "verification_lost"],
  ] as const)("%s, each event is one version in the order of their times", async (_when, hours, actions, reason) => {
    const domain = await domainWith({
      ...verified,
      openProposalId: "prp_1",
      validUntil: printTime(start + hours * HOUR),
    });
    const settled = await effectiveState({ domain, proposal: ballot({ kind: "revoke" }) }, start + 9 * HOUR);
    expect(settled.due.map(({ action }) => action)).toEqual(actions);
    expect(settled.domain.version).toBe(1 + actions.length);
    expect(settled.domain.services.issuance.disabledReason).toBe(reason);
  });

  test("comes before a vote that decides in the same millisecond, because a reader may have seen that version [RG-111]", async () => {
    const domain = await domainWith({ ...verified, openProposalId: "prp_1", validUntil: printTime(start + HOUR) });
    const read = await effectiveState({ domain, proposal: ballot({ kind: "revoke" }) }, start + HOUR);
    const tally = { yes: 7, no: 0, abstain: 0, noWithVeto: 0 };
    const voted = await effectiveState(
      { domain, proposal: ballot({ kind: "revoke", tally, dueAt: start + HOUR }) },
      start + HOUR,
    );
    expect(voted.due.map(({ action }) => action)).toEqual(["validity-ended", "revoked"]);
    expect(voted.due[0]?.after).toEqual(read.domain);
  });
});
