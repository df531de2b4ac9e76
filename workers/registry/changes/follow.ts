/**
 * Follows the feed of changes: pages as they come, and signs of life while nothing does. Reading and waiting come in. D1
 * tells nobody of a commit, so it is asked, by one short query that reads one row and that all followers share (shared-feed.ts).
 */
import type { FeedChange, FeedPage } from "../store/change-store.ts";

/** Milliseconds between two looks at a feed that had nothing new. */
export const LOOK_INTERVAL = 500;
/** Looks without anything new until a follower gets a heartbeat: 15 s. */
export const LOOKS_PER_HEARTBEAT = 30;
/** Looks until a stream ends and its client comes again: 5 minutes, well below the queries that one request may make. */
export const LOOKS_PER_STREAM = 600;

export interface Feed {
  /** At the latest look. */
  readonly newest: () => Promise<number>;
  /** `newest`: what a look has shown; absent for a read of the moment. */
  readonly read: (after: number, newest?: number) => Promise<FeedPage>;
  /** Settles at the next look, after so many milliseconds at most, or earlier once nobody listens. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Whether the client has left: nothing more is read for it. */
  readonly isLeft: () => boolean;
}

/** The first page that holds anything, or an empty one after `looks` more looks. */
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

/** Changes in order, each once, and heartbeats in between; ends by itself after LOOKS_PER_STREAM. */
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
