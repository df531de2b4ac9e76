/**
 * The Durable Object that sums the deployment's counters, bound as `METRIC_STORE`; there is one. It keeps totals for Prometheus and
 * a week of hourly sums for the console. Both are bounded: it accepts a limited number of different counters.
 */
import { DurableObject } from "cloudflare:workers";
import { MAX_INCREMENTS, type HourlyCount, type Increment, type MetricStoreRpc } from "../platform/metrics/counters.ts";
import { hasSchema, migrate } from "../platform/object-schema.ts";

/** How many different counters are stored; the increments of further ones are summed under `REFUSED`. */
const MAX_COUNTERS = 5_000;
const REFUSED = "metrics_refused_total";
const HOUR_MS = 3_600_000;
/** How long hourly sums are kept. */
const HOURS_KEPT = 7 * 24;
/** Rows of one response. */
const LARGEST_READ = 20_000;

export class MetricStore extends DurableObject<Env> implements MetricStoreRpc {
  /** The hour in which old hours were last deleted. */
  #cleanedIn = 0;

  async add(increments: readonly Increment[]): Promise<void> {
    const { sql } = this.ctx.storage;
    migrate(this.ctx.storage, migrations);
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    this.ctx.storage.transactionSync(() => {
      for (const increment of increments.slice(0, MAX_INCREMENTS)) {
        const { name, labels, value } = this.#accepted(increment);
        sql.exec(ADD_TOTAL, name, labels, value);
        sql.exec(ADD_HOUR, hour, name, labels, value);
      }
      if (this.#cleanedIn === hour) return;
      sql.exec("DELETE FROM hours WHERE hour < ?", hour - HOURS_KEPT * HOUR_MS);
      this.#cleanedIn = hour;
    });
  }

  async totals(): Promise<readonly Increment[]> {
    const { sql } = this.ctx.storage;
    if (!hasSchema(sql)) return [];
    return sql.exec<CountRow>("SELECT name, labels, value FROM totals ORDER BY name, labels").toArray();
  }

  async hours(since: number): Promise<readonly HourlyCount[]> {
    const { sql } = this.ctx.storage;
    if (!hasSchema(sql)) return [];
    return sql
      .exec<CountRow & { hour: number }>(
        `SELECT hour, name, labels, value FROM hours WHERE hour >= ? ORDER BY hour, name, labels LIMIT ${LARGEST_READ}`,
        Math.floor(since / HOUR_MS) * HOUR_MS,
      )
      .toArray();
  }

  #accepted(increment: Increment): Increment {
    const { sql } = this.ctx.storage;
    const { name, labels, value } = increment;
    const isKnown = sql.exec("SELECT 1 FROM totals WHERE name = ? AND labels = ?", name, labels).toArray().length > 0;
    if (isKnown) return increment;
    const { counters } = sql.exec<{ counters: number }>("SELECT COUNT(*) AS counters FROM totals").one();
    return counters < MAX_COUNTERS ? increment : { name: REFUSED, labels: "{}", value };
  }
}

type CountRow = { name: string; labels: string; value: number };

const ADD_TOTAL = `INSERT INTO totals (name, labels, value) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET value = value + excluded.value`;
const ADD_HOUR = `INSERT INTO hours (hour, name, labels, value) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET value = value + excluded.value`;

const migrations: readonly string[] = [
  `
  CREATE TABLE totals (
    name TEXT NOT NULL,
    labels TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (name, labels)
  ) WITHOUT ROWID;
  CREATE TABLE hours (
    hour INTEGER NOT NULL,
    name TEXT NOT NULL,
    labels TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (hour, name, labels)
  ) WITHOUT ROWID;
  `,
];
