/**
 * Statistics without personal data (PH-103): each session adds its counts once, at its end. Operators read them per day
 * as JSON, and in total as Prometheus text.
 */
import type { Database, Statement } from "../../platform/database/database.ts";
import type { SessionReport, StatisticsPort } from "../../durable-objects/ussd-session/ports.ts";
import { metric, sampleText, type Sample } from "../../platform/metrics/prometheus.ts";
import { fail } from "../../platform/failure.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { success, type Result } from "../../platform/result.ts";

/** Maximum days of one response; older ones are requested by their date. */
const LISTED_DAYS = 31;
const DATE_LENGTH = "2026-01-01".length;
/** Today and yesterday can still change: a session that ends at midnight may be stored a moment later. */
const OPEN_DAYS = 2;
const MS_PER_DAY = 86_400_000;

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
  /** By name: `sessions`, `steps`, `ending_exit`, `milestone_login`, `latency_le_100` and similar ones. */
  readonly counters: Readonly<Record<string, number>>;
  readonly screens: readonly ScreenStatistics[];
}

export interface Statistics extends StatisticsPort {
  /** Newest days first, at most a month; `until`: the last day, in UTC. */
  days(until: string): Promise<Result<readonly DayStatistics[]>>;
  /** Counters and screens of all days: the stored sums, plus the days since. */
  totals(): Promise<Result<Omit<DayStatistics, "day">>>;
  /** Adds finished days to the sums, at most a month. Repeated and parallel calls add each day once. */
  addUp(): Promise<Result<void>>;
  /** Deletes days older than `days` that are in the sums, a limited number of rows. */
  removeOlder(days: number): Promise<Result<void>>;
}

interface CounterRow {
  readonly day: string;
  readonly counter: string;
  readonly value: number;
}
type ScreenRow = ScreenStatistics & { readonly day: string };

export function createStatistics(database: Database, clock: () => number, log: Logger): Statistics {
  async function guarded<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
    try {
      return success(await work());
    } catch (thrown) {
      log.error("statistics-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "Service temporarily unavailable");
    }
  }

  function additions(report: SessionReport): Statement[] {
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
          database.prepare(TOTAL_COUNTERS),
          database.prepare(TOTAL_SCREENS),
        ]);
        return {
          counters: named((counters?.results ?? []) as CounterRow[]),
          screens: (screens?.results ?? []) as ScreenRow[],
        };
      }),
    removeOlder: (days) =>
      guarded(async () => {
        const first = new Date(clock() - days * MS_PER_DAY).toISOString().slice(0, DATE_LENGTH);
        await database.batch(REMOVE_OLDER.map((sql) => database.prepare(sql).bind(first, REMOVED_ROWS)));
      }),
    addUp: () =>
      guarded(async () => {
        const over = new Date(clock() - OPEN_DAYS * MS_PER_DAY).toISOString().slice(0, DATE_LENGTH);
        await database.batch([ADD_UP_COUNTERS, ADD_UP_SCREENS, MOVE_ON].map((sql) => database.prepare(sql).bind(over)));
      }),
  };
}

const ADD_COUNTER = `INSERT INTO ussd_counters (day, counter, value) VALUES (?1, ?2, ?3)
  ON CONFLICT (day, counter) DO UPDATE SET value = ussd_counters.value + excluded.value`;
const ADD_SCREEN = `INSERT INTO ussd_stats (day, screen, language, shown, refused, ended) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (day, screen, language) DO UPDATE SET shown = ussd_stats.shown + excluded.shown,
    refused = ussd_stats.refused + excluded.refused, ended = ussd_stats.ended + excluded.ended`;
/** Rows of each table that one run deletes. */
const REMOVED_ROWS = 1_000;
/** Earlier than any day that a deployment counted. */
const BEFORE_ALL = "2025-12-31";
const UNTIL = `coalesce((SELECT day FROM ussd_totals_until), '${BEFORE_ALL}')`;
/** The days that are not in the sums yet. */
const SINCE = `day > ${UNTIL}`;
/** The last day of the next addition: limited, so that one run after a long pause is no longer than any other. */
const NEXT = `min(?1, date(${UNTIL}, '+${LISTED_DAYS} days'))`;
const SCREEN_SUMS = "screen, language, sum(shown) AS shown, sum(refused) AS refused, sum(ended) AS ended";
const TOTAL_COUNTERS = `SELECT counter, sum(value) AS value FROM (
    SELECT counter, value FROM ussd_counter_totals
    UNION ALL SELECT counter, value FROM ussd_counters WHERE ${SINCE}
  ) GROUP BY counter ORDER BY counter`;
const TOTAL_SCREENS = `SELECT ${SCREEN_SUMS} FROM (
    SELECT screen, language, shown, refused, ended FROM ussd_screen_totals
    UNION ALL SELECT screen, language, shown, refused, ended FROM ussd_stats WHERE ${SINCE}
  ) GROUP BY screen, language ORDER BY screen, language`;
const ADD_UP_COUNTERS = `INSERT INTO ussd_counter_totals (counter, value)
  SELECT counter, sum(value) FROM ussd_counters WHERE ${SINCE} AND day <= ${NEXT} GROUP BY counter
  ON CONFLICT (counter) DO UPDATE SET value = ussd_counter_totals.value + excluded.value`;
const ADD_UP_SCREENS = `INSERT INTO ussd_screen_totals (screen, language, shown, refused, ended)
  SELECT ${SCREEN_SUMS} FROM ussd_stats WHERE ${SINCE} AND day <= ${NEXT} GROUP BY screen, language
  ON CONFLICT (screen, language) DO UPDATE SET shown = ussd_screen_totals.shown + excluded.shown,
    refused = ussd_screen_totals.refused + excluded.refused, ended = ussd_screen_totals.ended + excluded.ended`;
const MOVE_ON = `INSERT INTO ussd_totals_until (one, day) VALUES (1, ${NEXT})
  ON CONFLICT (one) DO UPDATE SET day = max(ussd_totals_until.day, excluded.day)`;
/** Only summed days, so that the totals stay. */
const REMOVE_OLDER = [
  `DELETE FROM ussd_counters WHERE (day, counter) IN (
     SELECT day, counter FROM ussd_counters WHERE day < ?1 AND day <= ${UNTIL} ORDER BY day, counter LIMIT ?2)`,
  `DELETE FROM ussd_stats WHERE (day, screen, language) IN (
     SELECT day, screen, language FROM ussd_stats WHERE day < ?1 AND day <= ${UNTIL}
     ORDER BY day, screen, language LIMIT ?2)`,
];
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

type Totals = Omit<DayStatistics, "day">;

const MS_PER_SECOND = 1_000;

/** The totals in the text format of Prometheus (version 0.0.4): counters and one histogram of reply times. */
export function metricsLines({ counters, screens }: Totals): readonly string[] {
  const total = (name: string): number => counters[name] ?? 0;
  return [
    ...metric("ussd_sessions_total", "counter", "Ended sessions.", [{ value: total("sessions") }]),
    ...metric("ussd_session_endings_total", "counter", "How they ended.", prefixed(counters, "ending_", "ending")),
    ...metric("ussd_steps_total", "counter", "Requests answered with a screen.", [{ value: total("steps") }]),
    ...metric("ussd_text_resyncs_total", "counter", "Texts that did not continue the previous one.", [
      { value: total("resyncs") },
    ]),
    ...metric("ussd_screen_overflows_total", "counter", "Screens that should have been one page and were not.", [
      { value: total("overflows") },
    ]),
    ...metric("ussd_milestones_total", "counter", "Results.", prefixed(counters, "milestone_", "milestone")),
    ...screenMetric("ussd_screens_shown_total", "Screens shown.", screens, ({ shown }) => shown),
    ...screenMetric("ussd_inputs_refused_total", "Inputs refused, by screen.", screens, ({ refused }) => refused),
    ...screenMetric("ussd_screens_ended_total", "Sessions that ended on a screen.", screens, ({ ended }) => ended),
    ...histogram(counters),
  ];
}

function prefixed(counters: Totals["counters"], prefix: string, label: string): readonly Sample[] {
  return Object.entries(counters)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => ({ labels: { [label]: name.slice(prefix.length) }, value }));
}

function screenMetric(
  name: string,
  help: string,
  screens: Totals["screens"],
  value: (screen: Totals["screens"][number]) => number,
): string[] {
  const samples = screens.map((each) => ({
    labels: { screen: each.screen, language: each.language },
    value: value(each),
  }));
  return metric(name, "counter", help, samples);
}

/** Buckets are stored separately; here each includes the lower ones. */
function histogram(counters: Totals["counters"]): string[] {
  const name = "ussd_reply_seconds";
  const prefix = "latency_le_";
  const bounds = Object.keys(counters)
    .filter((counter) => counter.startsWith(prefix))
    .map((counter) => Number(counter.slice(prefix.length)))
    .filter((bound) => Number.isFinite(bound))
    .toSorted((one, other) => one - other);
  let count = 0;
  const buckets = bounds.map((bound): string => {
    count += counters[`${prefix}${bound}`] ?? 0;
    return sampleText(`${name}_bucket`, { labels: { le: String(bound / MS_PER_SECOND) }, value: count });
  });
  count += counters[`${prefix}inf`] ?? 0;
  return [
    `# HELP ${name} Time to reply.`,
    `# TYPE ${name} histogram`,
    ...buckets,
    sampleText(`${name}_bucket`, { labels: { le: "+Inf" }, value: count }),
    sampleText(`${name}_sum`, { value: (counters["latency_sum_ms"] ?? 0) / MS_PER_SECOND }),
    sampleText(`${name}_count`, { value: count }),
  ];
}
