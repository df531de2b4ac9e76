/**
 * When the server wants its alarm next. Something new that is due is compared with what was announced, which is cheap;
 * what is no longer due is found out by `recompute`, which looks at everything, and otherwise costs one idle wake-up.
 */

export function createDue(compute: () => number | undefined, announce: (at: number | undefined) => void) {
  let announced: number | undefined;
  let ringing = false;

  function set(at: number | undefined): void {
    if (at === announced) return;
    announced = at;
    if (!ringing) announce(at);
  }

  return {
    next: () => announced,

    /** Something is due at this time. */
    by(at: number): void {
      if (announced === undefined || at < announced) set(at);
    },

    recompute(): void {
      if (!ringing) set(compute());
    },

    /** After an eviction: what was announced before it still stands. */
    remember(): void {
      announced = compute();
    },

    /** Does what is due now. @returns when it is to be called next. */
    ring(work: () => void): number | undefined {
      ringing = true;
      try {
        work();
        announced = compute();
        return announced;
      } finally {
        ringing = false;
      }
    },
  };
}
