/** A clock that only the test advances; timers fire in the order of their time as it passes them. */
export interface ManualClock {
  /** Unix milliseconds. */
  now(): number;
  after(milliseconds: number, work: () => void): () => void;
  every(milliseconds: number, work: () => void): () => void;
  advance(milliseconds: number): void;
  /** How many timers are set. */
  readonly pending: number;
}

interface Timer {
  at: number;
  readonly work: () => void;
  readonly interval?: number;
}

export function createManualClock(start = Date.parse("2026-11-21T09:00:00.000Z")): ManualClock {
  const timers = new Set<Timer>();
  let now = start;

  function set(timer: Timer): () => void {
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  function nextBy(end: number): Timer | undefined {
    return [...timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
  }

  return {
    now: () => now,
    after: (milliseconds, work) => set({ at: now + milliseconds, work }),
    every: (milliseconds, work) => set({ at: now + milliseconds, work, interval: milliseconds }),
    advance(milliseconds) {
      const end = now + milliseconds;
      for (let timer = nextBy(end); timer !== undefined; timer = nextBy(end)) {
        now = timer.at;
        if (timer.interval === undefined) timers.delete(timer);
        else timer.at += timer.interval;
        timer.work();
      }
      now = end;
    },
    get pending() {
      return timers.size;
    },
  };
}
