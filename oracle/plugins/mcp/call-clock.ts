/** The time limit of a call, which is paused while its server asks the user a question. */

export interface CallClock {
  /** Fires when the time is over or the turn ends. */
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Returns a function that resumes the clock with the remaining time. */
  pause(): () => void;
  stop(): void;
}

export function createCallClock(limitMs: number, turn: AbortSignal): CallClock {
  const over = new AbortController();
  let left = limitMs;
  let pauses = 0;
  let startedAt = 0;
  let stop = (): void => undefined;

  function run(): void {
    startedAt = Date.now();
    const timer = setTimeout(() => over.abort(new Error("the call took too long")), left);
    stop = () => clearTimeout(timer);
  }

  function hold(): void {
    stop();
    left -= Date.now() - startedAt;
  }

  run();
  return {
    signal: AbortSignal.any([turn, over.signal]),
    get isOver() {
      return over.signal.aborted;
    },
    pause() {
      pauses += 1;
      if (pauses === 1) hold();
      return () => {
        pauses -= 1;
        if (pauses === 0) run();
      };
    },
    stop: () => stop(),
  };
}
