/** The clock's alarm bell as an argument: what waits, waits through these, so that tests decide when time is up. */

export interface Timers {
  /** Calls `ring` once after that time, unless the returned function is called first. */
  after(milliseconds: number, ring: () => void): () => void;
}

export const systemTimers: Timers = {
  after: (milliseconds, ring) => {
    const handle = setTimeout(ring, milliseconds);
    return () => clearTimeout(handle);
  },
};

/** Resolves after that time; rejects with the signal's reason as soon as it is aborted. */
export function pause(timers: Timers, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timers.after(milliseconds, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
