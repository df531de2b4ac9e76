/**
 * Follows the change feed: yields pages as they arrive, and heartbeats in between. Reading and waiting are parameters.
 * D1 does not notify anyone of a commit, so the feed is polled with one short query of one row, which all followers
 * share (shared-feed.ts).
 */
import type { FeedChange, FeedPage } from "../store/change-store.ts";

/** Milliseconds between two looks at a feed without new changes. */
export const LOOK_INTERVAL = 500;
/** Looks without a change before a follower gets a heartbeat: 15 s. */
export const LOOKS_PER_HEARTBEAT = 30;
/**
 * Looks before a stream ends and its client reconnects: 5 minutes, well within the queries that one request may make.
 */
export const LOOKS_PER_STREAM = 600;

export interface Feed {
  /** The newest seq at the latest look. */
  readonly newest: () => Promise<number>;
  /** `newest` is the result of the latest look. Without it, the read looks at the database itself. */
  readonly read: (after: number, newest?: number) => Promise<FeedPage>;
  /** Resolves at the next look: after at most this many milliseconds, or earlier if the client disconnects. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Whether the client has disconnected. Nothing more is read for it. */
  readonly isLeft: () => boolean;
}

/** The first page with changes, or an empty page after `looks` more looks. */
export async function awaitChanges(feed: Feed, after: number, looks: number): Promise<FeedPage> {
  let page = await feed.read(after);
  for (let look = 0; look < looks && page.changes.length === 0; look += 1) {
    await feed.wait(LOOK_INTERVAL);
    if (feed.isLeft()) break;
    const newest = await feed.newest();
    if (newest > after) page = await feed.read(after, newest);
  }
  return page;
}

/** Yields each change once, in order, and heartbeats in between. Ends after LOOKS_PER_STREAM looks. */
export async function* followChanges(feed: Feed, start: number): AsyncGenerator<readonly FeedChange[] | "heartbeat"> {
  let after = start;
  let quiet = 0;
  let seen: number | undefined;
  for (let look = 0; look < LOOKS_PER_STREAM && !feed.isLeft(); look += 1) {
    const { changes, newest } = await feed.read(after, seen);
    const last = changes.at(-1);
    if (last !== undefined) {
      yield changes;
      [after, quiet, seen] = [last.seq, 0, newest];
      if (newest > after) continue;
    }
    for (; look < LOOKS_PER_STREAM; look += 1) {
      await feed.wait(LOOK_INTERVAL);
      if (feed.isLeft()) return;
      seen = await feed.newest();
      if (seen > after) break;
      quiet += 1;
      if (quiet % LOOKS_PER_HEARTBEAT === 0) yield "heartbeat";
    }
  }
}
