/** Waits on any clock, unless a signal ends the wait early. */

/** Calls `work` once after that time, unless the returned function is called first. */
type After = (milliseconds: number, work: () => void) => () => void;

const afterTimeout: After = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/** Resolves after that time; rejects with the signal's reason as soon as it fires. */
export function pause(milliseconds: number, signal?: AbortSignal, after: After = afterTimeout): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
