/** When frames are pruned: 24 h after the end, and beyond the newest 50 runs. */
import { createFrameStore, FRAME_RETENTION_MS, REPLAYABLE_RUNS } from "./frames.ts";
import { expect, test } from "vitest";
import { turn } from "../../../test/support/chat-turns.ts";
import { createSqliteStorage } from "../../../test/support/sqlite-storage.ts";
import { migrate } from "../../schema.ts";
import { createRunStore } from "./run-store.ts";
import { migrations } from "../schema.ts";

const HOUR = 60 * 60 * 1000;

function setUp() {
  const storage = createSqliteStorage();
  migrate(storage, migrations);
  const runs = createRunStore(storage.sql);
  const frames = createFrameStore(storage.sql);
  const runIds = new Map<number, string>();
  /** A run of one frame; it has ended when `endedAt` is given. */
  function add(endedAt?: number): number {
    const { runId, ordinal } = runs.insert(`s.${crypto.randomUUID()}`, turn("hello"), 0);
    runIds.set(ordinal, runId);
    frames.append(ordinal, { seq: 1, event: "run", data: "{}" });
    if (endedAt !== undefined)
      runs.end(ordinal, {
        status: "finished",
        endedAt,
        usage: { inputTokens: 0, outputTokens: 0 },
        delegationRequired: false,
      });
    return ordinal;
  }
  const kept = (ordinals: readonly number[]): readonly boolean[] =>
    ordinals.map((ordinal) => {
      const has = frames.last(ordinal) !== undefined;
      expect(runs.byId(runIds.get(ordinal) ?? "")?.pruned).toBe(!has);
      return has;
    });
  return { runs, frames, add, kept };
}

test("frames stay for 24 h after the run's end, to the millisecond, and the next time is returned", () => {
  const { runs, frames, add, kept } = setUp();
  const ordinals = [add(HOUR), add(2 * HOUR)];
  expect(FRAME_RETENTION_MS).toBe(24 * HOUR);
  frames.prune(runs, 25 * HOUR - 1);
  expect(frames.nextPruning(runs)).toBe(25 * HOUR);
  expect(kept(ordinals)).toEqual([true, true]);
  frames.prune(runs, 25 * HOUR);
  expect(frames.nextPruning(runs)).toBe(26 * HOUR);
  expect(kept(ordinals)).toEqual([false, true]);
  frames.prune(runs, 26 * HOUR);
  expect(frames.nextPruning(runs)).toBeUndefined();
  expect(kept(ordinals)).toEqual([false, false]);
});

test("the newest 50 ended runs keep their frames, the 51st loses them", () => {
  const { runs, frames, add, kept } = setUp();
  expect(REPLAYABLE_RUNS).toBe(50);
  const first = [add(1), add(2)];
  for (let run = 2; run < REPLAYABLE_RUNS; run += 1) add(3);
  frames.prune(runs, HOUR);
  expect(kept(first)).toEqual([true, true]);
  add(4);
  frames.prune(runs, HOUR);
  expect(kept(first)).toEqual([false, true]);
});

test("a run that has not ended is never pruned, however old", () => {
  const { runs, frames, add, kept } = setUp();
  const active = add();
  for (let run = 0; run <= REPLAYABLE_RUNS; run += 1) add(1);
  frames.prune(runs, 1000 * HOUR);
  expect(frames.nextPruning(runs)).toBeUndefined();
  expect(kept([active])).toEqual([true]);
});
