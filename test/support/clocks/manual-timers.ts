/** Timers that the test fires: nothing waits for real time, and every wait is visible with its length. */
import type { Timers } from "../../../oracle/models/timeouts.ts";

export interface ManualTimers extends Timers {
  /** How many timers are set and have neither fired nor been cancelled. */
  readonly pending: number;
  /** Fires the oldest timer, as soon as there is one; returns the milliseconds that it was set to. */
  ring(): Promise<number>;
}

export function manualTimers(): ManualTimers {
  const set = new Set<{ readonly milliseconds: number; readonly ring: () => void }>();
  const waiting: (() => void)[] = [];
  return {
    get pending() {
      return set.size;
    },
    after: (milliseconds, ring) => {
      const timer = { milliseconds, ring };
      set.add(timer);
      for (const tell of waiting.splice(0)) tell();
      return () => void set.delete(timer);
    },
    ring: async () => {
      for (;;) {
        const [oldest] = set;
        if (oldest !== undefined) {
          set.delete(oldest);
          oldest.ring();
          return oldest.milliseconds;
        }
        await new Promise<void>((tell) => void waiting.push(tell));
      }
    },
  };
}
