/**
 * A domain under governance as docs/decisions/005-registry.md describes it, slow and simple: it steps through time instant by
 * instant, and determines that a vote is decided by trying every way in which the remaining votes could be cast.
 */
import { finalDecision, type Tally, type VoteOption } from "../../../shared/vote-tally.ts";

interface ReferenceProposal {
  readonly kind: "verify" | "revoke";
  readonly endsAt: number;
  readonly previous: string;
  readonly content: ReferenceContent;
  readonly votes: Map<number, VoteOption>;
}

interface ReferenceContent {
  readonly metadata: number;
  readonly validUntil: number;
}

export interface ReferenceRules {
  readonly weights: readonly number[];
  readonly rules: Parameters<typeof finalDecision>[2] & { readonly votingPeriodSeconds: number };
}

interface ReferenceMoment {
  readonly now: number;
  /** Milliseconds of one tick. */
  readonly tick: number;
  /** The number of the command, which makes its names unique. */
  readonly serial: number;
}

interface ReferenceCommand {
  readonly do: string;
  readonly ticks?: number;
  readonly kind?: "verify" | "revoke";
  readonly voter?: number;
  readonly option?: VoteOption;
  readonly name?: "reporting" | "issuance";
  readonly enabled?: boolean;
}

export function referenceDomain({ weights, rules }: ReferenceRules) {
  const totalPower = weights.reduce((sum, weight) => sum + weight, 0);
  let status = "active";
  let suspendedBy: string | null = null;
  let metadata = -1;
  let verified: ReferenceContent | undefined;
  /** There is a verification, or one ended without a vote: it can still be revoked after the domain is deactivated. */
  let isRevocable = false;
  let verification = "AwaitingVerification";
  let services = { reporting: false, issuance: false };
  let validUntil = Number.POSITIVE_INFINITY;
  let proposal: ReferenceProposal | undefined;

  const noServices = () => {
    services = { reporting: false, issuance: false };
  };

  function close(outcome: string): void {
    if (proposal === undefined) return;
    const { kind, previous, content } = proposal;
    proposal = undefined;
    if (kind === "revoke") {
      if (outcome === "passed") lose("Revoked", false);
      return;
    }
    if (outcome === "passed") {
      verification = "Verified";
      verified = content;
      isRevocable = true;
    } else verification = outcome === "rejected" ? "Rejected" : previous;
  }

  function lose(becomes: string, stillRevocable: boolean): void {
    verification = becomes;
    verified = undefined;
    isRevocable = stillRevocable;
    noServices();
  }

  function supersede(): void {
    if (verification !== "UnderVote") return;
    const previous = proposal?.previous ?? "";
    verification = ["Rejected", "Revoked"].includes(previous) ? previous : "AwaitingVerification";
    proposal = undefined;
  }

  function suspend(by: string): void {
    if (status === "active" || by === "admin") suspendedBy = by;
    status = "suspended";
    noServices();
  }

  function pass(now: number): void {
    if (proposal !== undefined && now >= proposal.endsAt) {
      close(finalDecision(tallyOf(proposal.votes), totalPower, rules).state);
    }
    if (now >= validUntil) noServices();
  }

  function vote(voter: number, option: VoteOption): void {
    if (proposal === undefined || proposal.votes.has(voter)) return;
    proposal.votes.set(voter, option);
    const outcomes = new Set(
      [...everyEnd(tallyOf(proposal.votes))].map((end) => finalDecision(end, totalPower, rules).state),
    );
    const [only] = outcomes;
    if (outcomes.size === 1 && only !== undefined && only !== "expired") close(only);
  }

  function tallyOf(votes: ReadonlyMap<number, VoteOption>): Tally {
    const sum = { yes: 0, no: 0, abstain: 0, no_with_veto: 0 };
    for (const [voter, option] of votes) sum[option] += weights[voter] ?? 0;
    return { yes: sum.yes, no: sum.no, abstain: sum.abstain, noWithVeto: sum.no_with_veto };
  }

  function* everyEnd({ yes, no, abstain, noWithVeto }: Tally): Generator<Tally> {
    const left = totalPower - yes - no - abstain - noWithVeto;
    for (let y = 0; y <= left; y += 1) {
      for (let n = 0; y + n <= left; n += 1) {
        for (let a = 0; y + n + a <= left; a += 1) {
          for (let v = 0; y + n + a + v <= left; v += 1) {
            yield { yes: yes + y, no: no + n, abstain: abstain + a, noWithVeto: noWithVeto + v };
          }
        }
      }
    }
  }

  function propose(kind: "verify" | "revoke", now: number): void {
    const isVerifiable = verification !== "Verified" && status === "active" && now < validUntil;
    const canRevoke = isRevocable && (verification === "Verified" || status === "deactivated");
    if (proposal !== undefined || !(kind === "verify" ? isVerifiable : canRevoke)) return;
    const endsAt = now + rules.votingPeriodSeconds * 1_000;
    proposal = { kind, endsAt, previous: verification, content: { metadata, validUntil }, votes: new Map() };
    if (kind === "verify") verification = "UnderVote";
  }

  function change(command: ReferenceCommand, { now, tick, serial }: ReferenceMoment): void {
    if (status === "deactivated") return;
    if (command.do === "limit") {
      const until = now + (command.ticks ?? 0) * tick;
      if (until !== validUntil) supersede();
      validUntil = until;
    }
    if (command.do === "rename") {
      supersede();
      metadata = serial;
    }
    if (command.do === "suspend") suspend("controller");
    if (command.do === "admin-suspend") suspend("admin");
    if (command.do === "admin-reactivate" || (command.do === "reactivate" && suspendedBy !== "admin")) {
      status = "active";
      suspendedBy = null;
    }
    if (command.do === "deactivate") {
      supersede();
      status = "deactivated";
      suspendedBy = null;
      if (verification === "Verified") lose("AwaitingVerification", true);
      noServices();
    }
    if (command.do === "reclassify") {
      supersede();
      if (verification === "Verified") lose("AwaitingVerification", true);
    }
  }

  return {
    run(command: ReferenceCommand, moment: ReferenceMoment): void {
      const { now } = moment;
      pass(now);
      const { kind, voter, option, name, enabled } = command;
      if (command.do === "propose" && kind !== undefined) propose(kind, now);
      else if (command.do === "vote" && voter !== undefined && option !== undefined) vote(voter, option);
      else if (command.do === "withdraw") close("withdrawn");
      else if (command.do === "switch" && name !== undefined && enabled !== undefined) {
        const isEligible = status === "active" && verification === "Verified" && now < validUntil;
        if (!enabled || isEligible) services = { ...services, [name]: enabled };
      } else change(command, moment);
      pass(now);
    },
    facts: (now: number) => {
      pass(now);
      const changed = [
        ...(verified !== undefined && verified.metadata !== metadata ? ["metadata"] : []),
        ...(verified !== undefined && verified.validUntil !== validUntil ? ["validUntil"] : []),
      ];
      const isProposed = proposal !== undefined;
      return { status, suspendedBy, verificationStatus: verification, changed, isProposed, ...services };
    },
  };
}
