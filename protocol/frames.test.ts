import { describe, expect, test } from "vitest";
import { readFrame, streamFrame } from "./frames.ts";
import { depthOf } from "./json.ts";
import { modelRecord } from "./records.ts";

const done = { runId: "r", requestId: "q", status: "finished" };

describe("a client that is older than the server", () => {
  test("ignores an event that it does not know", () => {
    expect(readFrame("weather", { wind: 3 })).toBeUndefined();
    expect(readFrame("__proto__", {})).toBeUndefined();
  });

  test("drops members that it does not know", () => {
    expect(readFrame("done", { ...done, mood: "good" })).toEqual({ event: "done", data: done });
  });

  test("reads an unknown value as the fallback of its list", () => {
    expect(readFrame("done", { ...done, finishReason: "tired" })).toEqual({
      event: "done",
      data: { ...done, finishReason: "other" },
    });
    const failure = { error: "no", retryable: false, sessionId: "s", requestId: "q", runId: "r", timestamp: "t" };
    expect(readFrame("error", { ...failure, kind: "quota" })).toMatchObject({ data: { kind: "unknown" } });
    expect(modelRecord.shape.badge.parse("Oldest")).toBe("Balanced");
  });
});

test("an absent optional member stays absent", () => {
  expect(readFrame("done", done)).toEqual({ event: "done", data: done });
});

test("data that does not fit its event is malformed", () => {
  expect(readFrame("done", { ...done, status: "tired" })).toBe("malformed");
  expect(readFrame("message", "text")).toBe("malformed");
});

test("the table of events and the described frame are one list", () => {
  expect(streamFrame.parse({ event: "done", id: 7, data: done })).toEqual({ event: "done", id: 7, data: done });
});

test("nesting is counted by levels", () => {
  expect([depthOf(1), depthOf([]), depthOf({ a: [1] })]).toEqual([0, 1, 2]);
});
