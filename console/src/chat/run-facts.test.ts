import { expect, test } from "vitest";
import { lastSocketEvent, requestFacts, runFacts } from "./run-facts.ts";

const entry = (
  at: number,
  kind: "frame" | "run" | "socket" | "request",
  name: string,
  detail: object = {},
  count = 1,
) => ({
  at,
  kind,
  name,
  count,
  detail: JSON.stringify(detail),
});

const run = [
  entry(1_000, "run", "accepted", { runId: "r" }),
  entry(1_010, "frame", "run", { data: { runId: "r" } }),
  entry(1_020, "frame", "tool_call", { data: { status: "isRunning" } }),
  entry(1_080, "frame", "tool_call", { data: { status: "done" } }),
  entry(1_200, "frame", "message", { data: { content: "x" } }, 12),
];

test("a running run has its time so far, its calls and its frames [CN-139]", () => {
  expect(runFacts(run)).toEqual({ ended: undefined, tookMs: 200, toolCalls: 1, frames: 15, resumed: 0 });
});

test("an ended run says how it ended; the previous run does not count [CN-139]", () => {
  const done = entry(1_400, "frame", "done", { data: { status: "finished" } });
  expect(runFacts([...run, done, entry(9_000, "socket", "pong")])).toMatchObject({ ended: "finished", tookMs: 400 });
  expect(runFacts([...run, done, ...run])).toMatchObject({ ended: undefined, frames: 15 });
});

test("there are no facts without a run [CN-139]", () => {
  expect(runFacts([entry(1, "socket", "connect")])).toBeUndefined();
});

test("a request has its status and milliseconds, the socket its last event [CN-139]", () => {
  const request = entry(1, "request", "GET /sessions", { status: 200, ms: 12 });
  expect(requestFacts(request)).toEqual({ status: 200, ms: 12 });
  expect(requestFacts({ ...request, detail: "{cut…" })).toBeUndefined();
  expect(lastSocketEvent([entry(1, "socket", "connect"), request])?.name).toBe("connect");
});
