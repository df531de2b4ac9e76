/** A payer's ledger over real SQLite: its calls, their edges, and invariants over any order of calls. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createSqliteStorage, tablesOf } from "../../test/support/storage/sqlite-storage.ts";
import { CONFIRMED_HOLD_MS, createLedger, LARGEST_BALANCE, UNCONFIRMED_HOLD_MS } from "./ledger.ts";
import { CARRIED, OLD_AT_ONCE } from "./retention.ts";
import { migrations } from "./schema.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

function ledgerAt(start = 1_000) {
  const storage = createSqliteStorage();
  let time = start;
  const ledger = createLedger(storage, () => time);
  /** Independent of the running sums: computed from the entries. */
  function sums() {
    if (tablesOf(storage.database).length === 0) return { granted: 0, balance: 0, held: 0, spent: 0 };
    const [row] = storage.database
      .prepare(
        `SELECT COALESCE(SUM(granted), 0) AS granted, COALESCE(SUM(balance), 0) AS balance,
                COALESCE(SUM(held), 0) AS held, COALESCE(SUM(spent), 0) AS spent FROM entries`,
      )
      .all() as { granted: number; balance: number; held: number; spent: number }[];
    if (row === undefined) throw new Error("a sum has one row");
    return row;
  }
  /** The holds of turns, from their own rows. */
  function holds(): unknown {
    if (tablesOf(storage.database).length === 0) return 0;
    return storage.database.prepare("SELECT COALESCE(SUM(held), 0) AS held FROM runs").get()?.["held"];
  }
  return {
    ledger,
    storage,
    sums,
    holds,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    time: () => time,
  };
}

const terms = { amount: 5, minimum: 10, initial: 0 };

it("reading a ledger that was never written to leaves no trace [OR-336]", () => {
  const { ledger, storage } = ledgerAt();
  expect(ledger.hold({ runId: "r1", ...terms })).toEqual({ held: false, reason: "unknown" });
  expect(ledger.summary(7)).toEqual({ balance: 7, held: 0 });
  expect(ledger.nextLapse()).toBeUndefined();
  expect(tablesOf(storage.database)).toEqual([]);
});

it("holds down to the minimum, and no further; repeating the turn changes nothing [OR-336]", () => {
  const { ledger, sums } = ledgerAt();
  ledger.grant("g", 21);
  expect(ledger.hold({ runId: "r1", ...terms })).toEqual({ held: true });
  expect(ledger.hold({ runId: "r1", ...terms })).toEqual({ held: true });
  expect(ledger.hold({ runId: "r2", ...terms })).toEqual({ held: true });
  expect(ledger.hold({ runId: "r3", ...terms })).toEqual({ held: true });
  expect(ledger.summary(0)).toEqual({ balance: 6, held: 15 });
  expect(ledger.hold({ runId: "r4", ...terms })).toEqual({ held: false, reason: "low" });
  expect(sums()).toEqual({ granted: -21, balance: 6, held: 15, spent: 0 });
});

it("a payer starts with the initial credits, once [OR-336]", () => {
  const { ledger } = ledgerAt();
  expect(ledger.settle("refused before", 0)).toEqual({ charged: 0, repeated: false });
  ledger.hold({ runId: "r1", ...terms, initial: 20 });
  ledger.hold({ runId: "r2", ...terms, initial: 20 });
  expect(ledger.summary(0)).toEqual({ balance: 10, held: 10 });
});

it("a grant counts once per key, another amount under that key is a conflict, and no ledger exceeds its limit [OR-341]", () => {
  const { ledger } = ledgerAt();
  expect(ledger.grant("k", 5)).toEqual({ granted: true, repeated: false, balance: 5 });
  expect(ledger.grant("k", 5)).toEqual({ granted: true, repeated: true, balance: 5 });
  expect(ledger.grant("k", 6)).toEqual({ granted: false, reason: "conflict" });
  expect(LARGEST_BALANCE).toBe(1e15);
  expect(ledger.grant("l", LARGEST_BALANCE - 5)).toMatchObject({ granted: true });
  expect(ledger.grant("m", 1)).toEqual({ granted: false, reason: "limit" });
});

it("a turn is charged its cost once, first from its hold and then from the balance, never below zero [OR-339]", () => {
  const { ledger } = ledgerAt();
  ledger.grant("g", 30);
  for (const runId of ["cheap", "dear", "dearest"]) ledger.hold({ runId, ...terms, minimum: 0 });
  expect(ledger.settle("cheap", 2)).toEqual({ charged: 2, repeated: false });
  expect(ledger.settle("cheap", 4)).toEqual({ charged: 2, repeated: true });
  expect(ledger.summary(0)).toEqual({ balance: 18, held: 10 });
  expect(ledger.settle("dear", 9)).toEqual({ charged: 9, repeated: false });
  expect(ledger.summary(0)).toEqual({ balance: 14, held: 5 });
  expect(ledger.settle("dearest", 100)).toEqual({ charged: 19, repeated: false });
  expect(ledger.summary(0)).toEqual({ balance: 0, held: 0 });
  expect(ledger.hold({ runId: "cheap", ...terms })).toEqual({ held: false, reason: "ended" });
  expect(ledger.cover("cheap", 1)).toEqual({ covered: false, held: 0 });
});

it("a hold is raised as far as the balance allows [OR-338]", () => {
  const { ledger } = ledgerAt();
  ledger.grant("g", 20);
  ledger.hold({ runId: "r", ...terms });
  expect(ledger.cover("r", 4)).toEqual({ covered: true, held: 5 });
  expect(ledger.cover("r", 20)).toEqual({ covered: true, held: 20 });
  expect(ledger.cover("r", 21)).toEqual({ covered: false, held: 20 });
  ledger.grant("h", 5);
  expect(ledger.cover("r", 21, 30)).toEqual({ covered: true, held: 25 });
  expect(ledger.cover("r", 1, 2)).toEqual({ covered: true, held: 25 });
});

it("an unconfirmed hold lapses after 15 minutes, a running turn's after 7 days; both are charged later [OR-340]", () => {
  expect([UNCONFIRMED_HOLD_MS, CONFIRMED_HOLD_MS]).toEqual([900_000, 604_800_000]);
  const { ledger, pass, time } = ledgerAt();
  ledger.grant("g", 30);
  ledger.hold({ runId: "lost", ...terms });
  ledger.hold({ runId: "runs", ...terms });
  ledger.cover("runs", 5);
  expect(ledger.nextLapse()).toBe(time() + UNCONFIRMED_HOLD_MS);
  pass(UNCONFIRMED_HOLD_MS - 1);
  ledger.lapse();
  expect(ledger.summary(0)).toEqual({ balance: 20, held: 10 });
  pass(1);
  ledger.lapse();
  ledger.lapse();
  expect(ledger.summary(0)).toEqual({ balance: 25, held: 5 });
  // It had only waited in a queue, and now holds credits again.
  expect(ledger.cover("lost", 6)).toEqual({ covered: true, held: 6 });
  pass(CONFIRMED_HOLD_MS);
  ledger.lapse();
  expect(ledger.summary(0)).toEqual({ balance: 30, held: 0 });
  expect(ledger.nextLapse()).toBeUndefined();
  expect(ledger.settle("runs", 7)).toEqual({ charged: 7, repeated: false });
  expect(ledger.summary(0)).toEqual({ balance: 23, held: 0 });
});

it("a report replaces the balance, minus what the service cannot know: holds, and turns not yet reported to it [OR-345]", () => {
  const { ledger, sums } = ledgerAt();
  const report = (credits: number, readAt: number) => ({ credits, readAt });
  expect(ledger.hold({ runId: "a", ...terms, initial: 99, report: report(100, 10) })).toEqual({ held: true });
  expect(ledger.summary(0)).toEqual({ balance: 95, held: 5 });
  ledger.settle("a", 3);
  ledger.hold({ runId: "b", ...terms, report: report(100, 20) });
  expect(ledger.summary(0)).toEqual({ balance: 92, held: 5 });
  ledger.markReported(["a"], 25);
  ledger.markReported(["a"], 99);
  // Read before the service received the report, so the turn is still missing in it.
  ledger.hold({ runId: "c", ...terms, report: report(100, 24) });
  expect(ledger.summary(0)).toEqual({ balance: 87, held: 10 });
  ledger.hold({ runId: "d", ...terms, report: report(97, 26) });
  expect(ledger.summary(0)).toEqual({ balance: 82, held: 15 });
  // An older report changes nothing, and a report of less than the holds leaves nothing.
  ledger.hold({ runId: "e", ...terms, report: report(1_000, 26) });
  expect(ledger.summary(0)).toEqual({ balance: 77, held: 20 });
  expect(ledger.hold({ runId: "f", ...terms, report: report(4, 30) })).toEqual({ held: false, reason: "low" });
  expect(ledger.summary(0)).toEqual({ balance: 0, held: 20 });
  const { granted, balance, held, spent } = sums();
  expect(granted + balance + held + spent).toBe(0);
});

it("in any order of calls, repeats and alarms: every entry sums to zero, no account is below zero, each turn is settled once [OR-339, OR-340]", () => {
  const runId = fc.constantFrom("r1", "r2", "r3", "r4");
  const amount = fc.integer({ min: 0, max: 40 });
  const step = fc.oneof(
    fc.record({ call: fc.constant("hold" as const), runId, amount }),
    fc.record({ call: fc.constant("report" as const), runId, amount, credits: fc.integer({ min: 0, max: 200 }) }),
    fc.record({ call: fc.constant("cover" as const), runId, amount }),
    fc.record({ call: fc.constant("settle" as const), runId, amount }),
    fc.record({
      call: fc.constant("grant" as const),
      key: fc.constantFrom("a", "b", "c"),
      amount: fc.integer({ min: 1, max: 99 }),
    }),
    fc.record({ call: fc.constant("reported" as const), runId }),
    fc.record({
      call: fc.constant("lapse" as const),
      passes: fc.constantFrom(1, UNCONFIRMED_HOLD_MS, CONFIRMED_HOLD_MS),
    }),
    // The object was evicted: the storage is kept, the memory is lost.
    fc.record({ call: fc.constant("restart" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const started = ledgerAt();
      const { storage, sums, holds, pass, time } = started;
      let { ledger } = started;
      const charged = new Map<string, number>();
      const seen: unknown[] = [];
      const expected: unknown[] = [];
      for (const each of steps) {
        if (each.call === "hold") ledger.hold({ ...each, minimum: 2, initial: 50 });
        else if (each.call === "report")
          ledger.hold({ ...each, minimum: 2, initial: 0, report: { credits: each.credits, readAt: time() } });
        else if (each.call === "cover") ledger.cover(each.runId, each.amount);
        else if (each.call === "grant") ledger.grant(each.key, each.amount);
        else if (each.call === "reported") ledger.markReported([each.runId], time());
        else if (each.call === "restart") ledger = createLedger(storage, time);
        else if (each.call === "lapse") {
          pass(each.passes);
          ledger.lapse();
        } else {
          const settled = ledger.settle(each.runId, each.amount);
          const before = charged.get(each.runId);
          seen.push(settled);
          expected.push({ charged: before ?? settled.charged, repeated: before !== undefined });
          charged.set(each.runId, settled.charged);
        }
        pass(1);
        const { granted, balance, held, spent } = sums();
        seen.push([
          granted + balance + held + spent,
          Math.min(balance, held, spent),
          spent,
          holds(),
          ledger.summary(0),
        ]);
        const settled = [...charged.values()].reduce((sum, value) => sum + value, 0);
        expected.push([0, Math.max(0, Math.min(balance, held, spent)), settled, held, { balance, held }]);
      }
      expect(seen).toEqual(expected);
    }),
    { numRuns },
  );
});

const DAY = 24 * 3_600_000;

it("with a retention, settled and claimed turns are removed a few at a time, and the accounts stay unchanged [OR-608]", () => {
  const { ledger, storage, sums, pass, time } = ledgerAt();
  const keys = () =>
    storage.database
      .prepare("SELECT key FROM entries ORDER BY position")
      .all()
      .map(({ key }) => key);
  const runs = () =>
    storage.database
      .prepare("SELECT run_id FROM runs ORDER BY run_id")
      .all()
      .map((row) => row["run_id"]);
  ledger.grant("g", 1_000);
  for (let index = 10; index < 22; index += 1) {
    ledger.hold({ runId: `r${index}`, ...terms });
    ledger.cover(`r${index}`, 8);
    ledger.settle(`r${index}`, 7);
  }
  ledger.settle("free", 0);
  ledger.hold({ runId: "held", ...terms });
  ledger.markReported(["r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20"], time());
  pass(31 * DAY);
  const before = sums();
  const accounts = ledger.summary(0);
  expect(ledger.settle("new", 3, 30 * DAY)).toEqual({ charged: 3, repeated: false });
  expect(OLD_AT_ONCE).toBe(10);
  expect(runs()).toHaveLength(15 - OLD_AT_ONCE);
  ledger.settle("newer", 3, 30 * DAY);
  // The claim of r21 was not submitted, and a turn that holds credits is not settled.
  expect(runs()).toEqual(["held", "new", "newer", "r21"]);
  expect(keys()).toEqual(expect.arrayContaining(["grant:g", CARRIED, "settle:r21", "settle:new"]));
  expect(keys()).not.toContain("settle:r10");
  expect(sums()).toEqual({ ...before, balance: before.balance - 6, spent: before.spent + 6 });
  expect(ledger.summary(0)).toEqual({ balance: accounts.balance - 6, held: accounts.held });
  expect(ledger.grant("g", 1_000)).toMatchObject({ granted: true, repeated: true });
});

it("reports of a subscription service are removed too, and without a retention nothing is [OR-608]", () => {
  const { ledger, storage, sums, pass, time } = ledgerAt();
  const count = () => Number(storage.database.prepare("SELECT count(*) AS entries FROM entries").get()?.["entries"]);
  for (let index = 0; index < 5; index += 1) {
    pass(1_000);
    ledger.hold({ runId: `r${index}`, ...terms, report: { credits: 1_000 + index, readAt: time() } });
    ledger.settle(`r${index}`, 0);
  }
  pass(31 * DAY);
  const [all, before] = [count(), sums()];
  ledger.settle("kept", 0);
  expect(count()).toBe(all);
  ledger.settle("swept", 0, 30 * DAY);
  expect(count()).toBe(1);
  expect(sums()).toEqual(before);
});

it("a ledger of the previous release gets the times of its settled turns [OR-608]", () => {
  const { storage } = ledgerAt();
  for (const script of migrations.slice(0, 1)) storage.database.exec(script);
  storage.database.exec(
    `INSERT INTO entries (key, at, granted, balance, held, spent) VALUES ('settle:r1', 77, 0, -1, 0, 1);
     INSERT INTO runs (run_id, state, held, entries) VALUES ('r1', 'settled', 0, 0), ('r2', 'settled', 0, 0), ('r3', 'held', 0, 0)`,
  );
  storage.database.exec(migrations[1] ?? "");
  const rows = storage.database.prepare("SELECT run_id, settled_at FROM runs ORDER BY run_id").all();
  expect(rows.map((row) => row["settled_at"])).toEqual([77, expect.any(Number), null]);
});
