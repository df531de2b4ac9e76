/**
 * The requests of one client address in the last minute, for the phone gateway. The count is exact and in memory;
 * accepted requests are also stored, because an object that is idle for seconds may be evicted, and a caller that
 * paused that long would otherwise start with a full limit. Concurrent requests share writes, so only a crash can lose
 * the requests since the last write. A rejected request writes nothing, so a flood costs no storage. An alarm deletes
 * everything once the address has been idle for a window, so that addresses do not accumulate.
 */
import { DurableObject } from "cloudflare:workers";
import type { RateLimiterRpc } from "./rate-limiter/rpc.ts";
import { hasSchema, migrate, type ObjectStorage } from "../platform/object-schema.ts";
import { createPacedBudget, type Pace, type PacedAdmission } from "../platform/paced-budget.ts";
import { createRateWindow, type Admission, type RateWindow } from "../platform/rate-window.ts";

/** The limits of the phone gateway are per minute. */
const DEFAULT_WINDOW_SECONDS = 60;
/** Milliseconds between two writes of the journal; an object is evicted only after seconds without a request. */
const JOURNAL_PAUSE_MS = 100;

export class RateLimiter extends DurableObject<Env> implements RateLimiterRpc {
  #store = createAdmissionStore(this.ctx.storage);
  #counting: { readonly windowMs: number; readonly window: RateWindow } | undefined;
  /** Whether this instance knows of an alarm that will erase it. */
  #armed = false;
  /** Requests admitted since the journal was last written, and the time at which the last of them leaves the window. */
  #unwritten = { count: 0, leavesAt: 0 };
  #writtenAt = 0;
  #writing: ReturnType<typeof setTimeout> | undefined;
  /** In memory only: an object is evicted after seconds without a call, and by then the budget is full again. */
  readonly #paced = createPacedBudget();

  async take(limit: number, windowSeconds = DEFAULT_WINDOW_SECONDS): Promise<Admission> {
    const now = Date.now();
    const windowMs = windowSeconds * 1000;
    const admission = this.#windowOf(windowMs, now).take(now, limit);
    if (!admission.admitted) return admission;
    this.#unwritten = { count: this.#unwritten.count + 1, leavesAt: now + windowMs };
    const pause = Math.min(this.#writtenAt + JOURNAL_PAUSE_MS - now, JOURNAL_PAUSE_MS);
    if (pause <= 0) this.#write(now);
    else this.#writing ??= setTimeout(() => this.#write(Date.now()), pause);
    if (!this.#armed) {
      this.#armed = true;
      await this.ctx.storage.setAlarm(now + windowMs);
    }
    return admission;
  }

  async spend(units: number, pace: Pace): Promise<PacedAdmission> {
    if (units >= 0) return this.#paced.take(Date.now(), units, pace);
    this.#paced.refund(-units, pace);
    return { admitted: true, waitMs: 0 };
  }

  async hasRoom(limit: number, windowSeconds = DEFAULT_WINDOW_SECONDS): Promise<boolean> {
    const now = Date.now();
    return this.#windowOf(windowSeconds * 1000, now).wait(now, limit) === 0;
  }

  override async alarm(): Promise<void> {
    this.#write(Date.now());
    const last = this.#store.lastLeaving();
    if (last !== undefined && last > Date.now()) {
      this.#armed = true;
      await this.ctx.storage.setAlarm(last);
      return;
    }
    this.#armed = false;
    this.#counting = undefined;
    this.#store = createAdmissionStore(this.ctx.storage);
    await this.ctx.storage.deleteAll();
  }

  #write(now: number): void {
    if (this.#writing !== undefined) clearTimeout(this.#writing);
    this.#writing = undefined;
    const { count, leavesAt } = this.#unwritten;
    if (count === 0) return;
    this.#store.add(leavesAt, count, now);
    this.#unwritten = { count: 0, leavesAt: 0 };
    this.#writtenAt = now;
  }

  /** Built from the journal once per instance, and rebuilt if a caller uses another window. */
  #windowOf(windowMs: number, now: number): RateWindow {
    if (this.#counting?.windowMs === windowMs) return this.#counting.window;
    const earlier = this.#store.leavingAfter(now).map((leavesAt) => leavesAt - windowMs);
    const window = createRateWindow(windowMs, earlier);
    this.#counting = { windowMs, window };
    return window;
  }
}

const migrations: readonly string[] = [
  `
  CREATE TABLE admissions (
    leaves_at INTEGER PRIMARY KEY,
    count INTEGER NOT NULL
  );
  `,
];

/**
 * The journal: when each counted request leaves the window, in Unix milliseconds. Requests that are written together share a row
 * and expire with the last of them, so a count from the journal is never too low.
 */
interface AdmissionStore {
  /** One entry per admission that has not expired by `now`, ascending. */
  leavingAfter(now: number): readonly number[];
  /** The last time at which a request leaves; undefined if nothing is stored. */
  lastLeaving(): number | undefined;
  /** Adds this many admissions and deletes those that have left by `now`. */
  add(leavesAt: number, count: number, now: number): void;
}

function createAdmissionStore(storage: ObjectStorage): AdmissionStore {
  const { sql } = storage;
  let ready = false;

  /** Whether there is anything to read; reading an unused object leaves no trace. */
  function readable(): boolean {
    if (!ready && hasSchema(sql)) prepare();
    return ready;
  }

  function prepare(): void {
    if (!ready) migrate(storage, migrations);
    ready = true;
  }

  return {
    leavingAfter(now) {
      if (!readable()) return [];
      return sql
        .exec<{ leaves_at: number; count: number }>(
          "SELECT leaves_at, count FROM admissions WHERE leaves_at > ? ORDER BY leaves_at",
          now,
        )
        .toArray()
        .flatMap((row) => Array.from({ length: row.count }, () => row.leaves_at));
    },
    lastLeaving() {
      if (!readable()) return undefined;
      const row = sql.exec<{ last: number | null }>("SELECT MAX(leaves_at) AS last FROM admissions").one();
      return row.last ?? undefined;
    },
    add(leavesAt, count, now) {
      prepare();
      sql.exec("DELETE FROM admissions WHERE leaves_at <= ?", now);
      sql.exec(
        "INSERT INTO admissions (leaves_at, count) VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
        leavesAt,
        count,
      );
    },
  };
}
