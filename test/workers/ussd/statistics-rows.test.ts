/** Totals of the statistics over a real D1 do not read all days. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import { createStatistics } from "../../../workers/ussd/statistics.ts";
import { valueOf } from "../../support/ussd/accounts.ts";
import { countedDays } from "../../support/ussd/counted-days.ts";

const COUNTERS = 2;
const SCREENS = 2;
const { DAYS, clock, until, catchUp } = countedDays();

/** The rows that the totals read. */
async function rowsRead(): Promise<number> {
  let read = 0;
  const database = {
    prepare: (sql: string) => env.DATABASE.prepare(sql),
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await env.DATABASE.batch<Row>(statements);
      for (const { meta } of results) read += meta.rows_read;
      return results;
    },
  };
  const counted = createStatistics(database, () => clock.now, createLogger({ surface: "ussd" }));
  await valueOf(counted.totals());
  return read;
}

test("a run adds a month at most, and totals skip the days that were added [PH-133]", async () => {
  const all = await rowsRead();
  expect(all).toBeGreaterThan(DAYS * (COUNTERS + SCREENS));
  await catchUp(1);
  expect(await until()).toBe("2026-01-31");
  await catchUp();
  const open = 2;
  // Each counter is read once per stored row, and a few times as a row of the sums.
  expect(await rowsRead()).toBeLessThan(5 * (open + 1) * (COUNTERS + SCREENS));
});
