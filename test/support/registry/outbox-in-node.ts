/**
 * The core of an Outbox over Node's SQLite, with a manual clock and an alarm that fires when the clock passes it. It can be lost at
 * any moment, like an object, and is then created again over its storage.
 */
import { createOutbox, type OutboxCore } from "../../../durable-objects/outbox/outbox.ts";
import type { Sender } from "../../../durable-objects/outbox/sender.ts";
import { createManualClock, type ManualClock } from "../clocks/manual-clock.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";

export interface OutboxInNode {
  readonly core: OutboxCore;
  readonly log: readonly string[];
  now: number;
  /** Timers of waiting callers; they do not follow `now`. */
  readonly timers: ManualClock;
  /** The time of the alarm, if it is set. */
  readonly alarmAt: number | undefined;
  /** Fires the alarm if it is due; returns whether it was. */
  ring(): Promise<boolean>;
  /** Advances the clock from alarm to alarm until none is set, or for this many milliseconds. */
  run(milliseconds?: number): Promise<void>;
  /** Loses the object during any work; its next call or alarm creates a new one. */
  lose(): void;
}

export function outboxInNode(sender: Sender | undefined, random: () => number = () => 0): OutboxInNode {
  let storage = createSqliteStorage();
  let alarmAt: number | undefined;
  const log: string[] = [];
  const timers = createManualClock();
  const write = (level: string) => (event: string, members: object | undefined) => {
    log.push(`${level} ${event} ${JSON.stringify(members ?? {})}`);
  };

  function make(): OutboxCore {
    const mine = storage;
    return createOutbox({
      name: "webhook:1",
      sender,
      storage: mine,
      erase: async () => {
        alarmAt = undefined;
        const tables = mine.database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
        for (const { name } of tables)
          if (!String(name).startsWith("sqlite")) mine.sql.exec(`DROP TABLE ${String(name)}`);
      },
      arm: async (at) => {
        // A lost object cannot access storage any longer.
        mine.sql.exec("SELECT 1");
        alarmAt = at;
      },
      now: () => box.now,
      after: timers.after,
      random,
      log: { info: write("info"), warn: write("warn"), error: write("error") },
    });
  }

  let core: OutboxCore;
  const box: OutboxInNode = {
    now: Date.parse("2026-11-21T09:00:00Z"),
    log,
    timers,
    get core() {
      return core;
    },
    get alarmAt() {
      return alarmAt;
    },
    async ring() {
      if (alarmAt === undefined || alarmAt > box.now) return false;
      alarmAt = undefined;
      const ringing = core;
      try {
        await ringing.ring();
      } catch (thrown) {
        // The work of a lost object has no result.
        if (ringing === core) throw thrown;
      }
      return true;
    },
    async run(milliseconds = Number.POSITIVE_INFINITY) {
      const end = box.now + milliseconds;
      for (let at = box.alarmAt; at !== undefined && at <= end; at = box.alarmAt) {
        box.now = Math.max(box.now, at);
        await box.ring();
      }
      if (Number.isFinite(end)) box.now = end;
    },
    lose() {
      storage.cutOff();
      storage = createSqliteStorage(storage.database);
      core = make();
    },
  };
  core = make();
  return box;
}
