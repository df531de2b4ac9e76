/**
 * The counters of `GET /metrics` that the Worker counts itself, and the counting inside one isolate. An increment changes only
 * memory; `sendCounts` adds all increments of the isolate to the `MetricStore` in one call, at most once a second. An isolate that
 * ends in between loses them: at most the increments since its last request. No label holds personal data.
 */
import { describeThrown, type Logger } from "../log.ts";
import { pause } from "../pause.ts";

export interface CounterDefinition {
  /** One sentence, for `# HELP`. */
  readonly help: string;
  readonly labels: readonly string[];
}

export const counters = {
  oracle_runs_total: { help: "Ended runs.", labels: ["outcome"] },
  oracle_run_seconds_total: { help: "Duration of ended runs.", labels: ["outcome"] },
  oracle_model_runs_total: { help: "Ended runs that used a model.", labels: ["model", "outcome"] },
  oracle_tokens_total: { help: "Tokens of ended runs.", labels: ["model", "kind"] },
  oracle_credits_charged_total: { help: "Credits that runs and titles were charged.", labels: [] },
  registry_votes_total: { help: "Votes cast; a changed vote counts once.", labels: ["option"] },
  gateway_calls_total: {
    help: "Attempts on a node of the query gateway, with the code of google.rpc.Code or the reason for no response.",
    labels: ["node", "code"],
  },
} as const satisfies Readonly<Record<string, CounterDefinition>>;

export type CounterName = keyof typeof counters;
export type CounterLabels<Name extends CounterName> = Readonly<
  Record<(typeof counters)[Name]["labels"][number], string>
>;

/** One counter with certain labels, and the amount to add; at most `MAX_INCREMENTS` in one call. */
export interface Increment {
  readonly name: string;
  /** A JSON object with the labels in the order of their definition; `{}` without labels. */
  readonly labels: string;
  readonly value: number;
}

export interface MetricStoreRpc {
  /** Adds the increments to the totals and to the current hour, all or none. */
  add(increments: readonly Increment[]): Promise<void>;
  totals(): Promise<readonly Increment[]>;
  /** The sums of each hour from `since` on, Unix milliseconds, oldest first. */
  hours(since: number): Promise<readonly HourlyCount[]>;
}

export interface HourlyCount extends Increment {
  /** The start of the hour, Unix milliseconds. */
  readonly hour: number;
}

/** The name of the one object that sums the counters of a deployment. */
export const METRIC_STORE = "metrics";

/** Absent in an author's oracle that has not bound it, which then counts nothing. */
export interface MetricBindings {
  readonly METRIC_STORE?: { getByName(name: string): MetricStoreRpc } | undefined;
}

/** How many different counters an isolate holds, and one call carries; further ones are not counted. */
export const MAX_INCREMENTS = 500;
/** UTF-16 units of a label's value; the rest is cut off. */
const LABEL_SIZE = 64;
/** Milliseconds in which increments are collected for one call. */
const COLLECTED_MS = 1_000;
/** Milliseconds after which a call is believed lost, because the request that made it was cancelled. */
const LOST_MS = 10_000;

interface IsolateCounts {
  readonly amounts: Map<string, { readonly name: string; readonly labels: string; value: number }>;
  /** When the call in progress began, Unix milliseconds. */
  sendingSince: number | undefined;
}

const isolates = new WeakMap<object, IsolateCounts>();

export function count<Name extends CounterName>(
  { METRIC_STORE: store }: MetricBindings,
  name: Name,
  labels: CounterLabels<Name>,
  value = 1,
): void {
  if (store === undefined || !(value > 0)) return;
  const counts = countsOf(store);
  const given: Readonly<Record<string, string>> = labels;
  const text = JSON.stringify(
    Object.fromEntries(counters[name].labels.map((label) => [label, (given[label] ?? "").slice(0, LABEL_SIZE)])),
  );
  addTo(counts, { name, labels: text, value });
}

/** Sends the isolate's increments if there are any; `background` keeps the work alive after the response. */
export function sendCounts(
  { METRIC_STORE: store }: MetricBindings,
  background: (work: Promise<unknown>) => void,
  log: Pick<Logger, "warn">,
): void {
  if (store === undefined) return;
  const counts = countsOf(store);
  if (counts.amounts.size === 0) return;
  const now = Date.now();
  if (counts.sendingSince !== undefined && now - counts.sendingSince < LOST_MS) return;
  counts.sendingSince = now;
  background(collectAndSend(store, counts, log));
}

async function collectAndSend(
  store: NonNullable<MetricBindings["METRIC_STORE"]>,
  counts: IsolateCounts,
  log: Pick<Logger, "warn">,
): Promise<void> {
  await pause(COLLECTED_MS);
  const increments = [...counts.amounts.values()];
  counts.amounts.clear();
  try {
    await store.getByName(METRIC_STORE).add(increments);
  } catch (thrown) {
    for (const increment of increments) addTo(counts, increment);
    log.warn("metrics-not-stored", { reason: describeThrown(thrown) });
  } finally {
    counts.sendingSince = undefined;
  }
}

function countsOf(store: object): IsolateCounts {
  const known = isolates.get(store);
  if (known !== undefined) return known;
  const counts: IsolateCounts = { amounts: new Map(), sendingSince: undefined };
  isolates.set(store, counts);
  return counts;
}

function addTo({ amounts }: IsolateCounts, { name, labels, value }: Increment): void {
  const key = `${name}${labels}`;
  const known = amounts.get(key);
  if (known !== undefined) known.value += value;
  else if (amounts.size < MAX_INCREMENTS) amounts.set(key, { name, labels, value });
}
