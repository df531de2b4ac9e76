/** The sentences about an open vote at the limits of its rules. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { awaitedBy, type TallyRules } from "../../../shared/vote-tally.ts";
import { tallyTexts, votesTexts } from "../texts/votes.ts";
import { standingSentences } from "./standing-sentences.ts";
import { shareOf } from "./share-of.ts";

const usual: TallyRules = { quorumBp: 3340, thresholdBp: 5000, vetoBp: 3340, allowRevote: false };
const counted = ([yes = 0, no = 0, abstain = 0, noWithVeto = 0]: readonly number[]) => ({
  yes,
  no,
  abstain,
  noWithVeto,
  cast: yes + no + abstain + noWithVeto,
});
const words = (votes: readonly number[], totalPower: number, rules: TallyRules = usual) =>
  standingSentences({
    tally: counted(votes),
    totalPower,
    rules: { ...rules, votingPeriodSeconds: 60, excludedVoters: "none" },
  });

test("the sentences at the limits of quorum, threshold and veto [CN-92]", () => {
  expect(words([], 500)).toEqual([
    "Needs 167 more power to reach the quorum of 167.",
    "Passes when more than 50 % of the votes that do not abstain are yes; no such votes yet.",
    "Vetoed if more than 33.4 % of the cast power is No with veto.",
    "If it ended now, it would expire without a quorum.",
    "167 more power for yes would let it pass.",
  ]);
  expect(words([166], 500)[0]).toBe("Needs 1 more power to reach the quorum of 167.");
  expect(words([167], 500).slice(0, 1)).toEqual(["The quorum is met: 167 power is cast, 167 is needed."]);
  expect(words([167], 500).slice(3)).toEqual(["If it ended now, it would pass."]);
  expect(words([2, 2], 10).slice(1)).toEqual([
    "Passes when more than 50 % of the votes that do not abstain are yes; currently 2 of 4 (50 %).",
    "Vetoed if more than 33.4 % of the cast power is No with veto. Currently 0 of 4; 2 needed to veto.",
    "If it ended now, it would be rejected: too few of the votes are yes.",
    "1 more power for yes would let it pass.",
  ]);
  expect(words([0, 0, 4], 10).slice(3)).toEqual([
    "If it ended now, it would be rejected, because everybody abstained.",
    "1 more power for yes would let it pass.",
  ]);
  expect(words([3, 0, 0, 2], 10)[3]).toBe("If it ended now, it would be rejected by veto.");
  expect(words([2, 0, 0], 3, { ...usual, thresholdBp: 10_000 })[1]).toContain("all votes that do not abstain are yes");
  expect(words([2, 1, 0], 3, { ...usual, thresholdBp: 10_000, vetoBp: 10_000 }).slice(2)).toEqual([
    "This vote has no veto. No with veto counts as no.",
    "If it ended now, it would be rejected: too few of the votes are yes.",
    "It can no longer pass.",
  ]);
  // More than half, by less than a hundredth of a percent.
  expect(words([5_000_001, 4_999_999], 10_000_000)[1]).toContain("currently 5,000,001 of 10,000,000 (just over 50 %)");
});

const powers = fc.integer({ min: 0, max: 1_000 });
const basisPoints = (least: number) =>
  fc.oneof(fc.integer({ min: least, max: 10_000 }), fc.constantFrom(3_340, 5_000, 10_000));
const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) };

test("a share in words is on the same side of the limit as the share itself [CN-92]", () => {
  fc.assert(
    fc.property(powers, powers, fc.integer({ min: 1, max: 1_000_000 }), basisPoints(1), (part, more, scale, limit) => {
      const [some, whole] = [part * scale, (part + more) * scale + 1];
      const { percent, isJustOver } = shareOf(some, whole, limit);
      const exceeds = some * 10_000 > limit * whole;
      // How a reader interprets the words.
      expect(isJustOver || Math.round(percent * 100) > limit).toBe(exceeds);
    }),
    runs,
  );
  expect(votesTexts.percent(shareOf(1, 3))).toBe("33.33 %");
});

test("an open vote says why it is undecided, consistent with the registry's tally [CN-234]", () => {
  const said = (votes: readonly number[], totalPower: number, rules = usual) => {
    const awaited = awaitedBy(counted(votes), totalPower, rules);
    return tallyTexts.awaiting[awaited.reason](awaited);
  };
  expect(said([1], 10)).toBe("It stays open because the quorum is not met: 3 more power must be cast.");
  expect(said([2, 2], 10)).toBe(
    "It stays open because the 6 power not yet cast can still change the result. 4 more power for yes would pass it at once. 3 more power for no would reject it at once.",
  );
  expect(said([7], 10, { ...usual, allowRevote: true })).toBe(
    "It stays open because voters may change their votes until the vote ends.",
  );
  expect(tallyTexts.withoutKey(2, 50)).toContain("2 electors with 50 power cannot vote");
});
