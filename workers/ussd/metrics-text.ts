/** The gateway's statistics in the text format of Prometheus (version 0.0.4): counters and one histogram of reply times. */
import type { DayStatistics } from "./statistics.ts";

type Totals = Omit<DayStatistics, "day">;

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

const MS_PER_SECOND = 1_000;

export function metricsText({ counters, screens }: Totals): string {
  const total = (name: string): number => counters[name] ?? 0;
  return [
    ...metric("ussd_sessions_total", "counter", "Sessions that are over.", [{ value: total("sessions") }]),
    ...metric("ussd_session_endings_total", "counter", "How they ended.", prefixed(counters, "ending_", "ending")),
    ...metric("ussd_steps_total", "counter", "Requests answered with a screen.", [{ value: total("steps") }]),
    ...metric("ussd_text_resyncs_total", "counter", "Texts that did not follow from the one before.", [
      { value: total("resyncs") },
    ]),
    ...metric("ussd_screen_overflows_total", "counter", "Screens that should have been one page and were not.", [
      { value: total("overflows") },
    ]),
    ...metric("ussd_milestones_total", "counter", "What came about.", prefixed(counters, "milestone_", "milestone")),
    ...screenMetric("ussd_screens_shown_total", "Screens shown.", screens, ({ shown }) => shown),
    ...screenMetric("ussd_inputs_refused_total", "Inputs refused, by screen.", screens, ({ refused }) => refused),
    ...screenMetric("ussd_screens_ended_total", "Sessions that ended on a screen.", screens, ({ ended }) => ended),
    ...histogram(counters),
    "",
  ].join("\n");
}

function metric(name: string, type: "counter" | "histogram", help: string, samples: readonly Sample[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => sampleText(name, sample))];
}

function sampleText(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
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

/** Buckets are stored each for itself; here each holds those before it. */
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
