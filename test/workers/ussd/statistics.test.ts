/** Totals of the statistics over a real database: equal to the sums over all days. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createUssdApp } from "../../../workers/ussd/app.ts";
import { valueOf } from "../../support/ussd/accounts.ts";
import { countedDays } from "../../support/ussd/counted-days.ts";

const DAY = 86_400_000;
const { clock, statistics, until, catchUp } = countedDays();

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

test("days that are removed stay in the totals [PH-133, PH-156]", async () => {
  await catchUp();
  const before = await valueOf(statistics.totals());
  const days = () => env.DATABASE.prepare("SELECT count(*) AS n FROM ussd_counters").first<number>("n");
  const all = (await days()) ?? 0;
  for (let runs = 0; runs < 40; runs += 1) await valueOf(statistics.removeOlder(31));
  expect(await days()).toBeLessThan(all);
  expect(await valueOf(statistics.totals())).toEqual(before);
});

test("the schedule adds days to the sums [PH-133]", async () => {
  await createUssdApp().scheduled(env, { waitUntil: () => undefined });
  expect(await until()).not.toBeNull();
});
