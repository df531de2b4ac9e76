/**
 * When a view shows a change. A change of the state is shown at once; those of a stream in the rhythm of the mode. A hidden
 * page draws no frames and its timers are slow, so there the clock decides as the next chunk arrives.
 */
import type { ViewOptions } from "../chat.ts";
import type { Environment } from "./environment.ts";

/** Milliseconds between two looks at a stream in the mode `throttled`, and in a page that draws nothing: 20 a second. */
const THROTTLE_MS = 50;

export interface Pacer {
  /** Something of the stream changed. */
  streamed(): void;
  /** Publishes at once, with what still waits. */
  flush(): void;
  /** Forgets what still waits. */
  stop(): void;
}

export function createPacer(
  { mode = "batched", throttleMs = THROTTLE_MS }: ViewOptions,
  { now, after, frame, page }: Pick<Environment, "now" | "after" | "frame" | "page">,
  publish: () => void,
): Pacer {
  let cancel: (() => void) | undefined;
  let publishedAt = -Infinity;

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  function flush(): void {
    stop();
    publishedAt = now();
    publish();
  }

  function throttled(milliseconds: number): void {
    const left = publishedAt + milliseconds - now();
    if (left <= 0) flush();
    else cancel ??= after(left, flush);
  }

  function streamed(): void {
    if (mode === "immediate") flush();
    else if (mode === "throttled") throttled(throttleMs);
    else if (frame !== undefined && !page.isHidden()) cancel ??= frame(flush);
    else throttled(THROTTLE_MS);
  }

  return { streamed, flush, stop };
}
