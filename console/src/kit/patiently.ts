/** Retries a request after a lost connection or a temporary refusal, with increasing delays. */
import { ApiFailure } from "../api/api-failure.ts";
import { pause } from "../../../shared/pause.ts";

export type WaitReason = "server" | "connection";

export interface Waits {
  readonly signal: AbortSignal;
  /** @param seconds 0 when the wait is over. */
  readonly onWait: (seconds: number, reason: WaitReason) => void;
}

/** Attempts without progress; with the pauses below, about three minutes. */
export const ATTEMPTS = 10;
/** Seconds of the first pause and of the longest, if the server does not name one. */
const FIRST_PAUSE = 2;
const LONGEST_PAUSE = 30;

/** @param send calls back after progress, which resets the attempts. */
export async function patiently(
  { signal, onWait }: Waits,
  send: (progressed: () => void) => Promise<void>,
): Promise<void> {
  let attempt = 0;
  for (;;) {
    attempt += 1;
    try {
      return await send(() => {
        attempt = 1;
      });
    } catch (error) {
      if (signal.aborted || attempt >= ATTEMPTS || !(error instanceof ApiFailure && error.isPassing)) throw error;
      const seconds = error.retryAfter ?? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1));
      onWait(seconds, error.status === 0 ? "connection" : "server");
      await pauseUntilOnline(seconds, signal);
      signal.throwIfAborted();
      onWait(0, "server");
    }
  }
}

/** A browser that is online again skips the rest of the pause. */
async function pauseUntilOnline(seconds: number, signal: AbortSignal): Promise<void> {
  const online = new AbortController();
  const end = (): void => online.abort();
  addEventListener("online", end);
  await pause(seconds * 1_000, AbortSignal.any([signal, online.signal]));
  removeEventListener("online", end);
}
