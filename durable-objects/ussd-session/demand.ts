/**
 * Who waits for an answer of the oracle, and how long: looking costs a token and a call each time, and after a reply nobody
 * knows whether the caller is still there.
 */
export interface Demand {
  /** A request waits for this job until then, Unix milliseconds. */
  expect(jobId: string, until: number): void;
  /** Answers at once while a request waits for the job, else when the next one does or the signal aborts. */
  wanted(jobId: string, signal: AbortSignal): Promise<void>;
  /** Nobody looks for the job any more. */
  forget(jobId: string): void;
}

export function createDemand(clock: () => number): Demand {
  const waits = new Map<string, { until: number; wake: () => void }>();

  function waitFor(jobId: string): { until: number; wake: () => void } {
    const known = waits.get(jobId);
    if (known !== undefined) return known;
    const wait = { until: 0, wake: () => {} };
    waits.set(jobId, wait);
    return wait;
  }

  return {
    expect(jobId, until) {
      const wait = waitFor(jobId);
      wait.until = until;
      wait.wake();
    },
    async wanted(jobId, signal) {
      const wait = waitFor(jobId);
      while (clock() >= wait.until && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wait.wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
    forget: (jobId) => void waits.delete(jobId),
  };
}
