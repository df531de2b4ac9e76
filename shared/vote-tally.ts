/**
 * The tally of a vote, in integers only: power is at most 10^10, so every product with basis points stays below 2^53. A
 * tally is a sum, so the order of votes does not matter.
 */
/** 100 %, in basis points. */
export const WHOLE_BP = 10_000;

/** The rules that decide a vote. Shares are basis points, 1/10000. */
export interface TallyRules {
  /** Minimum share of the total power that must be cast. */
  readonly quorumBp: number;
  /** Yes must exceed this share of all votes except abstentions. 10000 means that all of them must be yes. */
  readonly thresholdBp: number;
  /** More than this share of the cast power vetoes; 10000 means no veto. */
  readonly vetoBp: number;
  /** Voters may change their vote, the last vote counts, and nothing is decided before the end. */
  readonly allowRevote: boolean;
}

export const voteOptions = ["yes", "no", "abstain", "no_with_veto"] as const;
export type VoteOption = (typeof voteOptions)[number];

/** The power of each option. */
export interface Tally {
  readonly yes: number;
  readonly no: number;
  readonly abstain: number;
  readonly noWithVeto: number;
}

export const emptyTally: Tally = { yes: 0, no: 0, abstain: 0, noWithVeto: 0 };

export type OutcomeReason = "quorum_not_met" | "all_abstained" | "vetoed" | "approved" | "threshold_not_met";

export interface Decision {
  readonly state: "passed" | "rejected" | "expired";
  readonly reason: OutcomeReason;
}

type Shares = Pick<TallyRules, "quorumBp" | "thresholdBp" | "vetoBp">;

export function tallyOf(votes: readonly { readonly option: VoteOption; readonly power: number }[]): Tally {
  const powerOf = (option: VoteOption): number =>
    votes.filter((vote) => vote.option === option).reduce((sum, { power }) => sum + power, 0);
  return { yes: powerOf("yes"), no: powerOf("no"), abstain: powerOf("abstain"), noWithVeto: powerOf("no_with_veto") };
}

const memberOf = { yes: "yes", no: "no", abstain: "abstain", no_with_veto: "noWithVeto" } as const;

/** Adds a vote, in place of `replaced` if there is one. */
export function tallyWith(
  tally: Tally,
  { option, power }: { readonly option: VoteOption; readonly power: number },
  replaced?: { readonly option: VoteOption; readonly power: number },
): Tally {
  const without =
    replaced === undefined
      ? tally
      : { ...tally, [memberOf[replaced.option]]: tally[memberOf[replaced.option]] - replaced.power };
  return { ...without, [memberOf[option]]: without[memberOf[option]] + power };
}

/** All power cast, including abstentions. */
export function castPower({ yes, no, abstain, noWithVeto }: Tally): number {
  return yes + no + abstain + noWithVeto;
}

export function isQuorumMet(tally: Tally, totalPower: number, { quorumBp }: Shares): boolean {
  const cast = castPower(tally);
  return cast > 0 && cast * WHOLE_BP >= quorumBp * totalPower;
}

/** The decision once no more votes can arrive; the first condition that holds. */
export function finalDecision(tally: Tally, totalPower: number, rules: Shares): Decision {
  const cast = castPower(tally);
  const decisive = cast - tally.abstain;
  if (!isQuorumMet(tally, totalPower, rules)) return { state: "expired", reason: "quorum_not_met" };
  if (decisive === 0) return { state: "rejected", reason: "all_abstained" };
  if (tally.noWithVeto * WHOLE_BP > rules.vetoBp * cast) return { state: "rejected", reason: "vetoed" };
  if (exceedsThreshold(tally.yes, decisive, rules)) return { state: "passed", reason: "approved" };
  return { state: "rejected", reason: "threshold_not_met" };
}

/** A linear condition on a tally: constant + yes·a + no·b + abstain·c + noWithVeto·d is at least 0. All are integers. */
export type TallyBound = readonly [constant: number, yes: number, no: number, abstain: number, noWithVeto: number];

/**
 * The conditions for a decision before the end: once all bounds of one of these alternatives hold, no way of casting or
 * withholding the rest can change the state. Data, so that the program and the database evaluate one set of formulas.
 */
export function decidingBounds(
  totalPower: number,
  { quorumBp, thresholdBp, vetoBp, allowRevote }: TallyRules,
): readonly (readonly TallyBound[])[] {
  if (allowRevote) return [];
  const [whole, total] = [WHOLE_BP, totalPower];
  // Some power is cast, and enough of it.
  const quorum: readonly TallyBound[] = [
    [-1, 1, 1, 1, 1],
    [-quorumBp * total, whole, whole, whole, whole],
  ];
  // Even if the whole rest votes no with veto, or no.
  const noVeto: TallyBound = [(vetoBp - whole) * total, whole, whole, whole, 0];
  const vetoed: TallyBound = [-vetoBp * total - 1, 0, 0, 0, whole];
  // At 100 %, every decisive vote must be yes; otherwise yes must exceed the threshold. `misses`: fails even if the
  // whole rest votes yes.
  const isUnanimous = thresholdBp === WHOLE_BP;
  const exceeds: readonly TallyBound[] = isUnanimous
    ? [
        [-1, 1, 0, 0, 0],
        [-total, 1, 0, 1, 0],
      ]
    : [[-thresholdBp * total - 1, whole, 0, thresholdBp, 0]];
  const misses: readonly TallyBound[] = isUnanimous
    ? [
        [-1, 0, 1, 0, 1],
        [-total, 0, 1, 1, 1],
      ]
    : [[(thresholdBp - whole) * total, 0, whole, whole - thresholdBp, whole]];
  return [[noVeto, ...exceeds], [vetoed], ...misses.map((bound) => [bound])].map((bounds) => [...quorum, ...bounds]);
}

/** The decision before the end; undefined while some way of casting the rest could still change its state. */
export function earlyDecision(tally: Tally, totalPower: number, rules: TallyRules): Decision | undefined {
  const { yes, no, abstain, noWithVeto } = tally;
  const holds = ([constant, a, b, c, d]: TallyBound): boolean =>
    constant + a * yes + b * no + c * abstain + d * noWithVeto >= 0;
  const isCertain = decidingBounds(totalPower, rules).some((bounds) => bounds.every(holds));
  return isCertain ? finalDecision(tally, totalPower, rules) : undefined;
}

/** The power that an open vote still needs, in the units of the tally. */
export interface Awaited {
  /** `end`: votes can be changed, so only the end of the vote decides. */
  readonly reason: "quorum" | "votes" | "end";
  /** Power that must be cast before anything is decided; 0 once the quorum is met. */
  readonly quorumMissing: number;
  /** Power of yes, or of no, that would decide the vote at once; null if no amount would. */
  readonly yesToPass: number | null;
  readonly noToReject: number | null;
  /** Power that is not cast yet. */
  readonly remaining: number;
}

/** Why a vote with this tally is undecided. */
export function awaitedBy(tally: Tally, totalPower: number, rules: TallyRules): Awaited {
  const cast = castPower(tally);
  const remaining = totalPower - cast;
  const quorumMissing = Math.max(0, quorumPowerOf(totalPower, rules) - cast);
  const least = (option: "yes" | "no", state: Decision["state"]) =>
    leastPower(
      remaining,
      (power) => earlyDecision(tallyWith(tally, { option, power }), totalPower, rules)?.state === state,
    );
  const open = quorumMissing > 0 ? "quorum" : "votes";
  return {
    reason: rules.allowRevote ? "end" : open,
    quorumMissing,
    yesToPass: least("yes", "passed"),
    noToReject: least("no", "rejected"),
    remaining,
  };
}

/** The standing of an open vote: its decision if it ended now, and the power that would change it. */
export interface Standing {
  /** Power cast, including abstentions. */
  readonly cast: number;
  /** Power cast without abstentions. */
  readonly decisive: number;
  /** Power that was not cast. */
  readonly rest: number;
  /** The minimum power that meets the quorum. */
  readonly quorumPower: number;
  readonly missingForQuorum: number;
  /** The reason of the decision, if the vote ended now. */
  readonly outcomeNow: OutcomeReason;
  /** The minimum power that, if it all voted yes, would let the vote pass; undefined if the rest cannot. */
  readonly yesToPass: number | undefined;
  /** The minimum power of no with veto, out of the power cast now, that vetoes; undefined if the rules have no veto. */
  readonly vetoPower: number | undefined;
}

export function standingOf(tally: Tally, totalPower: number, rules: Shares): Standing {
  const cast = castPower(tally);
  const rest = totalPower - cast;
  const quorumPower = quorumPowerOf(totalPower, rules);
  const passes = (power: number): boolean =>
    finalDecision(tallyWith(tally, { option: "yes", power }), totalPower, rules).state === "passed";
  return {
    cast,
    decisive: cast - tally.abstain,
    rest,
    quorumPower,
    missingForQuorum: Math.max(0, quorumPower - cast),
    outcomeNow: finalDecision(tally, totalPower, rules).reason,
    yesToPass: passes(0) ? 0 : (leastPower(rest, passes) ?? undefined),
    vetoPower: rules.vetoBp >= WHOLE_BP ? undefined : Math.floor((rules.vetoBp * cast) / WHOLE_BP) + 1,
  };
}

/** The minimum power that meets the quorum. */
function quorumPowerOf(totalPower: number, { quorumBp }: Shares): number {
  return Math.max(1, Math.ceil((quorumBp * totalPower) / WHOLE_BP));
}

/** The minimum power that suffices, by bisection: more of one option never undoes what less of it has decided. */
function leastPower(most: number, suffices: (power: number) => boolean): number | null {
  if (!suffices(most)) return null;
  let [under, enough] = [0, most];
  while (enough - under > 1) {
    const middle = Math.floor((under + enough) / 2);
    if (suffices(middle)) enough = middle;
    else under = middle;
  }
  return enough;
}

/** At 100 %, every decisive vote must be yes; otherwise yes must exceed the threshold. */
function exceedsThreshold(yes: number, decisive: number, { thresholdBp }: Shares): boolean {
  if (thresholdBp === WHOLE_BP) return yes > 0 && yes === decisive;
  return yes * WHOLE_BP > thresholdBp * decisive;
}
