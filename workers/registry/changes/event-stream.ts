/** The feed of changes as server-sent events: `id` is the seq, so that a browser that reconnects goes on by itself. */
import { describeThrown, type Logger } from "../../../platform/log.ts";
import type { FeedChange } from "../store/change-store.ts";
import { followChanges, type Feed } from "./follow.ts";

/** Milliseconds after which a client comes again. */
const RETRY = 1_000;

/** A comment, which no client hears of. */
const HEARTBEAT = ": heartbeat\n\n";

const encoder = new TextEncoder();

export interface Listener {
  /** The stream is over: its client has gone, or it has ended. */
  readonly left: () => void;
  /** What cannot be read breaks the stream off, and the client comes again. */
  readonly log: Logger;
}

/** Nothing is read before the client takes what was read before, so a slow one holds one page. */
export function eventStream(feed: Feed, after: number, { left, log }: Listener): ReadableStream<Uint8Array> {
  const following = followChanges(feed, after);
  // A stream that its client has left takes nothing more, and no failure.
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY}\n\n`)),
      async pull(controller) {
        try {
          const next = await following.next();
          if (isCancelled) return;
          if (next.done === true) {
            left();
            return controller.close();
          }
          const text = next.value === "heartbeat" ? HEARTBEAT : next.value.map(eventOf).join("");
          controller.enqueue(encoder.encode(text));
        } catch (thrown) {
          if (isCancelled) return;
          left();
          log.error("stream-failed", { reason: describeThrown(thrown) });
          controller.error(thrown);
        }
      },
      cancel() {
        isCancelled = true;
        left();
      },
    },
    { highWaterMark: 1 },
  );
}

/** JSON has no newline in it, so that an event has one line of data. */
function eventOf(change: FeedChange): string {
  return `event: change\nid: ${change.seq}\ndata: ${JSON.stringify(change)}\n\n`;
}
