/**
 * The counts for a user's limits. Requests in a sliding minute are counted in memory over a journal in storage, because
 * an object that is idle for ten seconds may lose its memory. Runs and tokens of a day (UTC) have one row per run, so
 * that counting is idempotent. Concurrent changes share one write, which no response waits for: the pending write keeps
 * the object in memory, so only a crash can lose it.
 */
import { type Admission, type RateWindow, createRateWindow } from "../../platform/rate-window.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";
import type { UserVaultSchema } from "./schema.ts";
import type { DailyLimits, RunReservation, RunUsage, TokenGrant, TokenRequest } from "../../oracle/user-vault-rpc.ts";

/** `ORACLE_RATE_LIMIT_PER_MINUTE` is per sliding minute. */
const RATE_WINDOW_MS = 60_000;
/** How long requests, and runs, are collected for one write, in milliseconds. */
const JOURNAL_PAUSE_MS = 100;

/** Runs the work once after the delay. */
type Schedule = (milliseconds: number, work: () => void) => void;

/** Schedules one write for all calls of a pause. */
function createDelayedWrite(schedule: Schedule, write: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    schedule(JOURNAL_PAUSE_MS, () => {
      scheduled = false;
      write();
    });
  };
}

export function createRequestJournal(
  { sql }: ObjectStorage,
  { prepare, written }: UserVaultSchema,
  schedule: Schedule,
  now: () => number,
) {
  let window: RateWindow | undefined;
  let unwritten = { count: 0, leavesAt: 0 };
  const flushLater = createDelayedWrite(schedule, () => flush(now()));

  /** Reads the journal, once per instance of the object. */
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
    // Requests that are written together expire with the last of them, so a count from the journal is never too low.
    sql.exec(
      "INSERT INTO requests (leaves_at, count) VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
      leavesAt,
      count,
    );
  }

  return {
    /** Counts one request. A refused one is not counted and writes nothing. */
    take(at: number, limit: number): Admission {
      window ??= createRateWindow(RATE_WINDOW_MS, stored(at));
      const admission = window.take(at, limit);
      if (!admission.admitted) return admission;
      unwritten = { count: unwritten.count + 1, leavesAt: Math.max(at + RATE_WINDOW_MS, unwritten.leavesAt) };
      flushLater();
      return admission;
    },
    /** Writes what has not been written yet. */
    flush,
    /** When the last stored request leaves the window, in Unix milliseconds; undefined if none is stored. */
    lastLeaving(): number | undefined {
      if (!written()) return undefined;
      return sql.exec<{ at: number | null }>("SELECT MAX(leaves_at) AS at FROM requests").one().at ?? undefined;
    },
  };
}

const DAY_MS = 86_400_000;
/**
 * Tokens reserved when a run is counted: a short prompt and its answer, so that most runs need no further call. The
 * session reserves more before it sends a request that may cost more.
 */
export const FIRST_GRANT_TOKENS = 24_000;
/**
 * How long a reservation lasts without renewal, in milliseconds: its session is lost, or its run waits for its user.
 * After that, its run does not count as running either.
 */
export const GRANT_LIFETIME_MS = 30 * 60_000;
/** Seconds before a run that was refused because of others' reservations may retry. */
const RESERVED_RETRY_SECONDS = 10;

export type RunCounts = ReturnType<typeof createRunCounts>;

/** The row of a counted run. */
interface CountedRun {
  readonly day: number;
  /** Its usage; null until it is known. */
  readonly tokens: number | null;
  /** Its total allowance; null if nothing is reserved, as for an ended run. */
  readonly reserved: number | null;
  /** Until when it counts as running, in Unix milliseconds; null if it has ended. */
  readonly runsUntil: number | null;
  /** Its usage on earlier days, if that counted there. */
  readonly earlier: number;
  readonly isTurn: boolean;
}

type RunRow = {
  id: string;
  day: number;
  tokens: number | null;
  reserved: number | null;
  runs_until: number | null;
  earlier: number;
  is_turn: number;
};

const RUN_COLUMNS = "id, day, tokens, reserved, runs_until, earlier, is_turn";

export function createRunCounts({ sql }: ObjectStorage, { prepare, written }: UserVaultSchema, schedule: Schedule) {
  /** The runs of the current day and their tokens, in memory: only this object writes them. */
  let known: { readonly day: number; turns: number; tokens: number } | undefined;
  /** Runs that have not ended, of any day; read from storage once per instance of the object. */
  let running: Map<string, CountedRun> | undefined;
  const unwritten = new Map<string, CountedRun>();
  const flushLater = createDelayedWrite(schedule, () => flush());
  /** Rows of earlier days must be deleted. */
  let beginsDay = false;

  function countOf(day: number): NonNullable<typeof known> {
    if (known?.day === day) return known;
    flush();
    const sums = written()
      ? sql
          .exec<{ turns: number; tokens: number }>(
            `SELECT COALESCE(SUM(is_turn), 0) AS turns, COALESCE(SUM(tokens - earlier), 0) AS tokens FROM turns
             WHERE day = ?`,
            day,
          )
          .one()
      : { turns: 0, tokens: 0 };
    known = { day, ...sums };
    return known;
  }

  function runningNow(now: number): Map<string, CountedRun> {
    running ??= new Map(
      written()
        ? sql
            .exec<RunRow>(`SELECT ${RUN_COLUMNS} FROM turns WHERE runs_until IS NOT NULL`)
            .toArray()
            .map((row) => [row.id, toRun(row)])
        : [],
    );
    for (const [runKey, { runsUntil }] of running) if (runsUntil !== null && runsUntil <= now) running.delete(runKey);
    return running;
  }

  function find(runKey: string): CountedRun | undefined {
    const run = unwritten.get(runKey) ?? running?.get(runKey);
    if (run !== undefined || !written()) return run;
    const [row] = sql.exec<RunRow>(`SELECT ${RUN_COLUMNS} FROM turns WHERE id = ?`, runKey).toArray();
    return row === undefined ? undefined : toRun(row);
  }

  /** The unused part of other runs' reservations. */
  function reservedBeside(runKey: string | undefined, day: number, now: number): number {
    let sum = 0;
    for (const [key, run] of runningNow(now))
      if (key !== runKey && run.day === day) sum += Math.max(0, (run.reserved ?? 0) - (run.tokens ?? run.earlier));
    return sum;
  }

  /** Replaces the run in memory; the caller writes it. */
  function keep(runKey: string, before: CountedRun | undefined, run: CountedRun): void {
    if (known?.day === before?.day && known !== undefined && before !== undefined) count(known, before, -1);
    if (known?.day === run.day) count(known, run, 1);
    if (run.runsUntil === null) running?.delete(runKey);
    else running?.set(runKey, run);
  }

  function write(runKey: string, { day, tokens, reserved, runsUntil, earlier, isTurn }: CountedRun): void {
    prepare();
    sql.exec(
      `INSERT OR REPLACE INTO turns (${RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      runKey,
      day,
      tokens,
      reserved,
      runsUntil,
      earlier,
      isTurn ? 1 : 0,
    );
  }

  function flush(): void {
    if (unwritten.size === 0) return;
    const runs = [...unwritten];
    unwritten.clear();
    prepare();
    if (beginsDay) {
      const day = Math.max(...runs.map(([, run]) => run.day));
      // A run that was active when the day began may still use tokens.
      const over = "day < ?1 AND (runs_until IS NULL OR runs_until <= ?1 * ?2)";
      sql.exec(`DELETE FROM turns WHERE ${over}`, day, DAY_MS);
    }
    beginsDay = false;
    for (const [runKey, run] of runs) write(runKey, run);
  }

  return {
    /** Counts a run with that key once, however often the call is repeated; refused at a limit. */
    reserve(runKey: string, limits: DailyLimits, now: number): RunReservation {
      const day = Math.floor(now / DAY_MS);
      if (find(runKey) !== undefined) return { reserved: true };
      const { turns, tokens } = countOf(day);
      const left = limits.tokens - tokens;
      const free = left - (limits.tokens > 0 ? reservedBeside(undefined, day, now) : 0);
      const untilTomorrow = Math.ceil(((day + 1) * DAY_MS - now) / 1000);
      const refuse = (exhausted: "turns" | "tokens" | "running" | "reserved", limit: number): RunReservation => ({
        reserved: false,
        exhausted,
        limit,
        retryAfter:
          exhausted === "turns" || exhausted === "tokens"
            ? untilTomorrow
            : Math.min(RESERVED_RETRY_SECONDS, untilTomorrow),
      });
      if (limits.turns > 0 && turns >= limits.turns) return refuse("turns", limits.turns);
      if (limits.tokens > 0 && left <= 0) return refuse("tokens", limits.tokens);
      const { running: mayRun = 0 } = limits;
      if (mayRun > 0 && countRuns(runningNow(now)) >= mayRun) return refuse("running", mayRun);
      if (limits.tokens > 0 && free <= 0) return refuse("reserved", limits.tokens);
      const reserved = limits.tokens > 0 ? Math.min(FIRST_GRANT_TOKENS, free) : null;
      const runsUntil = now + GRANT_LIFETIME_MS;
      beginsDay ||= turns === 0;
      const run = { day, tokens: null, reserved, runsUntil, earlier: 0, isTurn: true };
      runningNow(now);
      keep(runKey, undefined, run);
      unwritten.set(runKey, run);
      flushLater();
      return { reserved: true, ...(reserved === null ? {} : { grant: { tokens: reserved, until: runsUntil } }) };
    },
    /**
     * Reserves tokens for a run that continues, and replaces its previous reservation. Undefined if the day's tokens are used up
     * or reserved. The last reservation of a day may exceed the limit by the minimum that its request needs.
     */
    reserveTokens(runKey: string, wanted: TokenRequest, limit: number, now: number): TokenGrant | undefined {
      const { most, least, used, since, isTurn } = wanted;
      const day = Math.floor(now / DAY_MS);
      const before = find(runKey);
      const { tokens } = countOf(day);
      const isOfToday = before?.day === day;
      // On a new day, only usage from then on counts for it.
      const earlier = isOfToday ? before.earlier : before === undefined && since >= day * DAY_MS ? 0 : used;
      const others = tokens - (isOfToday ? usedToday(before) : 0) + reservedBeside(runKey, day, now);
      const left = limit - others + earlier;
      if (left <= used) return undefined;
      const run: CountedRun = {
        day,
        tokens: used,
        reserved: Math.max(least, Math.min(most, left)),
        runsUntil: now + GRANT_LIFETIME_MS,
        earlier,
        isTurn: isOfToday ? before.isTurn : isTurn && earlier === 0 && before === undefined,
      };
      unwritten.delete(runKey);
      keep(runKey, before, run);
      // Written at once, because more than the start of a run depends on it.
      write(runKey, run);
      return { tokens: run.reserved ?? 0, until: now + GRANT_LIFETIME_MS };
    },
    /** The run did not start. */
    release(runKey: string): void {
      const run = find(runKey);
      if (run === undefined) return;
      if (!unwritten.delete(runKey)) sql.exec("DELETE FROM turns WHERE id = ?", runKey);
      running?.delete(runKey);
      if (known?.day === run.day) count(known, run, -1);
    },
    /**
     * The usage of a run that has ended; the latest call counts. A run of an earlier day counts for that day. An unknown run
     * counts if it was accepted today: the server was killed before it had stored that the run was counted. Returns whether that
     * was so.
     */
    record({ runKey, tokens, since = 0 }: RunUsage, now: number): boolean {
      const run = find(runKey);
      if (run === undefined) {
        const day = Math.floor(now / DAY_MS);
        if (since < day * DAY_MS) return false;
        countOf(day);
        const lost = { day, tokens, reserved: null, runsUntil: null, earlier: 0, isTurn: true };
        keep(runKey, undefined, lost);
        write(runKey, lost);
        return true;
      }
      if (run.tokens === tokens && run.runsUntil === null) return false;
      const ended = { ...run, tokens, reserved: null, runsUntil: null };
      keep(runKey, run, ended);
      if (unwritten.has(runKey)) unwritten.set(runKey, ended);
      else sql.exec("UPDATE turns SET tokens = ?, reserved = NULL, runs_until = NULL WHERE id = ?", tokens, runKey);
      return false;
    },
    /** Writes what has not been written yet. */
    flush,
    /** When the stored counts stop mattering, in Unix milliseconds; undefined if nothing is stored. */
    lastLeaving(): number | undefined {
      if (!written()) return undefined;
      const { day } = sql.exec<{ day: number | null }>("SELECT MAX(day) AS day FROM turns").one();
      return day === null ? undefined : (day + 1) * DAY_MS;
    },
  };
}

function toRun({ day, tokens, reserved, runs_until, earlier, is_turn }: RunRow): CountedRun {
  return { day, tokens, reserved, runsUntil: runs_until, earlier, isTurn: is_turn === 1 };
}

/** The part of a run's tokens that counts for the day of its row. */
function usedToday({ tokens, earlier }: CountedRun): number {
  return tokens === null ? 0 : tokens - earlier;
}

function count(day: { turns: number; tokens: number }, run: CountedRun, sign: 1 | -1): void {
  if (run.isTurn) day.turns += sign;
  day.tokens += sign * usedToday(run);
}

function countRuns(runs: ReadonlyMap<string, CountedRun>): number {
  let turns = 0;
  for (const { isTurn } of runs.values()) if (isTurn) turns += 1;
  return turns;
}
