/** Words of the audit trail of votes. */
import { grouped, plural } from "./number.ts";

export const auditTexts = {
  auditLead:
    "Who proposed, voted and decided, and when: newest proposals first, each with its votes and what the history of its domain says.",
  auditTitle: "Audit trail",
  from: "From",
  to: "Until",
  system: "the registry",
  refresh: "Load again",
  exportCsv: "Export as CSV",
  exportJson: "Export as JSON",
  auditShown: (shown: number, proposals: number) =>
    `${plural(shown, "entry", "entries")} of ${plural(proposals, "proposal", "proposals")} loaded.`,
  auditFilterNote: "Domain, kind and state are filtered by the registry; who and when within what is loaded.",
  auditEmpty: "Nothing was proposed or decided yet",
  auditNone: "Nothing that is loaded fits these filters",
  moreProposals: "Load older proposals",
  auditLimits: "What this trail cannot tell",
  auditLimit: [
    "Changes of the roll of voters: the registry lists them at GET /v1/voter-changes.",
    "The voters of a vote who did not vote: their sum is known, not their names.",
    "Votes that were changed, where the rules allow it: only the last one is kept.",
    "Votes and proposals that were refused, and which key of a DID was used.",
  ],
  auditCut: (votes: number) =>
    `Of proposals with more than ${grouped(votes)} votes the first ${grouped(votes)} are here; the proposal lists all.`,
  events: {
    opened: "opened the proposal",
    voted: (option: string) => `voted ${option}`,
    "proposal-withdrawn": "withdrew the proposal",
    "proposal-superseded": "changed the domain and so ended the vote",
    "proposal-expired": "the vote expired",
    verified: "the domain was verified",
    rejected: "the proposal was rejected",
    revoked: "the verification was revoked",
    "revocation-rejected": "the revocation was rejected",
    "verification-lost": "the domain lost its verification",
  },
};
