/** A run's frames: how they are numbered and merged, written as server-sent events, and how long they are stored. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../protocol/frames.ts";
import { turn } from "../../test/support/oracle/chat-turns.ts";
import { createManualClock } from "../../test/support/clocks/manual-clock.ts";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import { migrate } from "../../platform/object-schema.ts";
import { migrations } from "./schema.ts";
import {
  DELTA_WINDOW_MS,
  FRAME_RETENTION_MS,
  type Frame,
  REPLAYABLE_RUNS,
  createFrameStore,
  createFrameWriter,
  HEARTBEAT,
  encodeFrames,
} from "./frames.ts";
import { createRunStore } from "./run-store.ts";

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

describe("frame ids [OR-78]", () => {
  test("a new run counts from 1, attempt n from n·2^32 + 1, and always above the stored ids", () => {
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

describe("consecutive deltas are merged before they are stored [OR-79]", () => {
  test("the first is sent at once, further ones within 20 ms are merged", () => {
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

  test("while deltas keep coming, each window makes one frame; after a window without deltas, the next is sent at once", () => {
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

  test("text and thinking are never merged, and a frame never overtakes a delta", () => {
    const { writer, stored } = setUp();
    writer.delta("message", "a");
    writer.delta("message", "b");
    writer.delta("reasoning", "c");
    writer.emit(event("tool_call"));
    expect(stored.map(({ event }) => event)).toEqual(["message", "message", "reasoning", "tool_call"]);
  });

  test("a discarded delta is never stored and leaves no timer", () => {
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

/** Merges neighbouring deltas of one kind; frames stay separate. */
function joined(items: readonly { event: string; text: string }[]) {
  const result: { event: string; text: string }[] = [];
  for (const { event, text } of items) {
    const last = result.at(-1);
    if (last?.event === event && event !== "frame") last.text += text;
    else result.push({ event, text });
  }
  return result;
}

const HOUR = 60 * 60 * 1000;

function setUpStore() {
  const storage = createSqliteStorage();
  migrate(storage, migrations);
  const runs = createRunStore(storage.sql);
  const frames = createFrameStore(storage.sql);
  const runIds = new Map<number, string>();
  /** A run of one frame; ended if `endedAt` is given. */
  function add(endedAt?: number): number {
    const { runId, ordinal } = runs.insert(`s.${crypto.randomUUID()}`, turn("hello"), 0, []);
    runIds.set(ordinal, runId);
    frames.append(ordinal, { seq: 1, event: "run", data: "{}" });
    if (endedAt !== undefined)
      runs.end(ordinal, {
        status: "finished",
        endedAt,
        usage: { inputTokens: 0, outputTokens: 0 },
        delegationRequired: false,
      });
    return ordinal;
  }
  const kept = (ordinals: readonly number[]): readonly boolean[] =>
    ordinals.map((ordinal) => {
      const has = frames.last(ordinal) !== undefined;
      expect(runs.byId(runIds.get(ordinal) ?? "")?.pruned).toBe(!has);
      return has;
    });
  return { runs, frames, add, kept };
}

test("frames stay for 24 h after the run's end, to the millisecond, and the next time is returned", () => {
  const { runs, frames, add, kept } = setUpStore();
  const ordinals = [add(HOUR), add(2 * HOUR)];
  expect(FRAME_RETENTION_MS).toBe(24 * HOUR);
  frames.prune(runs, 25 * HOUR - 1);
  expect(frames.nextPruning(runs)).toBe(25 * HOUR);
  expect(kept(ordinals)).toEqual([true, true]);
  frames.prune(runs, 25 * HOUR);
  expect(frames.nextPruning(runs)).toBe(26 * HOUR);
  expect(kept(ordinals)).toEqual([false, true]);
  frames.prune(runs, 26 * HOUR);
  expect(frames.nextPruning(runs)).toBeUndefined();
  expect(kept(ordinals)).toEqual([false, false]);
});

test("the newest 50 ended runs keep their frames; older ones are pruned", () => {
  const { runs, frames, add, kept } = setUpStore();
  expect(REPLAYABLE_RUNS).toBe(50);
  const first = [add(1), add(2)];
  for (let run = 2; run < REPLAYABLE_RUNS; run += 1) add(3);
  frames.prune(runs, HOUR);
  expect(kept(first)).toEqual([true, true]);
  add(4);
  frames.prune(runs, HOUR);
  expect(kept(first)).toEqual([false, true]);
});

test("a run that has not ended is never pruned, however old", () => {
  const { runs, frames, add, kept } = setUpStore();
  const active = add();
  for (let run = 0; run <= REPLAYABLE_RUNS; run += 1) add(1);
  frames.prune(runs, 1000 * HOUR);
  expect(frames.nextPruning(runs)).toBeUndefined();
  expect(kept([active])).toEqual([true]);
});

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const frame = (seq: number, content: string) => ({ seq, event: "message", data: JSON.stringify({ content }) });

test("a frame has an event, an id, one line of data and an empty line; several follow each other [OR-62]", () => {
  expect(textOf(encodeFrames([frame(1, "a"), frame(2 ** 32 + 1, "b")]))).toBe(
    'event: message\nid: 1\ndata: {"content":"a"}\n\nevent: message\nid: 4294967297\ndata: {"content":"b"}\n\n',
  );
});

test("no text breaks a frame: neither any line ending nor text that looks like a frame [OR-62]", () => {
  const hostile = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    "\u2028",
    "\n\n",
    "\ndata: {}",
    "\nretry: 1\n\n",
    ": x\n",
    "\0",
    "🎉",
  );
  const ordinary = fc.string({ unit: "binary", maxLength: 20 });
  const said = fc.array(fc.oneof(hostile, ordinary), { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(said, (content) => {
      const lines = textOf(encodeFrames([frame(7, content)])).split(/\r\n|\r|\n/);
      expect(lines).toHaveLength(5);
      expect(lines.slice(0, 2)).toEqual(["event: message", "id: 7"]);
      expect(JSON.parse((lines[2] ?? "").slice("data: ".length))).toEqual({ content });
      expect(lines.slice(3)).toEqual(["", ""]);
    }),
    { numRuns },
  );
});

test("a heartbeat is a separate comment [OR-63]", () => {
  expect(textOf(HEARTBEAT)).toBe(": heartbeat\n\n");
});
