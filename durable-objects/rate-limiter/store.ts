/**
 * The journal of a RateLimiter: when each admission that still counts leaves the window, Unix milliseconds. Admissions
 * of one millisecond share a row, so an admission costs one row written and one deleted, both by primary key.
 */
import { hasSchema, migrate, type ObjectStorage } from "../schema.ts";

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
  /** Adds an admission and forgets those that have left by `now`. */
  add(leavesAt: number, now: number): void;
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
    add(leavesAt, now) {
      prepare();
      sql.exec("DELETE FROM admissions WHERE leaves_at <= ?", now);
      sql.exec(
        "INSERT INTO admissions (leaves_at, count) VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
        leavesAt,
      );
    },
  };
}
