/**
 * One piece of work at a time, in the order in which it came (contract/ussd.md section 4). A Durable Object lets other
 * events in while one awaits the database, so the runtime's gates are not enough.
 */

/** Milliseconds that a request waits for its turn; the gateway hangs up soon after. */
export const QUEUE_BOUND_MS = 9_000;

export const OVERRUN = Symbol("waited too long");

export interface Queue {
  /** OVERRUN when the turn did not come in time: the work is not done then. */
  run<Value>(work: () => Promise<Value>): Promise<Value | typeof OVERRUN>;
}

export function createQueue(after: (milliseconds: number, work: () => void) => () => void): Queue {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return {
    run(work) {
      const before = tail;
      const isFree = waiting === 0;
      waiting += 1;
      const turn: { isMissed: boolean; callOff?: () => void } = { isMissed: false };

      async function takeTurn(): Promise<Awaited<ReturnType<typeof work>> | typeof OVERRUN> {
        try {
          await before;
          turn.callOff?.();
          return turn.isMissed ? OVERRUN : await work();
        } finally {
          waiting -= 1;
        }
      }

      const done = takeTurn();
      // Work that fails must not keep what is behind it from its turn.
      tail = done.catch(() => undefined);
      if (isFree) return done;
      const missed = new Promise<typeof OVERRUN>((resolve) => {
        turn.callOff = after(QUEUE_BOUND_MS, () => {
          turn.isMissed = true;
          resolve(OVERRUN);
        });
      });
      return Promise.race([done, missed]);
    },
  };
}
