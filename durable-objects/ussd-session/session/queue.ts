/**
 * Bounded waiting: one piece of work at a time, in order of arrival, and a value with a time limit. A Durable Object
 * accepts other events while one awaits the database, so the runtime's gates are not enough.
 */

/** Milliseconds that a request waits for its turn; the gateway hangs up soon after. */
export const QUEUE_BOUND_MS = 9_000;

export const OVERRUN = Symbol("waited too long");

/** Calls back once; returns a function that cancels it. */
type After = (milliseconds: number, work: () => void) => () => void;

export function createQueue(after: After) {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return {
    /** OVERRUN if the work waited too long; it is then not done. */
    run<Value>(work: () => Promise<Value>): Promise<Value | typeof OVERRUN> {
      const before = tail;
      const isFree = waiting === 0;
      waiting += 1;
      const turn: { isMissed: boolean; cancel?: () => void } = { isMissed: false };

      async function takeTurn(): Promise<Value | typeof OVERRUN> {
        try {
          await before;
          turn.cancel?.();
          return turn.isMissed ? OVERRUN : await work();
        } finally {
          waiting -= 1;
        }
      }

      const done = takeTurn();
      // A failure must not stop the work queued after it.
      tail = done.catch(() => undefined);
      if (isFree) return done;
      const missed = new Promise<typeof OVERRUN>((resolve) => {
        turn.cancel = after(QUEUE_BOUND_MS, () => {
          turn.isMissed = true;
          resolve(OVERRUN);
        });
      });
      return Promise.race([done, missed]);
    },
  };
}

/** The value, or undefined after that time. */
export function within<Value>(after: After, milliseconds: number, work: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = after(milliseconds, () => resolve(undefined));
    work.then(resolve, reject).finally(cancel);
  });
}
