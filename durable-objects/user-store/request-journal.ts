/**
 * The rate limit of one user: a sliding window in memory over a journal in storage. An object that is idle for ten
 * seconds may lose its memory, and the limit must survive that. Requests that come together share one write, which no
 * answer waits for: the pending write keeps the object in memory, so only a crash can lose what it holds.
 */
import { createRateWindow, type Admission, type RateWindow } from "../../workers/platform/rate-window.ts";
import type { ObjectStorage } from "../schema.ts";
import type { UserStoreSchema } from "./schema.ts";

/** `ORACLE_RATE_LIMIT_PER_MINUTE` is per sliding minute. */
const RATE_WINDOW_MS = 60_000;
/** How long requests are collected for one write of the journal, milliseconds. */
export const JOURNAL_PAUSE_MS = 100;

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
