/** Work of a plugin that nobody waits for longer than its time: what it does afterwards has no effect on the caller. */

/** Rejects with a `TimeUp` when the work has not ended by then, and with whatever it throws, also at once. */
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
    super(`no end after ${milliseconds} ms`);
  }
}
