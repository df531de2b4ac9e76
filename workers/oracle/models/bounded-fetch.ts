/**
 * The fetch that talks to a model service: bounded in time before the first byte and between bytes, and without
 * redirects, since following one would carry the key to wherever it points. A redirect is handed back as it is
 * and fails as an unexpected status.
 */
import { boundChunks, countsEvents, createDeadline } from "./deadline.ts";
import type { Timers } from "./timers.ts";

export type Fetch = typeof globalThis.fetch;

export function boundFetch(fetch: Fetch, timers: Timers, milliseconds: number): Fetch {
  return async (input, init) => {
    const stop = new AbortController();
    const deadline = createDeadline(timers, milliseconds, (reason) => stop.abort(reason));
    const signal = init?.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    deadline.arm();
    try {
      const response = await deadline.race(fetch(input, { ...init, redirect: "manual", signal }));
      const body = response.body as ReadableStream<Uint8Array> | null;
      const isEvents = response.headers.get("Content-Type")?.includes("text/event-stream") === true;
      if (body !== null)
        return new Response(boundChunks(body, deadline, isEvents ? countsEvents() : undefined), response);
      deadline.disarm();
      return response;
    } catch (error) {
      deadline.disarm();
      if (signal.aborted) throw error;
      // In this form the SDK knows a connection that could not be made, and repeats the call; workerd has its own.
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}
