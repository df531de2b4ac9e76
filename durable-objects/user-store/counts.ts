/**
 * What counts towards a user's limits: requests in a sliding minute, in memory over a journal in storage, because an
 * object that is idle for ten seconds may lose its memory; and the runs and tokens of a day (UTC), one row per run, so
 * that counting is safe to repeat. What comes together shares one write, which no response waits for: the pending write keeps
 * the object in memory, so only a crash can lose what it holds.
 */
import { type Admission, type RateWindow, createRateWindow } from "../../workers/platform/rate-window.ts";
import type { ObjectStorage } from "../schema.ts";
import type { UserStoreSchema } from "./schema.ts";
import type { DailyLimits, RunReservation } from "./rpc.ts";

/** `ORACLE_RATE_LIMIT_PER_MINUTE` is per sliding minute. */
const RATE_WINDOW_MS = 60_000;
/** How long requests, and runs, are collected for one write, milliseconds. */
const JOURNAL_PAUSE_MS = 100;

export interface RequestJournal {
  /** Counts one request. A refused one is not counted and writes nothing. */
  take(now: number, limit: number): Admission;
  /** Writes what has not been written yet. */
  flush(now: number): void;
  /** When the last stored request leaves the window, Unix milliseconds; nothing when none is stored. */
  lastLeaving(): number | undefined;
}

/** `schedule` runs the work once after the delay. */
export function createRequestJournal(
  { sql }: ObjectStorage,
  { prepare, written }: UserStoreSchema,
  schedule: (milliseconds: number, work: () => void) => void,
  now: () => number,
): RequestJournal {
  let window: RateWindow | undefined;
  let unwritten = { count: 0, leavesAt: 0 };
  let scheduled = false;

  /** From the journal, once in each life of the object. */
  function stored(at: number): readonly number[] {
    if (!written()) return [];
    return sql
      .exec<{ leaves_at: number; count: number }>(
        "SELECT leaves_at, count FROM requests WHERE leaves_at > ? ORDER BY leaves_at",
        at,
      )
      .toArray()
      .flatMap(({ leaves_at, count }) => Array.from({ length: count }, () => leaves_at - RATE_WINDOW_MS));
  }

  function flush(at: number): void {
    const { count, leavesAt } = unwritten;
    if (count === 0) return;
    unwritten = { count: 0, leavesAt: 0 };
    prepare();
    sql.exec("DELETE FROM requests WHERE leaves_at <= ?", at);
    // Those of one write leave with the last of them: from the journal the count is never too low.
    sql.exec(
      "INSERT INTO requests (leaves_at, count) VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
      leavesAt,
      count,
    );
  }

  return {
    take(at, limit) {
      window ??= createRateWindow(RATE_WINDOW_MS, stored(at));
      const admission = window.take(at, limit);
      if (!admission.admitted) return admission;
      unwritten = { count: unwritten.count + 1, leavesAt: Math.max(at + RATE_WINDOW_MS, unwritten.leavesAt) };
      if (!scheduled) {
        scheduled = true;
        schedule(JOURNAL_PAUSE_MS, () => {
          scheduled = false;
          flush(now());
        });
      }
      return admission;
    },
    flush,
    lastLeaving() {
      if (!written()) return undefined;
      return sql.exec<{ at: number | null }>("SELECT MAX(leaves_at) AS at FROM requests").one().at ?? undefined;
    },
  };
}

const DAY_MS = 86_400_000;

export interface RunCounts {
  /** Counts a run of that key, once however often it is asked; refused at a limit. */
  reserve(runKey: string, limits: DailyLimits, now: number): RunReservation;
  /** The run did not start. */
  release(runKey: string): void;
  /** What the run used; the latest call counts. A run of an earlier day counts for that day. */
  record(runKey: string, tokens: number): void;
  /** Writes what has not been written yet. */
  flush(): void;
  /** When the stored counts stop to matter, Unix milliseconds; nothing when none is stored. */
  lastLeaving(): number | undefined;
}

interface DayCount {
  readonly day: number;
  turns: number;
  tokens: number;
}

interface CountedRun {
  readonly day: number;
  readonly tokens: number | null;
}

/** `schedule` runs the work once after the delay. */
export function createRunCounts(
  { sql }: ObjectStorage,
  { prepare, written }: UserStoreSchema,
  schedule: (milliseconds: number, work: () => void) => void,
): RunCounts {
  /** The sums of the current day, kept in memory: only this object writes them. */
  let known: DayCount | undefined;
  const unwritten = new Map<string, CountedRun>();
  let scheduled = false;
  /** Rows of earlier days are to be deleted. */
  let beginsDay = false;

  function countOf(day: number): DayCount {
    if (known?.day === day) return known;
    flush();
    const sums = written()
      ? sql
          .exec<{ turns: number; tokens: number }>(
            "SELECT COUNT(*) AS turns, COALESCE(SUM(tokens), 0) AS tokens FROM turns WHERE day = ?",
            day,
          )
          .one()
      : { turns: 0, tokens: 0 };
    known = { day, ...sums };
    return known;
  }

  function find(runKey: string): CountedRun | undefined {
    const run = unwritten.get(runKey);
    if (run !== undefined || !written()) return run;
    return sql
      .exec<{ day: number; tokens: number | null }>("SELECT day, tokens FROM turns WHERE id = ?", runKey)
      .toArray()[0];
  }

  function flush(): void {
    if (unwritten.size === 0) return;
    const runs = [...unwritten];
    unwritten.clear();
    prepare();
    if (beginsDay) sql.exec("DELETE FROM turns WHERE day < ?", Math.max(...runs.map(([, { day }]) => day)));
    beginsDay = false;
    for (const [runKey, { day, tokens }] of runs) {
      sql.exec("INSERT INTO turns (id, day, tokens) VALUES (?, ?, ?)", runKey, day, tokens);
    }
  }

  return {
    reserve(runKey, limits, now) {
      const day = Math.floor(now / DAY_MS);
      if (find(runKey) !== undefined) return { reserved: true };
      const count = countOf(day);
      const exhausted =
        limits.turns > 0 && count.turns >= limits.turns
          ? "turns"
          : limits.tokens > 0 && count.tokens >= limits.tokens
            ? "tokens"
            : undefined;
      if (exhausted !== undefined) {
        const retryAfter = Math.ceil(((day + 1) * DAY_MS - now) / 1000);
        return { reserved: false, exhausted, limit: limits[exhausted], retryAfter };
      }
      beginsDay ||= count.turns === 0;
      unwritten.set(runKey, { day, tokens: null });
      count.turns += 1;
      if (!scheduled) {
        scheduled = true;
        schedule(JOURNAL_PAUSE_MS, () => {
          scheduled = false;
          flush();
        });
      }
      return { reserved: true };
    },
    release(runKey) {
      const turn = find(runKey);
      if (turn === undefined) return;
      if (!unwritten.delete(runKey)) sql.exec("DELETE FROM turns WHERE id = ?", runKey);
      if (known?.day !== turn.day) return;
      known.turns -= 1;
      known.tokens -= turn.tokens ?? 0;
    },
    record(runKey, tokens) {
      const turn = find(runKey);
      if (turn === undefined || turn.tokens === tokens) return;
      if (unwritten.has(runKey)) unwritten.set(runKey, { ...turn, tokens });
      else sql.exec("UPDATE turns SET tokens = ? WHERE id = ?", tokens, runKey);
      if (known?.day === turn.day) known.tokens += tokens - (turn.tokens ?? 0);
    },
    flush,
    lastLeaving() {
      if (!written()) return undefined;
      const { day } = sql.exec<{ day: number | null }>("SELECT MAX(day) AS day FROM turns").one();
      return day === null ? undefined : (day + 1) * DAY_MS;
    },
  };
}
