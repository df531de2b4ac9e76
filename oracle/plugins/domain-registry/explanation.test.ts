/** The missing votes, checked against the registry's own arithmetic, and the text for every state. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { finalDecision } from "../../../shared/vote-tally.ts";
import { explainVerification, timeLeft } from "./explanation.ts";
import type { Domain, Proposal } from "./records.ts";
import { votesMissing } from "./votes-missing.ts";

const RUNS = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) };
const NOW = Date.parse("2026-11-21T09:00:00Z");

const domain: Domain = {
  id: `did:ixo:entity:${"1".repeat(32)}`,
  type: "Project",
  name: "Stoves",
  status: "active",
  controllers: ["did:key:zController"],
  validUntil: null,
  verificationStatus: "AwaitingVerification",
  verifiedAt: null,
  changedSinceVerification: [],
  openProposalId: null,
};
const rules = { quorumBp: 3340, thresholdBp: 5000, vetoBp: 3340, votingPeriodSeconds: 259_200 };
const proposal: Proposal = {
  id: "p1",
  kind: "verify",
  title: "Verify",
  state: "open",
  outcomeReason: null,
  rules,
  totalPower: 10,
  tally: { yes: 0, no: 0, abstain: 0, noWithVeto: 0, cast: 0 },
  votingEndsAt: "2026-11-23T12:00:00Z",
  decidedAt: null,
};
const explain = (change: Partial<Domain>, vote?: Partial<Proposal>, voterCount = 3) =>
  explainVerification({
    domain: { ...domain, ...change },
    proposal: vote === undefined ? undefined : { ...proposal, ...vote },
    rules: { rules, totalPower: 10, voterCount },
    userDid: "did:key:zController",
    now: NOW,
  });

const power = fc.integer({ min: 0, max: 1000 });
const ballots = fc.record({
  yes: power,
  no: power,
  abstain: power,
  noWithVeto: power,
  left: fc.integer({ min: 0, max: 4000 }),
  quorumBp: fc.integer({ min: 0, max: 10_000 }),
  thresholdBp: fc.integer({ min: 1, max: 10_000 }),
});

test("with the missing number of further yes votes, the vote has its share and its quorum; with one less it does not [OR-389]", () => {
  fc.assert(
    fc.property(ballots, ({ left, quorumBp, thresholdBp, ...tally }) => {
      const cast = tally.yes + tally.no + tally.abstain + tally.noWithVeto;
      // Another test covers vetoes.
      const limits = { quorumBp, thresholdBp, vetoBp: 10_000 };
      const missing = votesMissing({
        rules: { ...limits, votingPeriodSeconds: 60 },
        totalPower: cast + left,
        tally: { ...tally, cast },
      });
      const passesWith = (more: number): boolean =>
        finalDecision({ ...tally, yes: tally.yes + more }, cast + left, limits).state === "passed";
      // If no number of votes is enough, a huge number is not either.
      const needed = missing.yes === undefined ? 1_000_000 : Math.max(missing.yes, missing.toQuorum);
      expect([passesWith(needed), needed > 0 && passesWith(needed - 1)]).toEqual([missing.yes !== undefined, false]);
    }),
    RUNS,
  );
});

test("vetoes are outweighed by the missing number of votes, and not by one less [OR-389]", () => {
  fc.assert(
    fc.property(power, power, fc.integer({ min: 1, max: 10_000 }), (yes, noWithVeto, vetoBp) => {
      const limits = { quorumBp: 0, thresholdBp: 1, vetoBp };
      const tally = { yes, no: 0, abstain: 0, noWithVeto, cast: yes + noWithVeto };
      const { toOutweighVetoes } = votesMissing({
        rules: { ...limits, votingPeriodSeconds: 60 },
        totalPower: tally.cast,
        tally,
      });
      const isVetoedWith = (more: number): boolean =>
        finalDecision({ ...tally, yes: yes + more }, tally.cast + more, limits).reason === "vetoed";
      const oneLess = toOutweighVetoes === 0 || isVetoedWith(toOutweighVetoes - 1);
      expect([isVetoedWith(toOutweighVetoes), oneLess]).toEqual([false, true]);
    }),
    RUNS,
  );
});

test.each<[Partial<Domain>, Partial<Proposal> | undefined, string]>([
  [{}, undefined, '"Stoves" is not verified: it has not been proposed yet.'],
  [{ name: null }, undefined, "The domain is not verified: it has not been proposed yet."],
  [{}, { state: "withdrawn", outcomeReason: "mistake" }, '"Stoves" is not verified: the last proposal was withdrawn.'],
  [
    {},
    { state: "superseded", outcomeReason: "material_change" },
    '"Stoves" is not verified: the domain was changed during the vote.',
  ],
  [{}, { state: "expired", outcomeReason: "quorum_not_met" }, '"Stoves" is not verified: too few votes were cast.'],
  [
    { verificationStatus: "Rejected" },
    { state: "rejected", outcomeReason: "vetoed" },
    '"Stoves" is not verified: too many voters vetoed it.',
  ],
  [{}, { state: "rejected", outcomeReason: "of later times" }, '"Stoves" is not verified: the last vote did not pass.'],
  [
    { verificationStatus: "Revoked" },
    { kind: "revoke", state: "passed" },
    '"Stoves" is not verified: a vote revoked its verification.',
  ],
  [{}, { state: "passed" }, '"Stoves" is no longer verified: a change of the domain ended its verification.'],
  [
    { verificationStatus: "Verified", verifiedAt: "2026-11-01T00:00:00Z" },
    { state: "passed" },
    '"Stoves" is verified since 2026-11-01T00:00:00Z.',
  ],
  [
    { verificationStatus: "Verified", verifiedAt: null, changedSinceVerification: ["metadata"] },
    { state: "passed" },
    '"Stoves" is verified, but "metadata" changed afterwards.',
  ],
  [
    { verificationStatus: "UnderVote" },
    {},
    '"Stoves" is under vote on its verification: 0 of 10 are cast, 0 of them yes; 2 days 3 hours left.',
  ],
  [
    { verificationStatus: "Verified" },
    { kind: "revoke" },
    '"Stoves" is under vote on revoking its verification: 0 of 10 are cast, 0 of them yes; 2 days 3 hours left.',
  ],
])("%j with the vote %j [OR-388]", (change, vote, summary) => {
  const explained = explain(change, vote);
  expect(explained["summary"]).toBe(summary);
  expect(explained["verified"]).toBe(change.verificationStatus === "Verified");
});

test("obstacles to any vote, and a registry without voters, count as missing [OR-388]", () => {
  expect(explain({ status: "suspended" })["missing"]).toContain(
    "The domain is suspended: a controller or an admin has to reactivate it first.",
  );
  expect(explain({ status: "deactivated" })["missing"]).toContain("The domain is deactivated, which cannot be undone.");
  expect(explain({ validUntil: "2026-11-21T09:00:00Z" })["missing"]).toContain(
    "The domain's validity ended on 2026-11-21T09:00:00Z.",
  );
  expect(explain({ validUntil: "2026-11-21T09:00:01Z" }, undefined, 0)["missing"]).toEqual([
    "A proposal to verify it.",
    "The registry has no voters yet: its operator must enrol some.",
  ]);
  expect(explain({})["youControlIt"]).toBe(true);
});

test.each([
  [-1, "less than a minute"],
  [59_999, "less than a minute"],
  [60_000, "1 minute"],
  [3_600_000, "1 hour"],
  [90_000_000 + 60_000, "1 day 1 hour"],
  [172_800_000, "2 days"],
])("%i milliseconds are %s", (milliseconds, words) => {
  expect(timeLeft(milliseconds)).toBe(words);
});
