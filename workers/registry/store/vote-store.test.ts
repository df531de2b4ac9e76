/** The early decision in SQL is the pure one (governance/tally.ts), column for column; over Node's own SQLite. */
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { castPower, earlyDecision, type Tally } from "../governance/tally.ts";
import { earlyDecisionSql } from "./vote-store.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const database = new DatabaseSync(":memory:");
const COLUMNS = "?1 AS yes, ?2 AS no, ?3 AS abstain, ?4 AS no_with_veto, ?5 AS total_power, ?6 AS rules";
const query = database.prepare(`SELECT ${earlyDecisionSql} AS decided FROM (SELECT ${COLUMNS})`);

const basisPoints = (least: number) =>
  fc.oneof(fc.integer({ min: least, max: 10_000 }), fc.constantFrom(least, 3_340, 5_000, 10_000));
const anyRules = fc.record({
  quorumBp: basisPoints(0),
  thresholdBp: basisPoints(1),
  vetoBp: basisPoints(1),
  allowRevote: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

function decidedBySql({ yes, no, abstain, noWithVeto }: Tally, totalPower: number, rules: object): boolean {
  const row = query.get(yes, no, abstain, noWithVeto, totalPower, JSON.stringify(rules));
  return row?.["decided"] === 1;
}

test("over every tally of a small electorate", () => {
  const small = fc.integer({ min: 0, max: 8 });
  const tallies = fc.record({ yes: small, no: small, abstain: small, noWithVeto: small });
  fc.assert(
    fc.property(anyRules, tallies, small, (rules, tally, left) => {
      const totalPower = castPower(tally) + left;
      fc.pre(totalPower > 0);
      expect(decidedBySql(tally, totalPower, rules)).toBe(earlyDecision(tally, totalPower, rules) !== undefined);
    }),
    { numRuns: numRuns * 20 },
  );
});

test("over the powers of the greatest electorate, at its edges", () => {
  const power = fc.oneof(fc.nat({ max: 3e9 }), fc.constantFrom(0, 1, 3_340e6, 3_339_999_999, 3_340_000_001, 5e9));
  const tallies = fc.record({ yes: power, no: power, abstain: power, noWithVeto: power });
  fc.assert(
    fc.property(anyRules, tallies, fc.oneof(power, fc.constant(0)), (rules, tally, left) => {
      const totalPower = castPower(tally) + left;
      fc.pre(totalPower > 0 && totalPower <= 1e10);
      expect(decidedBySql(tally, totalPower, rules)).toBe(earlyDecision(tally, totalPower, rules) !== undefined);
    }),
    { numRuns: numRuns * 5 },
  );
});
