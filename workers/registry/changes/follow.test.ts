import { describe, expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import type { FeedChange, FeedPage } from "../store/change-store.ts";
import { eventStream } from "./event-stream.ts";
import {
  awaitChanges,
  followChanges,
  LOOK_INTERVAL,
  LOOKS_PER_HEARTBEAT,
  LOOKS_PER_STREAM,
  type Feed,
} from "./follow.ts";

/**
 * A feed whose length a test sets. Waiting takes no time, and each look is counted. `grow` adds changes at the look
 * with that number.
 */
function feedOf(length: number, grow: Readonly<Record<number, number>> = {}, page = 2) {
  const state = { length, looks: 0, reads: 0, waited: [] as number[], left: false };
  const feed: Feed = {
    newest: async () => state.length,
    read: async (after): Promise<FeedPage> => {
      state.reads += 1;
      const count = Math.max(0, Math.min(page, state.length - after));
      const changes = Array.from({ length: count }, (_, index) => ({ seq: after + index + 1 }) as FeedChange);
      return { changes, newest: state.length };
    },
    wait: async (milliseconds) => {
      state.looks += 1;
      state.waited.push(milliseconds);
      state.length = grow[state.looks] ?? state.length;
    },
    isLeft: () => state.left,
  };
  return { feed, state };
}

const seqsOf = ({ changes }: Pick<FeedPage, "changes">) => changes.map(({ seq }) => seq);

describe("a long poll", () => {
  test("returns changes at once, and returns at once if it must not wait", async () => {
    const { feed, state } = feedOf(3);
    expect(seqsOf(await awaitChanges(feed, 1, 60))).toEqual([2, 3]);
    expect(seqsOf(await awaitChanges(feed, 3, 0))).toEqual([]);
    expect(state.looks).toBe(0);
  });

  test("waits for the first change, up to the maximum number of looks", async () => {
    const { feed, state } = feedOf(3, { 4: 4 });
    expect(seqsOf(await awaitChanges(feed, 3, 60))).toEqual([4]);
    expect(state).toMatchObject({ looks: 4, reads: 2, waited: [500, 500, 500, 500] });
    expect(seqsOf(await awaitChanges(feed, 4, 60))).toEqual([]);
    expect(state.looks).toBe(64);
  });

  test("ends when the client disconnects", async () => {
    const { feed, state } = feedOf(3);
    state.left = true;
    await awaitChanges(feed, 3, 60);
    expect(state).toMatchObject({ looks: 1, reads: 1 });
  });
});

describe("a stream", () => {
  test("sends each change once, in order, page by page, with heartbeats in between", async () => {
    const { feed } = feedOf(3, { [LOOKS_PER_HEARTBEAT * 2 + 1]: 5 });
    const received: (number | string)[] = [];
    for await (const part of followChanges(feed, 0)) {
      received.push(...(part === "heartbeat" ? [part] : seqsOf({ changes: part })));
      if (received.length === 7) break;
    }
    expect(received).toEqual([1, 2, 3, "heartbeat", "heartbeat", 4, 5]);
    expect(LOOK_INTERVAL * LOOKS_PER_HEARTBEAT).toBe(15_000);
  });

  test("ends after a fixed number of looks, within a request's limit of queries", async () => {
    const { feed, state } = feedOf(1);
    const received: unknown[] = [];
    for await (const part of followChanges(feed, 0)) received.push(part);
    expect(received.filter((part) => part === "heartbeat").length).toBe(
      Math.floor(LOOKS_PER_STREAM / LOOKS_PER_HEARTBEAT),
    );
    expect(state.looks + state.reads).toBeLessThan(LOOKS_PER_STREAM + 10);
    const busy = feedOf(1_000_000);
    let pages = 0;
    for await (const _ of followChanges(busy.feed, 0)) pages += 1;
    expect(pages).toBe(LOOKS_PER_STREAM);
  });

  test("reads a page only after its client has taken the previous page, and reads nothing after it disconnects", async () => {
    const { feed, state } = feedOf(100);
    const stream = eventStream(feed, 0, {
      left: () => void (state.left = true),
      log: createLogger({}, () => undefined),
    });
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe("retry: 1000\n\n");
    expect((await reader.read()).value).toBe(
      'event: change\nid: 1\ndata: {"seq":1}\n\nevent: change\nid: 2\ndata: {"seq":2}\n\n',
    );
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(state.reads).toBeLessThan(5);
    await reader.cancel();
    const { reads } = state;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect([state.left, state.reads]).toEqual([true, reads]);
  });

  test("a client that disconnects while the feed is read causes no error", async () => {
    const received: string[] = [];
    const log = createLogger({}, (_level, line) => void received.push(line));
    const { feed, state } = feedOf(0, { 1: 1 });
    const looking = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const slow: Feed = {
      ...feed,
      newest: async () => {
        looking.resolve();
        await gone.promise;
        // Runs after the stream has handled its response.
        setTimeout(ended.resolve);
        return state.length;
      },
    };
    const reader = eventStream(slow, 0, { left: () => void (state.left = true), log }).getReader();
    await reader.read();
    await looking.promise;
    await reader.cancel();
    gone.resolve();
    await ended.promise;
    expect([state.left, received]).toEqual([true, []]);
  });

  test("aborts when the feed cannot be read, and logs the reason", async () => {
    const received: string[] = [];
    const log = createLogger({}, (_level, line) => void received.push(line));
    const broken: Feed = { ...feedOf(1).feed, read: () => Promise.reject(new Error("the database is away")) };
    const reader = eventStream(broken, 0, { left: () => undefined, log }).getReader();
    await reader.read();
    await expect(reader.read()).rejects.toThrow("away");
    expect(received).toEqual([expect.stringContaining("the database is away")]);
  });
});
