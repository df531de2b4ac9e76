/**
 * The core of an Outbox over Node's SQLite, with a clock that stands still and an alarm that rings when the clock passes
 * it. It can be lost at any moment, as an object is, and is then created again over what was stored.
 */
import { createOutbox, type OutboxCore } from "../../../durable-objects/outbox/outbox.ts";
import type { Sender } from "../../../durable-objects/outbox/sender.ts";
import { createManualClock, type ManualClock } from "../clocks/manual-clock.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";

export interface OutboxInNode {
  readonly core: OutboxCore;
  readonly log: readonly string[];
  now: number;
  /** Of whoever waits for an outcome; they do not follow `now`. */
  readonly timers: ManualClock;
  /** When the alarm is set to, if it is. */
  readonly alarmAt: number | undefined;
  /** Rings the alarm if it is due; answers whether it was. */
  ring(): Promise<boolean>;
  /** Moves the clock from alarm to alarm until none is set, or for so many milliseconds. */
  run(milliseconds?: number): Promise<void>;
  /** The object goes away, with whatever it was about; another one takes its place at its next call or alarm. */
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
        // A lost object reaches nothing any more.
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
        // One that was lost during its work ends in nothing.
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
