/** The registry's own lines of `GET /metrics`: gauges, each read with a bounded number of rows. */
import type { Database } from "../../platform/database/database.ts";
import { measureSize } from "../../platform/database/database-size.ts";
import { metric, type Sample } from "../../platform/metrics/prometheus.ts";

/** A gauge that counts rows stops here. */
const COUNTED_ROWS = 1_000;
/** Milliseconds: votes that end this soon are counted separately. */
const SOON = 24 * 3_600_000;

export async function registryMetrics(database: Database, maxBytes: number, now: number): Promise<readonly string[]> {
  const [open, ending, webhooks] = await Promise.all([
    countUpTo(database, "SELECT 1 FROM proposals WHERE state = 'open' AND due_at > ?1", now),
    countUpTo(
      database,
      "SELECT 1 FROM proposals WHERE state = 'open' AND due_at > ?1 AND due_at <= ?2",
      now,
      now + SOON,
    ),
    webhookStates(database),
  ]);
  const size = await measureSize(database, maxBytes);
  return [
    ...metric("registry_open_proposals", "gauge", `Open proposals, counted up to ${COUNTED_ROWS}.`, [{ value: open }]),
    ...metric("registry_proposals_ending", "gauge", "Open proposals whose vote ends within 24 hours.", [
      { value: ending },
    ]),
    ...metric("registry_webhooks", "gauge", "Webhooks by state.", webhooks),
    ...(size === undefined
      ? []
      : [
          ...metric("database_used_bytes", "gauge", "Size of the database.", [{ value: size.usedBytes }]),
          ...metric("database_limit_bytes", "gauge", "Size at which the database refuses writes.", [
            { value: size.maxBytes },
          ]),
        ]),
  ];
}

async function countUpTo(database: Database, rows: string, ...bindings: readonly number[]): Promise<number> {
  const sql = `SELECT COUNT(*) AS count FROM (${rows} LIMIT ${COUNTED_ROWS}) AS counted`;
  const row = await database
    .prepare(sql)
    .bind(...bindings)
    .first<{ count: number }>();
  return row?.count ?? 0;
}

/** A deployment has at most 50 webhooks. */
async function webhookStates(database: Database): Promise<readonly Sample[]> {
  const { results } = await database
    .prepare(
      "SELECT coalesce(disabled_reason, 'enabled') AS state, COUNT(*) AS count FROM webhooks GROUP BY 1 ORDER BY 1",
    )
    .all<{ state: string; count: number }>();
  return results.map(({ state, count }) => ({ labels: { state }, value: count }));
}
