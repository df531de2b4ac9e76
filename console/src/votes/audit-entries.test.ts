/** The audit trail out of proposals, votes and histories: its order, its filters, its export. */
import { expect, test } from "vitest";
import { auditEntries, csvOf, matching, type AuditEntry } from "./audit-entries.ts";
import type { HistoryEntry, Proposal, Vote } from "./proposal.ts";

const at = "2026-11-21T09:00:00Z";
const proposal = {
  id: "prp_1",
  domainId: "did:web:d",
  title: "Verify it",
  proposer: "did:web:p",
  reason: null,
  createdAt: at,
} as Proposal;
const vote: Vote = { proposalId: "prp_1", voter: "did:web:v", option: "yes", power: 2, rationale: "=1+1", castAt: at };
const entry = (action: HistoryEntry["action"], proposalId: string | null, version: number) => ({
  action,
  actor: "system",
  at,
  changes: [],
  proposalId,
  reason: `${action}, "so"`,
  version,
  versionId: "",
  domainId: "did:web:d",
});
const history = [
  entry("created", null, 1),
  entry("proposal-opened", "prp_1", 2),
  entry("verified", "prp_1", 3),
  entry("verified", "prp_not_loaded", 4),
];

test("holds each step once, the newest first, what happened at once in its order [CN-98]", () => {
  const entries = auditEntries({ proposals: [proposal], votes: [vote], history });
  expect(entries.map(({ event, actor }) => [event, actor])).toEqual([
    ["verified", "system"],
    ["voted", "did:web:v"],
    ["opened", "did:web:p"],
  ]);
  expect(matching(entries, { actor: "did:web:v", from: "2026-11-21", to: "2026-11-21" })).toHaveLength(1);
  expect(matching(entries, { actor: "", from: "2026-11-22", to: "" })).toEqual([]);
  expect(matching(entries, { actor: "", from: "", to: "2026-11-20" })).toEqual([]);
});

test("is exported as RFC 4180 has it, known as UTF-8, and no cell is a formula [CN-98]", () => {
  const [verified, voted] = auditEntries({ proposals: [proposal], votes: [vote], history });
  expect(csvOf([verified, voted] as AuditEntry[])).toBe(
    [
      "\u{feff}at,event,actor,domainId,proposalId,title,option,power,note",
      `${at},verified,system,did:web:d,prp_1,Verify it,,,"verified, ""so"""`,
      `${at},voted,did:web:v,did:web:d,prp_1,Verify it,yes,2,'=1+1`,
      "",
    ].join("\r\n"),
  );
});
