/**
 * The change feed as server-sent events. The event's `id` is the seq, so a browser that reconnects resumes
 * automatically.
 */
import { describeThrown, type Logger } from "../../../platform/log.ts";
import type { FeedChange } from "../store/change-store.ts";
import { followChanges, type Feed } from "./follow.ts";

/** Milliseconds before a client reconnects. */
const RETRY = 1_000;

/** A comment line, which clients ignore. */
const HEARTBEAT = ": heartbeat\n\n";

const encoder = new TextEncoder();

export interface Listener {
  /** The stream has ended, or its client has disconnected. */
  readonly left: () => void;
  /** If the feed cannot be read, the stream is aborted and the client reconnects. */
  readonly log: Logger;
}

/** Reads a page only after the client has taken the previous page, so a slow client holds one page in memory. */
export function eventStream(feed: Feed, after: number, { left, log }: Listener): ReadableStream<Uint8Array> {
  const following = followChanges(feed, after);
  // After the client disconnects, the stream accepts no data and no error.
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

/** Compact JSON contains no newline, so each event has one line of data. */
function eventOf(change: FeedChange): string {
  return `event: change\nid: ${change.seq}\ndata: ${JSON.stringify(change)}\n\n`;
}
