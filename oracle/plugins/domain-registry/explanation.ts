/** Why a domain is verified or not: its state, its vote, what is missing and what the user can do next, as text. Pure. */
import { quoted, type JsonObject } from "../../../platform/json.ts";
import type { Domain, Proposal, VotingRules } from "./records.ts";
import { votesMissing } from "./votes-missing.ts";

export interface ExplanationInput {
  readonly domain: Domain;
  /** The open proposal, or else the newest one. */
  readonly proposal: Proposal | undefined;
  /** The rules of a future proposal; undefined while one is under vote. */
  readonly rules: VotingRules | undefined;
  readonly userDid: string;
  /** Unix milliseconds. */
  readonly now: number;
}

interface Words {
  readonly summary: string;
  readonly missing: readonly string[];
  readonly next: readonly string[];
}

export function explainVerification(input: ExplanationInput): JsonObject {
  const { domain, proposal, userDid, now } = input;
  const { summary, missing, next } = wordsOf(input);
  return {
    // First, since a phone's screen shows the beginning.
    summary,
    verified: domain.verificationStatus === "Verified",
    verificationStatus: domain.verificationStatus,
    did: domain.id,
    name: domain.name,
    type: domain.type,
    status: domain.status,
    missing: [...missing, ...hindrances(domain, now)],
    next,
    youControlIt: domain.controllers.includes(userDid),
    ...(proposal === undefined
      ? {}
      : { [proposal.state === "open" ? "openProposal" : "lastProposal"]: shown(proposal, now) }),
  };
}

function wordsOf(input: ExplanationInput): Words {
  const { domain, proposal } = input;
  if (proposal?.state === "open") return underVote(domain, proposal, input.now);
  if (domain.verificationStatus === "Verified") return verified(domain);
  return notVerified(input);
}

const PROPOSE = "Ask a compliance or program representative of the registry to propose the verification.";
const PROPOSE_AGAIN = "Ask a compliance or program representative of the registry to propose the verification again.";

function verified({ name, verifiedAt, changedSinceVerification: changed }: Domain): Words {
  const since = verifiedAt === null ? "" : ` since ${verifiedAt}`;
  if (changed.length === 0) return { summary: `${title(name)} is verified${since}.`, missing: [], next: [] };
  return {
    summary: `${title(name)} is verified${since}, but ${changed.map(quoted).join(", ")} changed afterwards.`,
    missing: ["The voters did not see the changes made after the vote."],
    next: ["Compare the changes with the verified version in the domain's history."],
  };
}

function underVote({ name }: Domain, proposal: Proposal, now: number): Words {
  const { tally, totalPower, kind, votingEndsAt } = proposal;
  const { quorum, toQuorum, yes, toOutweighVetoes } = votesMissing(proposal);
  const left = timeLeft(Date.parse(votingEndsAt) - now);
  const purpose = kind === "verify" ? "on its verification" : "on revoking its verification";
  const missing = [
    toQuorum > 0 ? `Votes with a power of ${toQuorum}, to reach the quorum of ${quorum} of ${totalPower}.` : undefined,
    yes === undefined ? "It can no longer pass: all votes must be yes, and some are not." : undefined,
    yes === undefined || yes === 0 ? undefined : `Yes with a power of ${yes}, so that yes has its share of the votes.`,
    toOutweighVetoes > 0
      ? `Votes with a power of ${toOutweighVetoes} that do not veto: the vetoes would decide now.`
      : undefined,
    `The end of the vote: ${left} left, until ${votingEndsAt}.`,
  ].filter((each) => each !== undefined);
  return {
    summary: `${title(name)} is under vote ${purpose}: ${tally.cast} of ${totalPower} are cast, ${tally.yes} of them yes; ${left} left.`,
    missing,
    next: [
      "Ask voters of the registry to vote before the end.",
      ...(kind === "verify" ? ["Do not change the domain meanwhile: any change of its content ends the vote."] : []),
    ],
  };
}

const OUTCOMES: Readonly<Record<string, string>> = {
  quorum_not_met: "too few votes were cast",
  threshold_not_met: "too few of the votes were yes",
  vetoed: "too many voters vetoed it",
  all_abstained: "all voters abstained",
  material_change: "the domain was changed during the vote",
  content_changed: "the domain was changed during the vote",
  deactivated: "the domain was deactivated during the vote",
};

function notVerified({ domain, proposal, rules }: ExplanationInput): Words {
  const name = title(domain.name);
  const voters = rules?.voterCount === 0 ? ["The registry has no voters yet: its operator must enrol some."] : [];
  const vote = rules === undefined || voters.length > 0 ? [] : [voteAhead(rules)];
  const proposing = ["A proposal to verify it.", ...voters, ...vote];
  if (proposal === undefined) {
    return { summary: `${name} is not verified: it has not been proposed yet.`, missing: proposing, next: [PROPOSE] };
  }
  if (domain.verificationStatus === "Revoked") {
    return {
      summary: `${name} is not verified: a vote revoked its verification.`,
      missing: proposing,
      next: [PROPOSE_AGAIN],
    };
  }
  if (proposal.state === "withdrawn") {
    return {
      summary: `${name} is not verified: the last proposal was withdrawn.`,
      missing: proposing,
      next: [PROPOSE_AGAIN],
    };
  }
  if (proposal.state === "passed") {
    const summary = `${name} is no longer verified: a change of the domain ended its verification.`;
    return { summary, missing: proposing, next: [PROPOSE_AGAIN] };
  }
  const reason = OUTCOMES[proposal.outcomeReason ?? ""] ?? "the last vote did not pass";
  return { summary: `${name} is not verified: ${reason}.`, missing: proposing, next: [PROPOSE_AGAIN] };
}

function voteAhead({ rules, totalPower }: VotingRules): string {
  const { quorum } = votesMissing({ rules, totalPower, tally: { yes: 0, no: 0, abstain: 0, noWithVeto: 0, cast: 0 } });
  const days = timeLeft(rules.votingPeriodSeconds * 1000);
  return `A vote of ${days} in which a power of at least ${quorum} of ${totalPower} is cast and yes exceeds ${rules.thresholdBp / 100} percent.`;
}

/** Obstacles to proposing or using a domain, whatever its vote says. */
function hindrances({ status, validUntil }: Domain, now: number): readonly string[] {
  if (status === "deactivated") return ["The domain is deactivated, which cannot be undone."];
  if (status === "suspended") return ["The domain is suspended: a controller or an admin has to reactivate it first."];
  if (validUntil !== null && Date.parse(validUntil) <= now) return [`The domain's validity ended on ${validUntil}.`];
  return [];
}

function shown(
  { id, kind, title: text, state, outcomeReason, tally, totalPower, votingEndsAt, decidedAt }: Proposal,
  now: number,
): JsonObject {
  const isOpen = state === "open";
  return {
    id,
    kind,
    title: text,
    state,
    tally,
    totalPower,
    ...(isOpen ? { votingEndsAt, timeLeft: timeLeft(Date.parse(votingEndsAt) - now) } : { outcomeReason, decidedAt }),
  };
}

function title(name: string | null): string {
  return name === null ? "The domain" : quoted(name);
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** The two largest units, such as `2 days 3 hours`. */
export function timeLeft(milliseconds: number): string {
  let rest = Math.max(0, milliseconds);
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.length === 0 ? "less than a minute" : parts.slice(0, 2).join(" ");
}
