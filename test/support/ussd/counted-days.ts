/** Statistics of 700 days, two counters and two screens each, in the database of the file. */
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import { createStatistics } from "../../../workers/ussd/statistics.ts";
import { valueOf } from "./accounts.ts";

/** Noon of the day. */
const TODAY = Date.parse("2028-03-01T12:00:00Z");
/** Days up to the clock's day that have counts, two of each kind. */
const DAYS = 700;
/** Runs of the schedule in which it catches up from the end of 2025, a month each. */
const RUNS = 27;

/** Stores the days before each test of the file. */
export function countedDays() {
  const clock = { now: TODAY };
  const statistics = createStatistics(env.DATABASE, () => clock.now, createLogger({ surface: "ussd" }));

  beforeEach(async () => {
    clock.now = TODAY;
    const days = `WITH RECURSIVE days (back) AS (SELECT 0 UNION ALL SELECT back + 1 FROM days WHERE back + 1 < ${DAYS})`;
    const day = "date('2028-03-01', '-' || back || ' days')";
    await env.DATABASE.batch(
      [
        "DELETE FROM ussd_counters",
        "DELETE FROM ussd_stats",
        "DELETE FROM ussd_counter_totals",
        "DELETE FROM ussd_screen_totals",
        "DELETE FROM ussd_totals_until",
        `INSERT INTO ussd_counters ${days} SELECT ${day}, 'sessions', back + 1 FROM days`,
        `INSERT INTO ussd_counters ${days} SELECT ${day}, 'steps', 3 FROM days`,
        `INSERT INTO ussd_stats ${days} SELECT ${day}, 'W', 'en', back, 1, 2 FROM days`,
        `INSERT INTO ussd_stats ${days} SELECT ${day}, 'W', 'sw', 1, back, 0 FROM days`,
      ].map((sql) => env.DATABASE.prepare(sql)),
    );
  });

  return {
    DAYS,
    clock,
    statistics,
    until: () => env.DATABASE.prepare("SELECT day FROM ussd_totals_until").first("day"),
    async catchUp(runs = RUNS): Promise<void> {
      for (let run = 0; run < runs; run += 1) await valueOf(statistics.addUp());
    },
  };
}
