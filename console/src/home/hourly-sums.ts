/** Sums of one counter for each of the last 24 hours, from the entries of `GET /staff/metrics`. */

export interface HourlyMetric {
  /** ISO 8601, the start of the hour. */
  readonly hour: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

interface Wanted {
  readonly counter: string;
  readonly isCounted: (labels: HourlyMetric["labels"]) => boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Oldest first; the last is the current hour. */
export function hoursOf(metrics: readonly HourlyMetric[], { counter, isCounted, now }: Wanted): readonly number[] {
  const sums = Array.from({ length: HOURS }, () => 0);
  const first = Math.floor(now / HOUR_MS) - HOURS + 1;
  for (const { hour, name, labels, value } of metrics) {
    const place = Math.floor(Date.parse(hour) / HOUR_MS) - first;
    if (name === counter && place >= 0 && place < HOURS && isCounted(labels)) sums[place] = (sums[place] ?? 0) + value;
  }
  return sums;
}
