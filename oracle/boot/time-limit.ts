/** Limits how long a caller waits for a plugin's work. Later results have no effect on the caller. */

/** Rejects with `TimeUp` when the work has not ended in time, and with any error that it throws, even synchronously. */
export async function withinTime<Value>(milliseconds: number, work: () => Promise<Value> | Value): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TimeUp(milliseconds)), milliseconds);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export class TimeUp extends Error {
  override readonly name = "TimeUp";

  constructor(milliseconds: number) {
    super(`did not end within ${milliseconds} ms`);
  }
}
