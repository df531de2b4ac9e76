/** The audit trail built from proposals, votes and histories: its order, its filters, its export. */
import { expect, test } from "vitest";
import { auditEntries, csvOf, matching, type AuditEntry, type LabelledEntry } from "./audit-entries.ts";
import type { HistoryEntry, Proposal, Vote } from "./proposal.ts";

const at = "2026-11-21T09:00:00Z";
const proposal = {
  id: "prp_1",
  domainId: "did:web:d",
  title: "Verify it",
  kind: "verify",
  state: "passed",
  proposer: "did:web:p",
  reason: null,
  createdAt: at,
  votingEndsAt: "2026-11-24T09:00:00Z",
  decidedAt: at,
  outcomeReason: "approved",
  tally: { yes: 2, no: 1, abstain: 0, noWithVeto: 0, cast: 3 },
  totalPower: 4,
} as Proposal;
const vote: Vote = { proposalId: "prp_1", voter: "did:web:v", option: "yes", power: 2, rationale: "=1+1", castAt: at };
const entry = (action: HistoryEntry["action"], proposalId: string | null, version: number, actor = "system") => ({
  action,
  actor,
  at,
  changes: [],
  proposalId,
  reason: `${action}, "so"`,
  version,
  versionId: "",
  domainId: "did:web:d",
});
/** As much of a busy domain's history as one response returns: the decision comes later. */
const busy = Array.from({ length: 100 }, (_, index) => entry("updated", null, 200 - index, "did:web:device"));

test("lists each step once, newest first, with simultaneous steps in logical order [CN-98]", () => {
  const entries = auditEntries({ proposals: [proposal], votes: [vote], history: [entry("verified", "prp_1", 3)] });
  expect(entries.map(({ event, actor }) => [event, actor])).toEqual([
    ["verified", "system"],
    ["voted", "did:web:v"],
    ["opened", "did:web:p"],
  ]);
  expect(matching(entries, { actor: "did:web:v", from: "2026-11-21", to: "2026-11-21" })).toHaveLength(1);
  expect(matching(entries, { actor: "", from: "2026-11-22", to: "" })).toEqual([]);
  expect(matching(entries, { actor: "", from: "", to: "2026-11-20" })).toEqual([]);
});

test.each<[Partial<Proposal>, AuditEntry["event"], string | null, string]>([
  [{}, "verified", "system", "approved: yes 2, no 1, abstain 0, no with veto 0, of 4"],
  [{ kind: "revoke" }, "revoked", "system", "approved: yes 2, no 1, abstain 0, no with veto 0, of 4"],
  [
    { state: "rejected", outcomeReason: "vetoed" },
    "rejected",
    "system",
    "vetoed: yes 2, no 1, abstain 0, no with veto 0, of 4",
  ],
  [
    { state: "rejected", kind: "revoke", outcomeReason: "threshold_not_met" },
    "revocation-rejected",
    "system",
    "threshold_not_met: yes 2, no 1, abstain 0, no with veto 0, of 4",
  ],
  [
    { state: "expired", outcomeReason: "quorum_not_met" },
    "proposal-expired",
    "system",
    "quorum_not_met: yes 2, no 1, abstain 0, no with veto 0, of 4",
  ],
  [{ state: "withdrawn", outcomeReason: "Wrong season" }, "proposal-withdrawn", null, "Wrong season"],
  [{ state: "superseded", outcomeReason: "content_changed" }, "proposal-superseded", null, "content_changed"],
])("has the decision of %o, however long the history of its domain [CN-239]", (ended, event, actor, note) => {
  const entries = auditEntries({ proposals: [{ ...proposal, ...ended }], votes: [], history: busy });
  expect(entries[0]).toEqual({
    at,
    event,
    actor,
    domainId: "did:web:d",
    proposalId: "prp_1",
    title: "Verify it",
    option: null,
    power: null,
    note,
  });
  expect(entries).toHaveLength(2);
});

test("the history shows who withdrew a proposal, and a lost verification has no proposal [CN-239]", () => {
  const withdrawn: Proposal = { ...proposal, state: "withdrawn", outcomeReason: null };
  const history = [
    entry("proposal-withdrawn", "prp_1", 3, "did:web:admin"),
    entry("verification-lost", null, 4, "did:web:device"),
    ...busy,
  ];
  const entries = auditEntries({ proposals: [withdrawn], votes: [], history });
  expect(entries.map(({ event, actor, proposalId }) => [event, actor, proposalId])).toEqual([
    ["proposal-withdrawn", "did:web:admin", "prp_1"],
    ["verification-lost", "did:web:device", null],
    ["opened", "did:web:p", "prp_1"],
  ]);
});

test("is exported as RFC 4180 CSV with a UTF-8 mark and names next to DIDs, and no cell is a formula [CN-98, CN-250]", () => {
  const entries = auditEntries({ proposals: [proposal], votes: [vote], history: [] });
  const labels = new Map([["did:web:v", '=Amina, "the" voter']]);
  const [decided, voted] = entries.map((each) => ({ ...each, actorLabel: labels.get(each.actor ?? "") ?? null }));
  expect(csvOf([decided, voted] as LabelledEntry[])).toBe(
    [
      "\u{feff}at,event,actorLabel,actor,domainId,proposalId,title,option,power,note",
      `${at},verified,,system,did:web:d,prp_1,Verify it,,,"approved: yes 2, no 1, abstain 0, no with veto 0, of 4"`,
      `${at},voted,"'=Amina, ""the"" voter",did:web:v,did:web:d,prp_1,Verify it,yes,2,'=1+1`,
      "",
    ].join("\r\n"),
  );
});
