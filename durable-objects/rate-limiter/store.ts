/**
 * The journal of a RateLimiter: when each admission that still counts leaves the window, Unix milliseconds. Admissions
 * that are written together share a row and leave with the last of them: from the journal the count is never too low.
 */
import { hasSchema, migrate, type ObjectStorage } from "../../platform/object-schema.ts";

const migrations: readonly string[] = [
  `
  CREATE TABLE admissions (
    leaves_at INTEGER PRIMARY KEY,
    count INTEGER NOT NULL
  );
  `,
];

export interface AdmissionStore {
  /** One entry per admission that has not left by `now`, ascending. */
  leavingAfter(now: number): readonly number[];
  /** The last moment at which anything leaves; nothing when nothing is stored. */
  lastLeaving(): number | undefined;
  /** Adds so many admissions and forgets those that have left by `now`. */
  add(leavesAt: number, count: number, now: number): void;
}

export function createAdmissionStore(storage: ObjectStorage): AdmissionStore {
  const { sql } = storage;
  let ready = false;

  /** Whether there is anything to read; an object that was only asked stays without a trace. */
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
