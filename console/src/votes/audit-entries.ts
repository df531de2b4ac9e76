/** Entries of the audit trail, built from the API's data: proposals, their votes, and the histories of their domains. */
import { BYTE_ORDER_MARK, csvRow } from "../kit/csv-text.ts";
import type { HistoryEntry, Proposal, Vote } from "./proposal.ts";

/** How a proposal ends. The history of its domain has the same actions. */
const ends = [
  "proposal-withdrawn",
  "proposal-superseded",
  "proposal-expired",
  "verified",
  "rejected",
  "revoked",
  "revocation-rejected",
] as const;
type End = (typeof ends)[number];
const governanceActions = [...ends, "verification-lost"] as const;
type GovernanceAction = (typeof governanceActions)[number];

export interface AuditEntry {
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly event: "opened" | "voted" | "exported" | GovernanceAction;
  /** A DID, `system`, or null if the loaded data does not contain it. */
  readonly actor: string | null;
  readonly domainId: string;
  readonly proposalId: string | null;
  /** The proposal's title, if the entry belongs to one. */
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
  /** The history of the proposals' domains; `domainId` identifies the domain. */
  readonly history: readonly (HistoryEntry & { readonly domainId: string })[];
}

/** Newest first. If times are equal, a decision comes before a vote, and a vote before its proposal. */
export function auditEntries({ proposals, votes, history }: AuditSource): readonly AuditEntry[] {
  const known = new Map(proposals.map((proposal) => [proposal.id, proposal]));
  const none = { option: null, power: null };
  const opened = proposals.map((proposal): AuditEntry => {
    const { createdAt: at, proposer: actor, domainId, id: proposalId, title, reason: note } = proposal;
    return { ...none, at, event: "opened", actor, domainId, proposalId, title, note };
  });
  const voted = votes.flatMap((vote): readonly AuditEntry[] => {
    const proposal = known.get(vote.proposalId);
    if (proposal === undefined) return [];
    const { domainId, title } = proposal;
    const { castAt: at, voter: actor, proposalId, option, power, rationale } = vote;
    return [{ at, event: "voted", actor, domainId, proposalId, title, option, power, note: rationale }];
  });
  const endings = new Map(history.map((entry) => [`${entry.proposalId} ${entry.action}`, entry]));
  // A decision is taken from its proposal, because the history of a busy domain is long.
  const decided = proposals.flatMap((proposal): readonly AuditEntry[] => {
    const event = endOf(proposal);
    if (event === undefined) return [];
    const { id: proposalId, domainId, title, decidedAt, votingEndsAt } = proposal;
    const at = decidedAt ?? votingEndsAt;
    const actor = isByVote(proposal) ? "system" : (endings.get(`${proposalId} ${event}`)?.actor ?? null);
    return [{ ...none, at, event, actor, domainId, proposalId, title, note: whyEnded(proposal) }];
  });
  const lost = history.flatMap(({ action, at, actor, domainId, reason: note }): readonly AuditEntry[] =>
    action === "verification-lost"
      ? [{ ...none, at, event: action, actor, domainId, proposalId: null, title: null, note }]
      : [],
  );
  const rank = ({ event }: AuditEntry): number => ["opened", "voted"].indexOf(event) + 3 * Number(isGovernance(event));
  return [...opened, ...voted, ...decided, ...lost].toSorted(
    (a, b) => Date.parse(b.at) - Date.parse(a.at) || rank(b) - rank(a),
  );
}

function endOf({ state, kind }: Proposal): End | undefined {
  switch (state) {
    case "open":
      return undefined;
    case "passed":
      return kind === "verify" ? "verified" : "revoked";
    case "rejected":
      return kind === "verify" ? "rejected" : "revocation-rejected";
    default:
      return `proposal-${state}`;
  }
}

/** Whether votes or expiry closed the proposal, not a person. */
function isByVote({ state }: Proposal): boolean {
  return state === "passed" || state === "rejected" || state === "expired";
}

/** The reason in the form of the domain's history. */
function whyEnded(proposal: Proposal): string | null {
  const { outcomeReason, tally, totalPower } = proposal;
  if (!isByVote(proposal)) return outcomeReason;
  const { yes, no, abstain, noWithVeto } = tally;
  const cast = `yes ${yes}, no ${no}, abstain ${abstain}, no with veto ${noWithVeto}, of ${totalPower}`;
  return outcomeReason === null ? cast : `${outcomeReason}: ${cast}`;
}

export function isGovernance(action: string): action is GovernanceAction {
  return (governanceActions as readonly string[]).includes(action);
}

export interface AuditFilter {
  /** Proposer, voter or another actor. */
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

const columns = [
  "at",
  "event",
  "actorLabel",
  "actor",
  "domainId",
  "proposalId",
  "title",
  "option",
  "power",
  "note",
] as const;

export type LabelledEntry = AuditEntry & { readonly actorLabel: string | null };

export function csvOf(entries: readonly LabelledEntry[]): string {
  const rows = entries.map((entry) => csvRow(columns.map((column) => entry[column])));
  return `${BYTE_ORDER_MARK}${csvRow(columns)}${rows.join("")}`;
}
