/** Sums the service's daily counters and gives them names. Pure. */
export interface DayCounts {
  readonly day: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly screens: readonly ScreenCounts[];
}

export interface ScreenCounts {
  readonly screen: string;
  readonly language: string;
  readonly shown: number;
  readonly refused: number;
  readonly ended: number;
}

export type Counters = Readonly<Record<string, number>>;

export function totalCounters(days: readonly DayCounts[]): Counters {
  const totals: Record<string, number> = {};
  for (const { counters } of days)
    for (const [name, value] of Object.entries(counters)) totals[name] = (totals[name] ?? 0) + value;
  return totals;
}

/** Counters with a prefix, without it. */
export function prefixed(counters: Counters, prefix: string): readonly (readonly [name: string, value: number])[] {
  return Object.entries(counters)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value]);
}

/** Reply times by their upper bound, ascending, `inf` last. */
export function latencies(counters: Counters): readonly (readonly [bound: string, value: number])[] {
  const size = (bound: string): number => (bound === "inf" ? Number.POSITIVE_INFINITY : Number(bound));
  return prefixed(counters, "latency_le_").toSorted(([one], [other]) => size(one) - size(other));
}

/** Milliseconds; undefined if nothing was measured. */
export function averageLatency(counters: Counters): number | undefined {
  const count = latencies(counters).reduce((sum, [, value]) => sum + value, 0);
  return count === 0 ? undefined : Math.round((counters["latency_sum_ms"] ?? 0) / count);
}

/** Screens of all days, most shown first. */
export function totalScreens(days: readonly DayCounts[]): readonly ScreenCounts[] {
  const totals = new Map<string, ScreenCounts>();
  for (const one of days.flatMap(({ screens }) => screens)) {
    const key = `${one.screen} ${one.language}`;
    const { shown = 0, refused = 0, ended = 0 } = totals.get(key) ?? {};
    totals.set(key, {
      ...one,
      shown: shown + one.shown,
      refused: refused + one.refused,
      ended: ended + one.ended,
    });
  }
  return [...totals.values()].toSorted((one, other) => other.shown - one.shown);
}
