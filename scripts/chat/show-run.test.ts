import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../protocol/frames.ts";
import { nextAnswer } from "./answer-change.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ids = { sessionId: "s", runId: "r", requestId: "q" };
const timestamp = "2026-11-22T10:00:00.000Z";

const message = (content: string): RunEvent => ({ event: "message", data: { content, timestamp } });
const resumed = (partialLength: number): RunEvent => ({ event: "run", data: { ...ids, resumed: true, partialLength } });
const failed = (partialText: string): RunEvent => ({ event: "done", data: { ...ids, status: "failed", partialText } });

test.each<[string, string, RunEvent, ReturnType<typeof nextAnswer>]>([
  [
    "a restart withdraws text beyond the stored length",
    "part 1 part 2 ",
    resumed(7),
    { text: "part 1 ", change: { kind: "replacement", text: "part 1 ", withdrawn: "part 2 " } },
  ],
  [
    "a restart that stored everything changes nothing",
    "part 1 ",
    resumed(7),
    { text: "part 1 ", change: { kind: "none" } },
  ],
  [
    "lengths count UTF-16 units",
    "🙂🙂",
    resumed(2),
    { text: "🙂", change: { kind: "replacement", text: "🙂", withdrawn: "🙂" } },
  ],
  [
    "a failed run replaces the text by the stored one",
    "Hello wor",
    failed("Hello"),
    { text: "Hello", change: { kind: "replacement", text: "Hello", withdrawn: " wor" } },
  ],
  [
    "a failed run adds what was stored beyond it",
    "Hello",
    failed("Hello!"),
    { text: "Hello!", change: { kind: "addition", text: "!" } },
  ],
])("%s", (_, shown, event, expected) => {
  expect(nextAnswer(shown, event)).toEqual(expected);
});

test("the text printed since the last replacement always equals the answer", () => {
  const thinking: RunEvent = {
    event: "reasoning",
    data: { ...ids, reasoning: "Thinking...", isComplete: false, timestamp },
  };
  const event = fc.oneof(
    fc.string().map(message),
    fc.nat({ max: 40 }).map(resumed),
    fc.string().map(failed),
    fc.constant(thinking),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let text = "";
      let printed = "";
      for (const each of events) {
        const { change, ...next } = nextAnswer(text, each);
        text = next.text;
        if (change.kind !== "none") printed = change.kind === "addition" ? printed + change.text : change.text;
        expect(printed).toBe(text);
      }
    }),
    { numRuns },
  );
});
