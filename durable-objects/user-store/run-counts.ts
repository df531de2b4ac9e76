/**
 * Runs and tokens of a day (UTC), exactly. A run is counted before it starts and released when it does not start; its
 * tokens are known when it has ended. One row per run makes both safe to repeat.
 */
import type { ObjectStorage } from "../schema.ts";
import type { DailyLimits, RunReservation } from "./rpc.ts";
import type { UserStoreSchema } from "./schema.ts";

const DAY_MS = 86_400_000;

export interface RunCounts {
  /** Counts a run of that key, once however often it is asked; refused at a limit. */
  reserve(runKey: string, limits: DailyLimits, now: number): RunReservation;
  /** The run did not start. */
  release(runKey: string): void;
  /** What the run used; the latest call counts. A run of an earlier day counts for that day. */
  record(runKey: string, tokens: number): void;
  /** When the stored counts stop to matter, Unix milliseconds; nothing when none is stored. */
  lastLeaving(): number | undefined;
}

interface DayCount {
  readonly day: number;
  turns: number;
  tokens: number;
}

export function createRunCounts({ sql }: ObjectStorage, { prepare, written }: UserStoreSchema): RunCounts {
  /** The sums of the current day, kept in memory: only this object writes them. */
  let known: DayCount | undefined;

  function countOf(day: number): DayCount {
    if (known?.day === day) return known;
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

  function find(runKey: string): { day: number; tokens: number | null } | undefined {
    if (!written()) return undefined;
    return sql
      .exec<{ day: number; tokens: number | null }>("SELECT day, tokens FROM turns WHERE id = ?", runKey)
      .toArray()[0];
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
      prepare();
      if (count.turns === 0) sql.exec("DELETE FROM turns WHERE day < ?", day);
      sql.exec("INSERT INTO turns (id, day) VALUES (?, ?)", runKey, day);
      count.turns += 1;
      return { reserved: true };
    },
    release(runKey) {
      const turn = find(runKey);
      if (turn === undefined) return;
      sql.exec("DELETE FROM turns WHERE id = ?", runKey);
      if (known?.day !== turn.day) return;
      known.turns -= 1;
      known.tokens -= turn.tokens ?? 0;
    },
    record(runKey, tokens) {
      const turn = find(runKey);
      if (turn === undefined || turn.tokens === tokens) return;
      sql.exec("UPDATE turns SET tokens = ? WHERE id = ?", tokens, runKey);
      if (known?.day === turn.day) known.tokens += tokens - (turn.tokens ?? 0);
    },
    lastLeaving() {
      if (!written()) return undefined;
      const { day } = sql.exec<{ day: number | null }>("SELECT MAX(day) AS day FROM turns").one();
      return day === null ? undefined : (day + 1) * DAY_MS;
    },
  };
}
