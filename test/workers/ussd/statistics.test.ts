/** Totals of the statistics over a real D1: equal to the sums over all days, without reading all days. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import { createUssdApp } from "../../../workers/ussd/app.ts";
import { createStatistics } from "../../../workers/ussd/statistics.ts";
import { valueOf } from "../../support/ussd/accounts.ts";

const DAY = 86_400_000;
/** Noon of the day. */
const TODAY = Date.parse("2028-03-01T12:00:00Z");
/** Days up to the clock's day that have counts, two of each kind. */
const DAYS = 700;
/** Runs of the schedule in which it catches up from the end of 2025, a month each. */
const RUNS = 27;
const COUNTERS = 2;
const SCREENS = 2;

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

/** The sums over all days, without the stored sums. */
async function sums(): Promise<unknown> {
  const [counters, screens] = await env.DATABASE.batch([
    env.DATABASE.prepare("SELECT counter, sum(value) AS value FROM ussd_counters GROUP BY counter ORDER BY counter"),
    env.DATABASE.prepare(
      `SELECT screen, language, sum(shown) AS shown, sum(refused) AS refused, sum(ended) AS ended
       FROM ussd_stats GROUP BY screen, language ORDER BY screen, language`,
    ),
  ]);
  const rows = (counters?.results ?? []) as { counter: string; value: number }[];
  return {
    counters: Object.fromEntries(rows.map(({ counter, value }) => [counter, value])),
    screens: screens?.results,
  };
}

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
  const counted = createStatistics(database as D1Database, () => clock.now, createLogger({ surface: "ussd" }));
  await valueOf(counted.totals());
  return read;
}

const until = () => env.DATABASE.prepare("SELECT day FROM ussd_totals_until").first("day");

async function catchUp(runs = RUNS): Promise<void> {
  for (let run = 0; run < runs; run += 1) await valueOf(statistics.addUp());
}

test("totals equal the sums over all days before, between and after the summing runs [PH-133]", async () => {
  const expected = await sums();
  expect(await valueOf(statistics.totals())).toEqual(expected);
  await valueOf(statistics.addUp());
  expect(await until()).toBe("2026-01-31");
  expect(await valueOf(statistics.totals())).toEqual(expected);
  await catchUp();
  expect(await until()).toBe("2028-02-28");
  expect(await valueOf(statistics.totals())).toEqual(expected);
});

test("concurrent runs add each day once, and an unfinished day is added later [PH-133]", async () => {
  await catchUp();
  const report = {
    language: "en" as const,
    screens: { W: { shown: 2, refused: 1 } },
    steps: 3,
    resyncs: 0,
    overflows: 0,
    milestones: {},
    latencies: {},
    latencySumMs: 0,
    lastScreen: "W",
    ending: "exit" as const,
  };
  await valueOf(statistics.report(report));
  clock.now += DAY;
  await valueOf(statistics.report(report));
  clock.now += 3 * DAY;
  await Promise.all(Array.from({ length: 5 }, () => valueOf(statistics.addUp())));
  expect(await until()).toBe("2028-03-03");
  expect(await valueOf(statistics.totals())).toEqual(await sums());
  await valueOf(statistics.report(report));
  expect(await valueOf(statistics.totals())).toEqual(await sums());
});

test("a run adds a month at most, and totals read no added day [PH-133]", async () => {
  const all = await rowsRead();
  expect(all).toBeGreaterThan(DAYS * (COUNTERS + SCREENS));
  await catchUp(1);
  expect(await until()).toBe("2026-01-31");
  await catchUp();
  const open = 2;
  // Each counter is read once per stored row, and a few times as a row of the sums.
  expect(await rowsRead()).toBeLessThan(5 * (open + 1) * (COUNTERS + SCREENS));
});

test("the schedule adds days to the sums [PH-133]", async () => {
  await createUssdApp().scheduled(env);
  expect(await until()).not.toBeNull();
});
