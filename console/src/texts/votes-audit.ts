/** Words of the audit trail of votes. */
import { grouped, plural } from "./number.ts";

interface ExportFacts {
  readonly entries: number;
  readonly proposals: number;
  /** Whether there are more proposals than a file takes. */
  readonly isCut: boolean;
  readonly filters: Readonly<Record<string, string>>;
}

export const auditTexts = {
  auditLead:
    "Who proposed, voted and decided, and when: newest proposals first, each with its votes and what the history of its domain says.",
  auditTitle: "Audit trail",
  from: "From (day in UTC)",
  to: "Until (day in UTC)",
  unknownActor: "somebody (the history that is loaded does not go back so far)",
  refresh: "Load again",
  exports: { csv: "Export all as CSV", json: "Export all as JSON" },
  exporting: (proposals: number) => `Reading: ${plural(proposals, "proposal", "proposals")} so far…`,
  stop: "Stop",
  /** Of the file, without its ending. */
  fileName: (proposals: number, isCut: boolean) => `audit-trail-${isCut ? "newest" : "all"}-${proposals}-proposals`,
  /** The first entry of the file. */
  holds: ({ entries, proposals, isCut, filters }: ExportFacts) => {
    const used = Object.entries(filters).filter(([, value]) => value !== "");
    const what = isCut
      ? `the newest ${plural(proposals, "proposal", "proposals")}; there are more`
      : `all ${plural(proposals, "proposal", "proposals")}`;
    const by =
      used.length === 0 ? "No filters." : `Filters: ${used.map(([name, value]) => `${name} ${value}`).join(", ")}.`;
    return `${plural(entries, "entry", "entries")} of ${what}. ${by} Times are in UTC.`;
  },
  auditShown: (shown: number, proposals: number) =>
    `${plural(shown, "entry", "entries")} of ${plural(proposals, "proposal", "proposals")} loaded.`,
  auditFilterNote:
    "Domain, kind and state are filtered by the registry; who and when within what is loaded. An export reads all proposals first.",
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
    `Of proposals with more than ${grouped(votes)} votes, and of domains with more than ${grouped(votes)} changes, ${grouped(votes)} are here. An export has all.`,
  events: {
    opened: "opened the proposal",
    exported: "exported the trail",
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
