/** Entries of the audit trail, made of what the API has: proposals, their votes, and the histories of their domains. */
import type { HistoryEntry, Proposal, Vote } from "./proposal.ts";

/** What the history of a domain adds to proposals and votes: ends of proposals, and verifications that were lost. */
const governanceActions = [
  "proposal-withdrawn",
  "proposal-superseded",
  "proposal-expired",
  "verified",
  "rejected",
  "revoked",
  "revocation-rejected",
  "verification-lost",
] as const;
type GovernanceAction = (typeof governanceActions)[number];

export interface AuditEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly event: "opened" | "voted" | GovernanceAction;
  /** A DID, or `system`. */
  readonly actor: string;
  readonly domainId: string;
  readonly proposalId: string | null;
  /** The proposal's, where the entry belongs to one. */
  readonly title: string | null;
  readonly option: Vote["option"] | null;
  readonly power: number | null;
  /** Rationale or reason. */
  readonly note: string | null;
}

/** One domain's part of the trail. */
export interface AuditSource {
  readonly proposals: readonly Proposal[];
  readonly votes: readonly Vote[];
  /** Of the domains of the proposals; `domainId` says of which. */
  readonly history: readonly (HistoryEntry & { readonly domainId: string })[];
}

/** Newest first. Of entries with the same time, a decision stands above a vote, and a vote above its proposal. */
export function auditEntries({ proposals, votes, history }: AuditSource): readonly AuditEntry[] {
  const known = new Map(proposals.map((proposal) => [proposal.id, proposal]));
  const opened = proposals.map((proposal): AuditEntry => ({
    at: proposal.createdAt,
    event: "opened",
    actor: proposal.proposer,
    domainId: proposal.domainId,
    proposalId: proposal.id,
    title: proposal.title,
    option: null,
    power: null,
    note: proposal.reason,
  }));
  const voted = votes.flatMap((vote): readonly AuditEntry[] => {
    const proposal = known.get(vote.proposalId);
    if (proposal === undefined) return [];
    const { domainId, title } = proposal;
    const { castAt: at, voter: actor, proposalId, option, power, rationale } = vote;
    return [{ at, event: "voted", actor, domainId, proposalId, title, option, power, note: rationale }];
  });
  const decided = history.flatMap(({ action, at, actor, domainId, proposalId, reason }): readonly AuditEntry[] => {
    const title = proposalId === null ? null : (known.get(proposalId)?.title ?? null);
    // The end of a proposal that is not loaded yet is shown once that proposal is.
    if (!isGovernance(action) || (proposalId !== null && title === null)) return [];
    return [{ at, event: action, actor, domainId, proposalId, title, option: null, power: null, note: reason }];
  });
  const rank = ({ event }: AuditEntry): number => ["opened", "voted"].indexOf(event) + 3 * Number(isGovernance(event));
  return [...opened, ...voted, ...decided].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || rank(b) - rank(a));
}

export function isGovernance(action: string): action is GovernanceAction {
  return (governanceActions as readonly string[]).includes(action);
}

export interface AuditFilter {
  /** Proposer, voter or whoever else acted. */
  readonly actor: string;
  /** Days, `YYYY-MM-DD`; both are included, in UTC. */
  readonly from: string;
  readonly to: string;
}

export function matching(entries: readonly AuditEntry[], { actor, from, to }: AuditFilter): readonly AuditEntry[] {
  return entries.filter(({ at, actor: by }) => {
    const day = at.slice(0, "YYYY-MM-DD".length);
    return (actor === "" || by === actor) && (from === "" || day >= from) && (to === "" || day <= to);
  });
}

const columns = ["at", "event", "actor", "domainId", "proposalId", "title", "option", "power", "note"] as const;

/** By it a spreadsheet knows UTF-8; without it names that are not English are garbled. */
const BYTE_ORDER_MARK = "\u{feff}";

/** RFC 4180, with a leading apostrophe where a spreadsheet would read a formula. */
export function csvOf(entries: readonly AuditEntry[]): string {
  const cell = (value: string | number | null): string => {
    if (typeof value !== "string") return value === null ? "" : String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = entries.map((entry) => columns.map((column) => cell(entry[column])).join(","));
  return `${BYTE_ORDER_MARK}${[columns.join(","), ...rows].join("\r\n")}\r\n`;
}
