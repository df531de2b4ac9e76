/**
 * A budget in units a second, kept as one number: the moment by which everything that was admitted is done at that pace. Work
 * is admitted while that moment is no more than `burstSeconds` ahead; for later work the wait before it starts is returned. Pure:
 * it knows neither clock nor storage. A budget that is lost starts full again, which is what it is after a burst without work.
 */

export interface Pace {
  readonly unitsPerSecond: number;
  /** Work that may start at once, in seconds of the pace. */
  readonly burstSeconds: number;
  /** The longest wait that the caller accepts, in milliseconds: with a longer one nothing is admitted. */
  readonly patienceMs: number;
}

export interface PacedAdmission {
  readonly admitted: boolean;
  /** Admitted: until the work may start. Refused: until the same work would be admitted if no other work came. */
  readonly waitMs: number;
}

export interface PacedBudget {
  /** `now` is Unix milliseconds; a clock that steps back counts as standing still. */
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
