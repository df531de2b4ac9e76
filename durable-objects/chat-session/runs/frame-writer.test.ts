/** How a run's frames are numbered and its deltas joined. */
import { type Frame, createFrameWriter, DELTA_WINDOW_MS } from "./frames.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../protocol/frames.ts";
import { createManualClock } from "../../../test/support/manual-clock.ts";

/** The size at which joined deltas are stored without waiting, UTF-16 units. */
const DELTA_SIZE = 4096;

function setUp({ attempt = 0, lastSeq = 0 } = {}) {
  const clock = createManualClock();
  const stored: Frame[] = [];
  const toEvent = (event: string, text: string) => ({ event, data: { text } }) as unknown as RunEvent;
  const writer = createFrameWriter({
    append: (frame) => void stored.push(frame),
    attempt,
    lastSeq,
    toEvent,
    after: clock.after,
  });
  const texts = (): string[] => stored.map(({ data }) => String(JSON.parse(data).text));
  return { clock, stored, writer, texts };
}

const event = (name: string, text = ""): RunEvent => ({ event: name, data: { text } }) as unknown as RunEvent;

describe("numbers [OR-78]", () => {
  test("a new run counts from 1, attempt n from n·2^32 + 1, and always above what is stored", () => {
    for (const [attempt, lastSeq, first] of [
      [0, 0, 1],
      [0, 7, 8],
      [1, 7, 4_294_967_297],
      [3, 2 ** 32 + 9, 3 * 2 ** 32 + 1],
      [1, 2 ** 32 + 9, 2 ** 32 + 10],
    ] as const) {
      const { writer, stored } = setUp({ attempt, lastSeq });
      writer.emit(event("run"));
      writer.emit(event("done"));
      expect(stored.map(({ seq }) => seq)).toEqual([first, first + 1]);
    }
  });
});

describe("neighbouring deltas are joined before they are stored [OR-79]", () => {
  test("the first goes out at once, those that follow within 20 ms together", () => {
    const { clock, writer, texts } = setUp();
    writer.delta("message", "a");
    expect(texts()).toEqual(["a"]);
    writer.delta("message", "b");
    writer.delta("message", "c");
    clock.advance(DELTA_WINDOW_MS - 1);
    expect(texts()).toEqual(["a"]);
    clock.advance(1);
    expect(texts()).toEqual(["a", "bc"]);
  });

  test("while deltas keep coming each window gives one frame; after a silent window the next goes out at once", () => {
    const { clock, writer, texts } = setUp();
    for (const text of ["a", "b", "c", "d"]) {
      writer.delta("message", text);
      clock.advance(DELTA_WINDOW_MS / 2);
    }
    expect(texts()).toEqual(["a", "b", "cd"]);
    clock.advance(2 * DELTA_WINDOW_MS);
    expect(clock.pending).toBe(0);
    writer.delta("message", "e");
    expect(texts()).toEqual(["a", "b", "cd", "e"]);
  });

  test("4096 units are stored without waiting, one less waits", () => {
    const { writer, texts } = setUp();
    writer.delta("message", "a");
    writer.delta("message", "x".repeat(DELTA_SIZE - 1));
    expect(texts()).toHaveLength(1);
    writer.delta("message", "y");
    expect(texts().map((text) => text.length)).toEqual([1, DELTA_SIZE]);
  });

  test("text and thinking are never joined, and a frame never overtakes a delta", () => {
    const { writer, stored } = setUp();
    writer.delta("message", "a");
    writer.delta("message", "b");
    writer.delta("reasoning", "c");
    writer.emit(event("tool_call"));
    expect(stored.map(({ event }) => event)).toEqual(["message", "message", "reasoning", "tool_call"]);
  });

  test("what is discarded is never stored, nor is a timer left", () => {
    const { clock, writer, texts } = setUp();
    writer.delta("message", "a");
    writer.delta("message", "b");
    writer.discard();
    expect(clock.pending).toBe(0);
    expect(texts()).toEqual(["a"]);
  });
});

test("any mix of deltas and frames adds up to the same texts in the same order, with ids that grow by one [OR-78]", () => {
  const action = fc.oneof(
    fc.record({ event: fc.constantFrom("message", "reasoning"), text: fc.string({ minLength: 1, unit: "grapheme" }) }),
    fc.record({ event: fc.constant("frame"), text: fc.string() }),
    fc.record({ wait: fc.integer({ min: 0, max: 50 }) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { clock, stored, writer } = setUp();
      const said: { event: string; text: string }[] = [];
      for (const step of actions) {
        if ("wait" in step) clock.advance(step.wait);
        else {
          said.push(step);
          if (step.event === "frame") writer.emit(event("frame", step.text));
          else writer.delta(step.event, step.text);
        }
      }
      writer.flush();
      const shown = stored.map(({ event, data }) => ({ event, text: String(JSON.parse(data).text) }));
      expect(joined(shown)).toEqual(joined(said));
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});

/** Neighbouring deltas of one kind as one; frames stay apart. */
function joined(items: readonly { event: string; text: string }[]) {
  const result: { event: string; text: string }[] = [];
  for (const { event, text } of items) {
    const last = result.at(-1);
    if (last?.event === event && event !== "frame") last.text += text;
    else result.push({ event, text });
  }
  return result;
}
