/**
 * Which requests wait for an answer of the oracle, and until when. Each poll costs a token and a call, and after a
 * reply it is unknown whether the caller is still there.
 */
export interface AnswerWatch {
  /** A request waits for this job until that time, in Unix milliseconds. */
  expect(jobId: string, until: number): void;
  /** Resolves at once if a request waits for the job, otherwise when one does or the signal aborts. */
  wanted(jobId: string, signal: AbortSignal): Promise<void>;
  /** The job is no longer polled. */
  forget(jobId: string): void;
}

export function createAnswerWatch(clock: () => number): AnswerWatch {
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
