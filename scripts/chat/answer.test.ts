import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextAnswer, type AnswerChange } from "./answer.ts";
import type { TurnEvent } from "./wire.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const message = (content: string): TurnEvent => ({ event: "message", data: { content } });
const resumed = (partialLength: number): TurnEvent => ({
  event: "run",
  data: { runId: "r", resumed: true, partialLength },
});
const failed = (partialText: string): TurnEvent => ({ event: "done", data: { status: "failed", partialText } });

describe("after a restart", () => {
  test("text beyond the kept length is taken back, and what stands is shown whole", () => {
    expect(nextAnswer("part 1 part 2 ", resumed(7))).toEqual({
      text: "part 1 ",
      change: { kind: "replacement", text: "part 1 ", withdrawn: "part 2 " },
    });
  });

  test("nothing is taken back when everything was kept", () => {
    expect(nextAnswer("part 1 ", resumed(7))).toEqual({ text: "part 1 ", change: { kind: "none" } });
  });

  test("everything may be taken back", () => {
    expect(nextAnswer("part 1 ", resumed(0)).change).toEqual({ kind: "replacement", text: "", withdrawn: "part 1 " });
  });

  test("lengths count UTF-16 units, as the server counts them", () => {
    expect(nextAnswer("🙂🙂", resumed(2)).text).toBe("🙂");
  });
});

describe("an ending", () => {
  test("that did not finish replaces the text by the kept one", () => {
    expect(nextAnswer("Hello wor", failed("Hello")).change).toEqual({
      kind: "replacement",
      text: "Hello",
      withdrawn: " wor",
    });
  });

  test("adds what the kept text has more", () => {
    expect(nextAnswer("Hello", failed("Hello world")).change).toEqual({ kind: "addition", text: " world" });
  });

  test("that finished changes nothing", () => {
    const finished: TurnEvent = { event: "done", data: { status: "finished", partialText: "other" } };
    expect(nextAnswer("Hello", finished)).toEqual({ text: "Hello", change: { kind: "none" } });
  });
});

/** What stands on the screen behind the last marker. */
function printed(before: string, change: AnswerChange): string {
  if (change.kind === "none") return before;
  return change.kind === "addition" ? before + change.text : change.text;
}

test("what was printed since the last replacement is always the answer as it stands", () => {
  const event = fc.oneof(
    fc.string().map(message),
    fc.nat({ max: 40 }).map(resumed),
    fc.string().map(failed),
    fc.constant<TurnEvent>({ event: "reasoning", data: { reasoning: "Thinking..." } }),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let text = "";
      let onScreen = "";
      for (const event of events) {
        const step = nextAnswer(text, event);
        onScreen = printed(onScreen, step.change);
        text = step.text;
        expect(onScreen).toBe(text);
      }
    }),
    { numRuns },
  );
});
