/**
 * A queue in simulated time: requests arrive at random, and each passes stations in turn. A station is a thing that does a limited number
 * of jobs at once: a Durable Object, a pool of connections, a row that a transaction locks.
 */

export interface Station {
  readonly name: string;
  /** Jobs at once. */
  readonly servers: number;
  /** Milliseconds of the job of the n-th request. */
  readonly serviceMs: (request: number) => number;
}

export interface Flow {
  readonly arrivals: number;
  /** Requests a second. */
  readonly rate: number;
  readonly stations: readonly Station[];
}

/** Milliseconds from the arrival of a request to its end, for each request in the order of arrival. */
export function durations({ arrivals, rate, stations }: Flow): readonly number[] {
  const random = generator();
  let now = 0;
  const begun = Array.from({ length: arrivals }, () => (now -= (Math.log(1 - random()) / rate) * 1000));
  let times = begun;
  for (const station of stations) times = through(station, times);
  return times.map((end, index) => end - (begun[index] ?? 0));
}

/** When each request leaves the station, first come first served. */
function through({ servers, serviceMs }: Station, arriving: readonly number[]): number[] {
  const order = arriving
    .map((_, index) => index)
    .toSorted((one, other) => (arriving[one] ?? 0) - (arriving[other] ?? 0));
  const free = new Float64Array(Math.min(servers, arriving.length));
  const leaving = Array.from(arriving, () => 0);
  for (const [position, index] of order.entries()) {
    const earliest = earliestOf(free);
    const start = Math.max(arriving[index] ?? 0, free[earliest] ?? 0);
    leaving[index] = start + serviceMs(position);
    free[earliest] = leaving[index];
  }
  return leaving;
}

function earliestOf(free: Float64Array): number {
  let earliest = 0;
  for (let index = 1; index < free.length; index += 1) if ((free[index] ?? 0) < (free[earliest] ?? 0)) earliest = index;
  return earliest;
}

/** The same numbers in every run: a linear congruential generator, from 0 up to 1. */
function generator(): () => number {
  const MODULUS = 2 ** 31;
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & (MODULUS - 1);
    return state / MODULUS;
  };
}

/** The duration that this share of the requests does not exceed. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Halvings of the interval in which the answer is: a thousandth of it remains. */
const HALVINGS = 10;

/** The highest rate at which 99 of 100 requests take at most `limitMs`; from 0 to `highest`. */
export function saturation(flowAt: (rate: number) => Flow, limitMs: number, highest: number): number {
  const holds = (rate: number): boolean => percentile(durations(flowAt(rate)), 0.99) <= limitMs;
  if (holds(highest)) return highest;
  let [low, high] = [0, highest];
  for (let round = 0; round < HALVINGS; round += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
