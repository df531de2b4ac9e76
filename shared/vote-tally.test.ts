/** The tally compared with the vectors of the reference and with counting every possible rest. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  awaitedBy,
  castPower,
  earlyDecision,
  emptyTally,
  finalDecision,
  isQuorumMet,
  standingOf,
  tallyOf,
  tallyWith,
  type Tally,
  voteOptions,
} from "./vote-tally.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const rules = { quorumBp: 3_340, thresholdBp: 5_000, vetoBp: 3_340, allowRevote: false };
const unanimous = { ...rules, thresholdBp: 10_000 };

const tally = (yes: number, no = 0, abstain = 0, noWithVeto = 0): Tally => ({ yes, no, abstain, noWithVeto });

describe("the vectors [RG-106]", () => {
  const stillOpen = undefined;
  test.each([
    ["T1", 10, tally(0), stillOpen, "expired quorum_not_met"],
    ["T1", 10, tally(3), stillOpen, "expired quorum_not_met"],
    ["T2", 10, tally(4), stillOpen, "passed approved"],
    ["T3", 10, tally(6), stillOpen, "passed approved"],
    ["T3", 10, tally(7), "passed approved", "passed approved"],
    ["T4", 10, tally(2, 2), stillOpen, "rejected threshold_not_met"],
    ["T5", 10, tally(0, 0, 4), stillOpen, "rejected all_abstained"],
    ["T6", 10, tally(1, 0, 3), stillOpen, "passed approved"],
    ["T7", 10, tally(3, 0, 0, 1), stillOpen, "passed approved"],
    ["T7", 10, tally(3, 0, 0, 2), stillOpen, "rejected vetoed"],
    ["T8", 10, tally(0, 4), stillOpen, "rejected threshold_not_met"],
    ["T8", 10, tally(0, 5), "rejected threshold_not_met", "rejected threshold_not_met"],
    ["T9", 10, tally(0, 0, 0, 3), stillOpen, "expired quorum_not_met"],
    ["T9", 10, tally(0, 0, 0, 4), "rejected vetoed", "rejected vetoed"],
    ["T10", 10, tally(5, 0, 5), "passed approved", "passed approved"],
    ["T10", 10, tally(1, 0, 9), "passed approved", "passed approved"],
    ["T11", 500, tally(166), stillOpen, "expired quorum_not_met"],
    ["T11", 500, tally(167), stillOpen, "passed approved"],
    ["T12", 500, tally(332, 0, 0, 167), stillOpen, "rejected vetoed"],
    ["T12", 500, tally(333, 0, 0, 167), "passed approved", "passed approved"],
    ["T12", 500, tally(332, 0, 0, 168), "rejected vetoed", "rejected vetoed"],
    ["T13", 100, tally(60), stillOpen, "passed approved"],
    ["T13", 100, tally(70), "passed approved", "passed approved"],
    ["T14", 1, tally(1), "passed approved", "passed approved"],
    ["T14", 1, tally(0, 0, 1), "rejected all_abstained", "rejected all_abstained"],
    ["T15", 3, tally(2), "passed approved", "passed approved"],
    ["T15", 3, tally(1, 1), stillOpen, "rejected threshold_not_met"],
    ["T15", 3, tally(2, 1), "passed approved", "passed approved"],
    ["T17", 1e10, tally(6_659e6), stillOpen, "passed approved"],
    ["T17", 1e10, tally(6_660e6), "passed approved", "passed approved"],
  ] as const)("%s: of %i, %o", (_name, totalPower, votes, early, final) => {
    const words = (decision: ReturnType<typeof earlyDecision>) => decision && `${decision.state} ${decision.reason}`;
    expect(words(earlyDecision(votes, totalPower, rules))).toBe(early);
    expect(words(finalDecision(votes, totalPower, rules))).toBe(final);
  });

  test("T16: one no ends a vote that must be unanimous", () => {
    expect(earlyDecision(tally(2), 3, unanimous)).toBeUndefined();
    expect(earlyDecision(tally(2, 1), 3, unanimous)).toEqual({ state: "rejected", reason: "threshold_not_met" });
    expect(earlyDecision(tally(2, 0, 1), 3, unanimous)).toEqual({ state: "passed", reason: "approved" });
  });

  test("T19: with revotes nothing is decided before the end", () => {
    expect(earlyDecision(tally(10), 10, { ...rules, allowRevote: true })).toBeUndefined();
    expect(finalDecision(tally(5, 2), 10, rules)).toEqual({ state: "passed", reason: "approved" });
  });
});

const basisPoints = (least: number) =>
  fc.oneof(fc.integer({ min: least, max: 10_000 }), fc.constantFrom(least, 2_500, 3_340, 5_000, 6_667, 10_000));
const anyRules = fc.record({
  quorumBp: basisPoints(0),
  thresholdBp: basisPoints(1),
  vetoBp: basisPoints(1),
  allowRevote: fc.constant(false),
});

/** Every way in which at most `left` more power can be cast. */
function* completions(cast: Tally, left: number): Generator<Tally> {
  for (let yes = 0; yes <= left; yes += 1) {
    for (let no = 0; yes + no <= left; no += 1) {
      for (let abstain = 0; yes + no + abstain <= left; abstain += 1) {
        for (let veto = 0; yes + no + abstain + veto <= left; veto += 1) {
          yield tally(cast.yes + yes, cast.no + no, cast.abstain + abstain, cast.noWithVeto + veto);
        }
      }
    }
  }
}

describe("an early decision", () => {
  /** Power so small that every possible rest can be enumerated. */
  const COUNTABLE = 8;

  test("is made if and only if no way of casting or withholding the rest gives another state [RG-107]", () => {
    fc.assert(
      fc.property(anyRules, fc.integer({ min: 1, max: COUNTABLE }), (rules, totalPower) => {
        for (const votes of completions(emptyTally, totalPower)) {
          const ends = [...completions(votes, totalPower - castPower(votes))];
          const states = new Set(ends.map((end) => finalDecision(end, totalPower, rules).state));
          // A quorum of zero is met by the first vote, not before it; a proposal without votes expires at its end.
          const certain = states.size === 1 && castPower(votes) > 0 && !states.has("expired");
          const early = earlyDecision(votes, totalPower, rules);
          expect([votes, early?.state]).toEqual([votes, certain ? [...states][0] : undefined]);
          expect(early ?? "open").toEqual(certain ? finalDecision(votes, totalPower, rules) : "open");
        }
      }),
      { numRuns: Math.ceil(numRuns / 5) },
    );
  });

  test("comes with the last vote at the latest, for any powers and order", () => {
    const votes = fc.array(
      fc.record({ option: fc.constantFrom(...voteOptions), power: fc.integer({ min: 1, max: 1_000_000 }) }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(anyRules, votes, (rules, votes) => {
        const totalPower = votes.reduce((sum, { power }) => sum + power, 0);
        const final = finalDecision(tallyOf(votes), totalPower, rules);
        const deciding = votes.findIndex(
          (_, at) => earlyDecision(tallyOf(votes.slice(0, at + 1)), totalPower, rules) !== undefined,
        );
        expect(deciding).toBeGreaterThanOrEqual(0);
        const early = earlyDecision(tallyOf(votes.slice(0, deciding + 1)), totalPower, rules);
        expect(early?.state).toBe(final.state);
      }),
      { numRuns },
    );
  });
});

test("the order of votes does not change an outcome", () => {
  const votes = fc.array(
    fc.record({ option: fc.constantFrom(...voteOptions), power: fc.integer({ min: 1, max: 1_000_000 }) }),
    { maxLength: 30 },
  );
  const shuffled = votes.chain((votes) =>
    fc.tuple(fc.constant(votes), fc.shuffledSubarray(votes, { minLength: votes.length })),
  );
  fc.assert(
    fc.property(anyRules, shuffled, fc.nat({ max: 1e9 }), (rules, [one, other], uncast) => {
      const totalPower = one.reduce((sum, { power }) => sum + power, uncast);
      expect(finalDecision(tallyOf(other), totalPower, rules)).toEqual(finalDecision(tallyOf(one), totalPower, rules));
    }),
    { numRuns },
  );
});

test("the greatest powers stay exact", () => {
  const all = 1e10;
  expect(finalDecision(tally(all / 2 + 1, all / 2 - 1), all, rules).state).toBe("passed");
  expect(finalDecision(tally(all / 2, all / 2), all, rules).state).toBe("rejected");
  expect(all * 10_000).toBeLessThan(Number.MAX_SAFE_INTEGER);
});

test("the awaited power of an open vote is the minimum that decides it [RG-205]", () => {
  const power = fc.integer({ min: 0, max: 6 });
  const shares = fc.record({
    quorumBp: fc.constantFrom(0, 3_340, 5_000, 10_000),
    thresholdBp: fc.constantFrom(1, 5_000, 6_667, 10_000),
    vetoBp: fc.constantFrom(1, 3_340, 10_000),
    allowRevote: fc.constant(false),
  });
  fc.assert(
    fc.property(fc.tuple(power, power, power, power), fc.integer({ min: 1, max: 8 }), shares, (votes, rest, rules) => {
      const [yes, no, abstain, noWithVeto] = votes;
      const tally = { yes, no, abstain, noWithVeto };
      const total = yes + no + abstain + noWithVeto + rest;
      const awaited = awaitedBy(tally, total, rules);
      const least = (option: "yes" | "no", state: string) =>
        Array.from({ length: rest + 1 }, (_, added) => added).find(
          (added) => earlyDecision(tallyWith(tally, { option, power: added }), total, rules)?.state === state,
        ) ?? null;
      if (earlyDecision(tally, total, rules) !== undefined) return;
      expect([awaited.yesToPass, awaited.noToReject]).toEqual([least("yes", "passed"), least("no", "rejected")]);
      expect(awaited.remaining).toBe(rest);
      const missing = Array.from({ length: rest + 1 }, (_, added) => added).find((added) =>
        isQuorumMet({ ...tally, abstain: abstain + added }, total, rules),
      );
      expect(awaited.quorumMissing).toBe(missing);
      expect(awaited.reason).toBe(missing === 0 ? "votes" : "quorum");
    }),
    { numRuns: 1_000 },
  );
  const revotes = { quorumBp: 0, thresholdBp: 5_000, vetoBp: 3_340, allowRevote: true };
  expect(awaitedBy({ yes: 1, no: 0, abstain: 0, noWithVeto: 0 }, 2, revotes)).toEqual({
    reason: "end",
    quorumMissing: 0,
    yesToPass: null,
    noToReject: null,
    remaining: 1,
  });
});

test("the standing of a vote follows from its final decision [CN-92]", () => {
  const powers = fc.integer({ min: 0, max: 1_000 });
  const votes = fc.tuple(powers, powers, powers, powers, powers, fc.integer({ min: 1, max: 1_000_000 }));
  fc.assert(
    fc.property(votes, anyRules, ([yes, no, abstain, noWithVeto, left, scale], rules) => {
      const cast = tally(yes * scale, no * scale, abstain * scale, noWithVeto * scale);
      const total = Math.max(1, castPower(cast) + left * scale);
      const standing = standingOf(cast, total, rules);
      expect(standing.outcomeNow).toBe(finalDecision(cast, total, rules).reason);

      const { missingForQuorum, quorumPower, rest, vetoPower, yesToPass } = standing;
      const withAbstain = (power: number): Tally => ({ ...cast, abstain: cast.abstain + power });
      expect(isQuorumMet(withAbstain(missingForQuorum), total, rules)).toBe(true);
      expect(missingForQuorum > 0 && isQuorumMet(withAbstain(missingForQuorum - 1), total, rules)).toBe(false);
      expect(quorumPower).toBeLessThanOrEqual(total);

      // Undefined means that even the whole rest would not let it pass.
      const passes = (power: number): boolean =>
        finalDecision({ ...cast, yes: cast.yes + power }, total, rules).state === "passed";
      expect(passes(yesToPass ?? rest)).toBe(yesToPass !== undefined);
      expect(yesToPass !== undefined && yesToPass > 0 && passes(yesToPass - 1)).toBe(false);

      const vetoes = (power: number): boolean => power * 10_000 > rules.vetoBp * castPower(cast);
      expect(vetoPower === undefined).toBe(rules.vetoBp === 10_000);
      expect(vetoes((vetoPower ?? 0) - 1)).toBe(false);
      expect(vetoPower === undefined || vetoes(vetoPower)).toBe(true);
    }),
    { numRuns },
  );
});
