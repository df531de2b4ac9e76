import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RunFrame } from "../run-stream.ts";
import type { FrameData } from "../wire.ts";
import { applyFrame, startTurn, textOf, THINKING, type Turn } from "./turn.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const run = { runId: "s.r", requestId: "q", sessionId: "s" };
const timestamp = "2026-11-22T10:00:00.000Z";

type Draft = RunFrame extends infer Frame ? (Frame extends RunFrame ? Omit<Frame, "id"> : never) : never;

const started: Draft = { event: "run", data: run };
const says = (content: string): Draft => ({ event: "message", data: { content, timestamp } });
const thinks = (reasoning: string, isComplete = false): Draft => ({
  event: "reasoning",
  data: { sessionId: "s", requestId: "q", reasoning, isComplete, timestamp },
});
const calls = (eventId: string, status: "isRunning" | "done", output?: string): Draft => ({
  event: "tool_call",
  data: { sessionId: "s", requestId: "q", eventId, toolName: "find", args: { toolName: "find" }, status, output },
});
const acts = (toolName: string, toolCallId: string, status: "isRunning" | "done" | "error"): Draft => ({
  event: "action_call",
  data: { sessionId: "s", requestId: "q", toolCallId, toolName, args: { toolName: "pay", args: { sum: 3 } }, status },
});
const fails = (error: string): Draft => ({
  event: "error",
  data: { error, kind: "server", code: "unknown", retryable: true, ...run, timestamp },
});
const resumes = (partialLength: number, attempt: number): Draft => ({
  event: "run",
  data: { ...run, resumed: true, attempt, partialLength },
});
const ends = (status: FrameData<"done">["status"], partialText?: string): Draft => ({
  event: "done",
  data: { runId: run.runId, requestId: "q", status, ...(partialText === undefined ? {} : { partialText }) },
});

const numbered = (drafts: readonly Draft[]): RunFrame[] => drafts.map((draft, index) => ({ ...draft, id: index + 1 }));
const play = (drafts: readonly Draft[]): Turn => numbered(drafts).reduce(applyFrame, startTurn(run));
const shown = (turn: Turn) => turn.messages.map(({ id, kind, content }) => [id, kind, content]);

test("a turn is one text, its thinking, its calls and its failure, each under an id of the request [SD-30]", () => {
  const turn = play([
    started,
    thinks(THINKING),
    thinks("A "),
    thinks("plan"),
    calls("e1", "isRunning"),
    says("Hel"),
    calls("e1", "done", "ok"),
    acts("open_map", "a1", "isRunning"),
    says("lo"),
    acts("open_map", "a1", "done"),
    fails("Slow today"),
    fails("Broken"),
    ends("failed", "Hello"),
  ]);
  expect(shown(turn)).toEqual([
    ["q-reasoning", "reasoning", ""],
    ["q-ToolCall-e1", "tool_call", ""],
    ["q", "text", "Hello"],
    ["q-ActionCall-a1", "action_call", ""],
    ["q-error", "error", "Broken"],
  ]);
  expect(turn.messages.map(({ runId }) => runId)).toEqual(turn.messages.map(() => "s.r"));
  expect(turn.messages[0]).toMatchObject({ reasoning: "A plan", isReasoning: false, isComplete: true });
  expect(turn.messages[1]?.toolCalls).toMatchObject([{ id: "e1", name: "find", status: "done", output: "ok" }]);
});

test("a message that no frame changes keeps its identity, and a repeated one too [SD-31]", () => {
  const before = play([started, calls("e1", "isRunning"), says("a")]);
  const after = applyFrame(before, { ...says("b"), id: 9 });
  expect(after.messages[0]).toBe(before.messages[0]);
  expect(after.messages[1]).not.toBe(before.messages[1]);
  expect(applyFrame(after, { ...says("b"), id: 9 })).toBe(after);
});

test("the placeholder for thinking is shown until the model's own, and removed if there is none", () => {
  const waiting = play([started, thinks(THINKING)]);
  expect(waiting.messages[0]).toMatchObject({ reasoning: THINKING, isReasoning: true });
  expect(play([started, thinks(THINKING), says("a"), thinks("", true)]).messages.map(({ id }) => id)).toEqual(["q"]);
  expect(play([started, thinks(THINKING), says("a"), ends("finished")]).messages.map(({ id }) => id)).toEqual(["q"]);
  const again = play([started, thinks(THINKING), thinks("one"), resumes(0, 1), thinks(THINKING), thinks(" two")]);
  expect(again.messages[0]?.reasoning).toBe("one two");
});

test("a restart of the server cuts the text to the part that it kept, in UTF-16 units [SD-32]", () => {
  const turn = play([started, says("👋🏽 hello wor"), resumes("👋🏽 hello".length, 1), says(" you"), ends("finished")]);
  expect([textOf(turn), turn.resumed]).toEqual(["👋🏽 hello you", 1]);
  const empty = play([started, says("abc"), resumes(0, 1), calls("e", "isRunning"), says("d")]);
  expect(shown(empty).map(([id]) => id)).toEqual(["q-ToolCall-e", "q"]);
});

test("a turn that did not finish shows exactly the text that the oracle kept [SD-33]", () => {
  expect(textOf(play([started, says("abcdef"), ends("aborted", "abc")]))).toBe("abc");
  expect(textOf(play([started, says("abc"), ends("interrupted", "abcdef")]))).toBe("abcdef");
  expect(play([started, says("abc"), ends("failed", "")]).messages).toEqual([]);
  expect(textOf(play([started, says("abc"), ends("finished", "other")]))).toBe("abc");
});

test("an approval is a question and not a call, open until it is answered", () => {
  const open = play([started, acts("approve_tool", "ap_1", "isRunning")]);
  expect([open.messages, [...open.questions.keys()]]).toEqual([[], ["ap_1"]]);
  expect(
    play([started, acts("approve_tool", "ap_1", "isRunning"), acts("approve_tool", "ap_1", "done")]).questions.size,
  ).toBe(0);
});

/** A run as a server writes it: attempts that are cut to the kept text, and the transcript's text. */
const anyRun = fc
  .record({
    attempts: fc.array(
      fc.record({
        pieces: fc.array(fc.oneof(fc.string({ unit: "grapheme", minLength: 1 }), fc.constant("👩‍👩‍👧")), { maxLength: 6 }),
        keeps: fc.double({ min: 0, max: 1, noNaN: true }),
        calls: fc.nat({ max: 2 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    status: fc.constantFrom("finished" as const, "aborted" as const, "failed" as const, "interrupted" as const),
  })
  .map(({ attempts, status }) => {
    const drafts: Draft[] = [started];
    let text = "";
    for (const [attempt, { pieces, keeps, calls: count }] of attempts.entries()) {
      if (attempt > 0) {
        text = text.slice(0, Math.floor(text.length * keeps));
        drafts.push(resumes(text.length, attempt));
      }
      drafts.push(thinks(THINKING));
      for (let call = 0; call < count; call += 1) {
        drafts.push(calls(`e${attempt}-${call}`, "isRunning"), calls(`e${attempt}-${call}`, "done"));
      }
      for (const piece of pieces) {
        drafts.push(says(piece));
        text += piece;
      }
    }
    drafts.push(thinks("", true), ends(status, status === "finished" ? undefined : text));
    return { frames: numbered(drafts), text };
  });

test("for any connections and repeated frames, the text is the transcript's and no id appears twice [SD-34]", () => {
  const cuts = fc.array(fc.record({ at: fc.nat({ max: 60 }), back: fc.nat({ max: 60 }) }), { maxLength: 8 });
  fc.assert(
    fc.property(anyRun, cuts, ({ frames, text }, cuts) => {
      const whole = frames.reduce(applyFrame, startTurn(run));
      let turn = startTurn(run);
      // Each connection begins at some point after the last frame that was read, and breaks at some point.
      for (const { at, back } of cuts) {
        const from = Math.max(0, turn.lastId - back);
        turn = frames.slice(from, Math.max(from, at)).reduce(applyFrame, turn);
      }
      turn = frames.reduce(applyFrame, turn);
      expect(turn).toEqual(whole);
      expect(textOf(turn)).toBe(text);
      const ids = turn.messages.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns },
  );
});

test("a long answer costs the same for each of its pieces [SD-35]", () => {
  const pieces = 20_000;
  let turn = startTurn(run);
  let created = 0;
  for (let id = 1; id <= pieces; id += 1) {
    const next = applyFrame(turn, { ...says("word "), id });
    created += next.messages.filter((message, index) => message !== turn.messages[index]).length;
    turn = next;
  }
  expect([textOf(turn).length, created]).toEqual([pieces * 5, pieces]);
});
