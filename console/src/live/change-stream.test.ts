/** The change feed over connections that end silently. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AuthorizedFetch } from "../api/client.ts";
import { followChangeStream } from "./change-stream.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("location", { origin: "http://host.test" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a connection that is silent for 45 s is replaced, continuing after the last change; heartbeats keep it [CN-227]", async () => {
  const asked: string[] = [];
  const connections: ReadableStreamDefaultController<Uint8Array>[] = [];
  const answer: AuthorizedFetch = (input, init) => {
    asked.push(new URL(input as string).search);
    const body = new ReadableStream<Uint8Array>({
      start(connection) {
        connections.push(connection);
        init?.signal?.addEventListener("abort", () => connection.error(init.signal?.reason));
      },
    });
    return Promise.resolve(new Response(body));
  };
  const say = (text: string): void => connections.at(-1)?.enqueue(new TextEncoder().encode(text));
  const leaving = new AbortController();
  const seen: number[] = [];
  const statuses: string[] = [];
  const following = followChangeStream({
    fetch: answer,
    after: 3,
    signal: leaving.signal,
    onChange: ({ seq }) => seen.push(seq),
    onStatus: (status) => statuses.push(status),
  });

  await vi.advanceTimersByTimeAsync(44_000);
  say('event: change\ndata: {"seq":4}\n\n');
  await vi.advanceTimersByTimeAsync(44_000);
  say(": heartbeat\n\n");
  await vi.advanceTimersByTimeAsync(44_000);
  expect(asked).toEqual(["?after=3&limit=100"]);
  expect(seen).toEqual([4]);

  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(["?after=3&limit=100", "?after=4&limit=100"]);
  expect(statuses).toEqual(["connecting", "live", "waiting", "connecting", "live"]);
  leaving.abort();
  await following;
});
