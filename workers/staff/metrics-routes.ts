/** Counters and gauges of the deployment: for Prometheus, and by the hour for the console. */
import * as z from "zod";
import { describeThrown } from "../../platform/log.ts";
import {
  counters,
  METRIC_STORE,
  type Increment,
  type MetricBindings,
  type MetricStoreRpc,
} from "../../platform/metrics/counters.ts";
import { metric, metricsDocument, PROMETHEUS_TYPE, type Sample } from "../../platform/metrics/prometheus.ts";
import { reply } from "../../platform/http/route.ts";
import type { Surface } from "../../platform/surface.ts";
import { bySessionOrOperator, route, type StaffContext, type StaffRoute } from "./edge.ts";

/** The console shows a day; a week is stored. */
const DEFAULT_HOURS = 24;
const MOST_HOURS = 7 * 24;
const HOUR_MS = 3_600_000;

/** A surface that adds its own lines. */
export type MetricSources = Readonly<Record<string, Pick<Surface, "metrics"> | undefined>>;

export function metricsRoutes(sources: MetricSources): readonly StaffRoute[] {
  const shared = { tag: "Staff", auth: bySessionOrOperator, method: "get" } as const;
  const read = route(
    {
      ...shared,
      path: "/metrics",
      id: "readMetrics",
      summary: "Get counters and gauges for Prometheus",
      responses: { 200: { description: "Text format 0.0.4" } },
    },
    async (_input, c) => {
      const lines = [...(await counterLines(c)), ...(await sourceLines(sources, c))];
      return new Response(metricsDocument(lines), {
        headers: { "Content-Type": PROMETHEUS_TYPE, "Cache-Control": "no-store" },
      });
    },
  );
  const readHours = route(
    {
      ...shared,
      path: "/staff/metrics",
      id: "readHourlyMetrics",
      summary: "Get the counters by hour, oldest first",
      query: z.object({ hours: z.coerce.number().int().min(1).max(MOST_HOURS).default(DEFAULT_HOURS) }),
      responses: { 200: { description: "One entry for each counter and hour in which it changed" } },
      failures: ["invalid_request"],
    },
    async ({ query: { hours } }, c) => {
      const found = (await storeOf(c.env.env)?.hours(c.var.now - (hours - 1) * HOUR_MS)) ?? [];
      const data = found.map(({ hour, name, labels, value }) => ({
        hour: new Date(hour).toISOString(),
        name,
        labels: labelsOf(labels),
        value,
      }));
      return reply({ data });
    },
  );
  return [read, readHours];
}

/** The counters that the Worker has counted itself; a name without a definition is of another release. */
async function counterLines(c: StaffContext): Promise<readonly string[]> {
  const stored = (await storeOf(c.env.env)?.totals()) ?? [];
  const byName = Map.groupBy(stored, ({ name }) => name);
  const defined = Object.entries(counters).flatMap(([name, { help, labels }]) => {
    // A counter without labels exists from the start.
    const initial: readonly Sample[] = labels.length === 0 ? [{ value: 0 }] : [];
    const samples = byName.get(name)?.map(sampleOf) ?? initial;
    return metric(name, "counter", help, samples);
  });
  const others = [...byName].filter(([name]) => !Object.hasOwn(counters, name));
  return [
    ...defined,
    ...others.flatMap(([name, samples]) =>
      metric(name, "counter", "Not known to this release.", samples.map(sampleOf)),
    ),
  ];
}

/** If a source fails, only its own lines are missing, and a gauge reports it. */
async function sourceLines(sources: MetricSources, c: StaffContext): Promise<readonly string[]> {
  const { env, log, served } = c.env;
  const states: Sample[] = [];
  const lines: string[] = [];
  for (const [source, surface] of Object.entries(sources)) {
    if (surface?.metrics === undefined || !served.some((name) => name === source)) continue;
    try {
      lines.push(...(await surface.metrics(env)));
      states.push({ labels: { source }, value: 1 });
    } catch (thrown) {
      log.error("metrics-unavailable", { source, reason: describeThrown(thrown) });
      states.push({ labels: { source }, value: 0 });
    }
  }
  return [...lines, ...metric("metrics_source_up", "gauge", "1 if the metrics of a surface could be read.", states)];
}

function storeOf({ METRIC_STORE: store }: MetricBindings): MetricStoreRpc | undefined {
  return store?.getByName(METRIC_STORE);
}

function sampleOf({ labels, value }: Increment): Sample {
  return { labels: labelsOf(labels), value };
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return JSON.parse(text) as Readonly<Record<string, string>>;
}
