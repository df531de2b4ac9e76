/**
 * A budget in units per second, stored as one number: the time at which all admitted work is done at that pace. Work is
 * admitted while that time is at most `burstSeconds` ahead; for later work the wait before its start is returned. Pure:
 * it knows neither clock nor storage. A lost budget restarts full, as after an idle period.
 */

export interface Pace {
  readonly unitsPerSecond: number;
  /** Work that may start at once, in seconds of the pace. */
  readonly burstSeconds: number;
  /** The longest wait that the caller accepts, in milliseconds; work with a longer wait is not admitted. */
  readonly patienceMs: number;
}

export interface PacedAdmission {
  readonly admitted: boolean;
  /** Admitted: until the work can start. For refused work, the time until it would be admitted if no other work arrived. */
  readonly waitMs: number;
}

export interface PacedBudget {
  /** `now` is Unix milliseconds; a clock that steps back counts as stopped. */
  take(now: number, units: number, pace: Pace): PacedAdmission;
  /** Returns units that were taken and not used. */
  refund(units: number, pace: Pick<Pace, "unitsPerSecond">): void;
}

export function createPacedBudget(): PacedBudget {
  let latest = -Infinity;
  let doneAt = -Infinity;
  return {
    take(now, units, { unitsPerSecond, burstSeconds, patienceMs }) {
      latest = Math.max(now, latest);
      const waitMs = Math.max(0, Math.ceil(doneAt - burstSeconds * 1000 - latest));
      if (waitMs > patienceMs) return { admitted: false, waitMs: waitMs - patienceMs };
      doneAt = Math.max(doneAt, latest) + (units * 1000) / unitsPerSecond;
      return { admitted: true, waitMs };
    },
    refund(units, { unitsPerSecond }) {
      doneAt -= (units * 1000) / unitsPerSecond;
    },
  };
}
