/** Comments of a service do not count as events: they do not restart the timeout. */
import { expect, test } from "vitest";
import { manualTimers } from "../../test/support/clocks/manual-timers.ts";
import { boundChunks, countsEvents, createDeadline, isModelTimeout } from "./timeouts.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  [[": waiting\n\n"], [false]],
  [["data: {}\n\n"], [true]],
  [["event: ping\n"], [true]],
  [
    [": wai", "ting\n", ":\r\n\r\n"],
    [false, false, false],
  ],
  [[": a\ndata: b"], [true]],
  [
    ["da", "ta: {}\n", "\n: c", "\n"],
    [true, true, false, false],
  ],
  [
    ["data: a:b\n", ": c"],
    [true, false],
  ],
])("%j", (pieces, expected) => {
  const counts = countsEvents();
  expect(pieces.map((piece) => counts(bytes(piece)))).toEqual(expected);
});

test("a service that sends only comments times out once; text received before is passed on [OR-134]", async () => {
  const timers = manualTimers();
  const stopped: unknown[] = [];
  const deadline = createDeadline(timers, 60_000, (reason) => stopped.push(reason));
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const sent = new ReadableStream<Uint8Array>({ start: (controller) => void (source = controller) });
  const reader = boundChunks(sent, deadline, countsEvents()).getReader();
  source?.enqueue(bytes("data: 1\n\n"));
  expect((await reader.read()).value).toEqual(bytes("data: 1\n\n"));
  const next = reader.read();
  for (let comment = 0; comment < 3; comment += 1) source?.enqueue(bytes(": still here\n\n"));
  expect((await next).value).toEqual(bytes(": still here\n\n"));
  const late = (async () => {
    for (;;) await reader.read();
  })();
  late.catch(() => undefined);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(timers.pending).toBe(1);
  expect(await timers.ring()).toBe(60_000);
  await expect(late).rejects.toSatisfy(isModelTimeout);
  expect(stopped).toHaveLength(1);
});

test("an event among comments restarts the timeout", async () => {
  const timers = manualTimers();
  const deadline = createDeadline(timers, 60_000, () => undefined);
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const sent = new ReadableStream<Uint8Array>({ start: (controller) => void (source = controller) });
  const reader = boundChunks(sent, deadline, countsEvents()).getReader();
  const first = reader.read();
  source?.enqueue(bytes(": hm\n\ndata: 1\n\n"));
  await first;
  expect(timers.pending).toBe(0);
});
