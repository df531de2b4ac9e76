/**
 * Statistics without personal data (PH-103): each session adds its counts once, at its end. Operators read them per day as
 * JSON, and in total as Prometheus text (metrics-text.ts).
 */
import type { SessionReport, StatisticsPort } from "../../durable-objects/ussd-session/ports.ts";
import { fail } from "../platform/failure.ts";
import { describeThrown, type Logger } from "../platform/log.ts";
import { success, type Result } from "../platform/result.ts";

/** Days of one response; older ones are requested by their date. */
const LISTED_DAYS = 31;
const DATE_LENGTH = "2026-01-01".length;

export interface ScreenStatistics {
  readonly screen: string;
  readonly language: string;
  /** How often it was displayed, how often an input on it was rejected, how many sessions ended on it. */
  readonly shown: number;
  readonly refused: number;
  readonly ended: number;
}

export interface DayStatistics {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** By name: `sessions`, `steps`, `ending_exit`, `milestone_login`, `latency_le_100` and their like. */
  readonly counters: Readonly<Record<string, number>>;
  readonly screens: readonly ScreenStatistics[];
}

export interface Statistics extends StatisticsPort {
  /** The newest days first, at most a month; `until`: the last day, in UTC. */
  days(until: string): Promise<Result<readonly DayStatistics[]>>;
  /** Counters and screens of all days. */
  totals(): Promise<Result<Omit<DayStatistics, "day">>>;
}

interface CounterRow {
  readonly day: string;
  readonly counter: string;
  readonly value: number;
}
type ScreenRow = ScreenStatistics & { readonly day: string };

export function createStatistics(database: D1Database, clock: () => number, log: Logger): Statistics {
  async function guarded<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
    try {
      return success(await work());
    } catch (thrown) {
      log.error("statistics-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "Service temporarily unavailable");
    }
  }

  function additions(report: SessionReport): D1PreparedStatement[] {
    const day = new Date(clock()).toISOString().slice(0, DATE_LENGTH);
    const counters = Object.entries(countersOf(report)).filter(([, value]) => value > 0);
    return [
      ...counters.map(([counter, value]) => database.prepare(ADD_COUNTER).bind(day, counter, value)),
      ...Object.entries(report.screens).map(([screen, { shown, refused }]) =>
        database
          .prepare(ADD_SCREEN)
          .bind(day, screen, report.language, shown, refused, screen === report.lastScreen ? 1 : 0),
      ),
    ];
  }

  return {
    report: (report) =>
      guarded(async () => {
        await database.batch(additions(report));
      }),
    days: (until) =>
      guarded(async () => {
        const [counters, screens] = await database.batch([
          database.prepare(`SELECT * FROM ussd_counters WHERE ${LISTED} ORDER BY day DESC, counter`).bind(until),
          database.prepare(`SELECT * FROM ussd_stats WHERE ${LISTED} ORDER BY day DESC, screen, language`).bind(until),
        ]);
        return byDay((counters?.results ?? []) as CounterRow[], (screens?.results ?? []) as ScreenRow[]);
      }),
    totals: () =>
      guarded(async () => {
        const [counters, screens] = await database.batch([
          database.prepare("SELECT counter, sum(value) AS value FROM ussd_counters GROUP BY counter ORDER BY counter"),
          database.prepare(
            `SELECT screen, language, sum(shown) AS shown, sum(refused) AS refused, sum(ended) AS ended
             FROM ussd_stats GROUP BY screen, language ORDER BY screen, language`,
          ),
        ]);
        return {
          counters: named((counters?.results ?? []) as CounterRow[]),
          screens: (screens?.results ?? []) as ScreenRow[],
        };
      }),
  };
}

const ADD_COUNTER = `INSERT INTO ussd_counters (day, counter, value) VALUES (?1, ?2, ?3)
  ON CONFLICT (day, counter) DO UPDATE SET value = value + excluded.value`;
const ADD_SCREEN = `INSERT INTO ussd_stats (day, screen, language, shown, refused, ended) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (day, screen, language) DO UPDATE SET
    shown = shown + excluded.shown, refused = refused + excluded.refused, ended = ended + excluded.ended`;
const LISTED = `day <= ?1 AND day > date(?1, '-${LISTED_DAYS} days')`;

function countersOf(report: SessionReport): Readonly<Record<string, number>> {
  const milestones = Object.entries(report.milestones).map(([name, value]) => [`milestone_${name}`, value] as const);
  const latencies = Object.entries(report.latencies).map(([bound, value]) => [`latency_le_${bound}`, value] as const);
  return {
    sessions: 1,
    steps: report.steps,
    resyncs: report.resyncs,
    overflows: report.overflows,
    [`ending_${report.ending}`]: 1,
    latency_sum_ms: report.latencySumMs,
    ...Object.fromEntries([...milestones, ...latencies]),
  };
}

function byDay(counters: readonly CounterRow[], screens: readonly ScreenRow[]): readonly DayStatistics[] {
  const days = [...new Set([...counters, ...screens].map(({ day }) => day))].toSorted().toReversed();
  return days.map((day) => ({
    day,
    counters: named(counters.filter((row) => row.day === day)),
    screens: screens.filter((row) => row.day === day).map(withoutDay),
  }));
}

function named(rows: readonly CounterRow[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ counter, value }) => [counter, value]));
}

function withoutDay({ screen, language, shown, refused, ended }: ScreenRow): ScreenStatistics {
  return { screen, language, shown, refused, ended };
}
