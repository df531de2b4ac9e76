/**
 * A domain under governance as the tables of contract/registry.md section 6 read, slow and plain: it walks through time
 * instant by instant and finds that a vote is decided by trying every way in which the rest could be cast.
 */
import { finalDecision, type Tally, type VoteOption } from "../../workers/registry/governance/tally.ts";

interface ReferenceProposal {
  readonly kind: "verify" | "revoke";
  readonly endsAt: number;
  readonly previous: string;
  readonly votes: Map<number, VoteOption>;
}

export interface ReferenceRules {
  readonly weights: readonly number[];
  readonly rules: Parameters<typeof finalDecision>[2] & { readonly votingPeriodSeconds: number };
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
  let verification = "AwaitingVerification";
  let services = { reporting: false, issuance: false };
  let validUntil = Number.POSITIVE_INFINITY;
  let proposal: ReferenceProposal | undefined;

  const noServices = () => {
    services = { reporting: false, issuance: false };
  };

  function close(outcome: string): void {
    if (proposal === undefined) return;
    const { kind, previous } = proposal;
    if (outcome === "passed") verification = kind === "verify" ? "Verified" : "Revoked";
    else if (outcome === "rejected" && kind === "verify") verification = "Rejected";
    else verification = previous;
    if (verification === "Revoked") noServices();
    proposal = undefined;
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
    const isFit = status === "active" || (kind === "revoke" && status === "suspended");
    if (proposal !== undefined || !isFit || now >= validUntil) return;
    if ((kind === "verify") === (verification === "Verified")) return;
    proposal = { kind, endsAt: now + rules.votingPeriodSeconds * 1_000, previous: verification, votes: new Map() };
    if (kind === "verify") verification = "UnderVote";
  }

  function change(command: ReferenceCommand, now: number, tick: number): void {
    if (status === "deactivated") return;
    if (command.do === "limit") validUntil = now + (command.ticks ?? 0) * tick;
    if (command.do === "suspend") {
      status = "suspended";
      noServices();
    }
    if (command.do === "reactivate") status = "active";
    if (command.do === "deactivate") {
      status = "deactivated";
      if (verification === "UnderVote") verification = "AwaitingVerification";
      proposal = undefined;
      noServices();
    }
    if (command.do === "reclassify" && (verification === "Verified" || verification === "UnderVote")) {
      verification = "AwaitingVerification";
      proposal = undefined;
      noServices();
    }
  }

  return {
    run(command: ReferenceCommand, now: number, tick: number): void {
      pass(now);
      const { kind, voter, option, name, enabled } = command;
      if (command.do === "propose" && kind !== undefined) propose(kind, now);
      else if (command.do === "vote" && voter !== undefined && option !== undefined) vote(voter, option);
      else if (command.do === "withdraw") close("withdrawn");
      else if (command.do === "switch" && name !== undefined && enabled !== undefined) {
        const isEligible = status === "active" && verification === "Verified" && now < validUntil;
        if (!enabled || isEligible) services = { ...services, [name]: enabled };
      } else change(command, now, tick);
      pass(now);
    },
    facts: (now: number) => {
      pass(now);
      return { status, verificationStatus: verification, isProposed: proposal !== undefined, ...services };
    },
  };
}
