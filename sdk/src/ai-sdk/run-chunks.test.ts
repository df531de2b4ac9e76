import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunFrame } from "../core/run-stream.ts";
import { createRunChunks } from "./run-chunks.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ids = { sessionId: "s", requestId: "r" };
const timestamp = "2026-11-22T09:00:00.000Z";

type Said = RunFrame extends infer Frame ? (Frame extends unknown ? Omit<Frame, "id"> : never) : never;

const run = (partialLength?: number): Said => ({
  event: "run",
  data: { runId: "run", ...ids, ...(partialLength === undefined ? {} : { resumed: true, attempt: 1, partialLength }) },
});
const says = (content: string): Said => ({ event: "message", data: { content, timestamp } });
const thinks = (reasoning: string, isComplete = false): Said => ({
  event: "reasoning",
  data: { ...ids, reasoning, isComplete, timestamp },
});
const calls = (eventId: string, outcome: object = {}): Said => ({
  event: "tool_call",
  data: { ...ids, eventId, toolName: "look", args: { at: 1, toolName: "look" }, status: "isRunning", ...outcome },
});
const acts = (toolCallId: string, more: object = {}): Said => ({
  event: "action_call",
  data: { ...ids, toolCallId, toolName: "approve_tool", args: {}, status: "isRunning", ...more },
});
const done = (more: object = {}): Said => ({
  event: "done",
  data: { runId: "run", requestId: "r", status: "finished", ...more },
});
const fails = (error: string): Said => ({
  event: "error",
  data: { error, kind: "unknown", code: "run_failed", retryable: false, runId: "run", ...ids, timestamp },
});

async function shownBy(chunks: readonly UIMessageChunk[]): Promise<{ message: UIMessage; errors: string[] }> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of [{ type: "start", messageId: "run" }, { type: "start-step" }, ...chunks] as UIMessageChunk[])
        controller.enqueue(chunk);
      controller.close();
    },
  });
  const errors: string[] = [];
  let message: UIMessage = { id: "", role: "assistant", parts: [] };
  for await (const next of readUIMessageStream({ stream, onError: (error) => errors.push(String(error)) }))
    message = next;
  return { message, errors };
}

const numbered = (said: readonly Said[]): RunFrame[] => said.map((frame, index) => ({ ...frame, id: index + 1 }));

async function shown(...said: Said[]) {
  const chunks = createRunChunks();
  return shownBy(numbered(said).flatMap((frame) => chunks.read(frame)));
}

const textOf = ({ parts }: UIMessage): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

describe("the parts of a message", () => {
  test("are text, thinking and calls in order, without the oracle's placeholder [SD-191]", async () => {
    const frames = [run(), thinks("Thinking..."), thinks("hm"), says("Let me "), says("look."), calls("c1")];
    const { message } = await shown(
      ...frames,
      calls("c1", { status: "done", output: "42" }),
      says("It is 42."),
      thinks("", true),
      done(),
    );
    expect(message.parts).toMatchObject([
      { type: "step-start" },
      { type: "reasoning", text: "hm", state: "done" },
      { type: "text", text: "Let me look.", state: "done" },
      { type: "dynamic-tool", toolName: "look", input: { at: 1 }, state: "output-available", output: "42" },
      { type: "text", text: "It is 42.", state: "done" },
    ]);
    expect(message.parts[3]).toMatchObject({ providerExecuted: true, toolCallId: "c1" });
  });

  test("represent a failed call and an action as the same kind of part", async () => {
    const { message } = await shown(
      run(),
      calls("c1"),
      calls("c1", { status: "error", error: "no map" }),
      acts("a1", { toolName: "open_map", args: { place: "Lusaka" } }),
      acts("a1", { toolName: "open_map", args: { place: "Lusaka" }, status: "done", output: "{}" }),
      done(),
    );
    expect(message.parts.slice(1)).toMatchObject([
      { toolName: "look", state: "output-error", errorText: "no map" },
      { toolName: "open_map", input: { place: "Lusaka" }, state: "output-available", output: "{}" },
    ]);
  });

  test("represent a question as a part that asks for approval [SD-195]", async () => {
    const question = { args: { toolName: "look", args: { at: 1 } } };
    const asked = [run(), calls("c1"), acts("q1", question)];
    expect((await shown(...asked)).message.parts.slice(1)).toMatchObject([
      { toolCallId: "c1", state: "approval-requested", approval: { id: "q1" } },
    ]);
    const approved = [...asked, acts("q1", { ...question, status: "done", output: '{"approved":true}' })];
    expect((await shown(...approved)).message.parts[1]).toMatchObject({ state: "approval-responded" });
    const made = [...approved, calls("c1", { status: "done", output: "42" })];
    expect((await shown(...made)).message.parts.slice(1)).toMatchObject([{ state: "output-available", output: "42" }]);
    const denied = [...asked, acts("q1", { ...question, status: "error", error: "was not approved" })];
    const ended = [...denied, calls("c1", { status: "error", error: "not run" })];
    expect((await shown(...ended)).message.parts.slice(1)).toMatchObject([
      { state: "output-denied", approval: { approved: false } },
    ]);
  });

  test("represent a question about an unknown call as a separate part", async () => {
    const question = { args: { toolName: "pay", args: { amount: 5 } } };
    const { message } = await shown(
      run(),
      acts("q1", question),
      acts("q1", { ...question, status: "done", output: '{"approved":true}' }),
    );
    expect(message.parts.slice(1)).toMatchObject([
      { toolName: "pay", input: { amount: 5 }, state: "output-available", output: '{"approved":true}' },
    ]);
  });
});

describe("the end of a run", () => {
  test("is in the message's metadata", async () => {
    const { message } = await shown(run(), says("Hi"), done({ messageId: "m1", finishReason: "stop" }));
    expect(message.metadata).toEqual({ runId: "run", requestId: "r", status: "finished", messageId: "m1" });
  });

  test.each([
    [{ status: "finished", finishReason: "content_filter" }, "content-filter"],
    [{ status: "finished", finishReason: "length" }, "length"],
    [{ status: "failed" }, "error"],
    [{ status: "interrupted" }, "interrupted"],
    [{ status: "aborted" }, "other"],
  ])("%j is the AI SDK's %s", (end, expected) => {
    const chunks = createRunChunks().read({ ...done(end), id: 1 });
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: expected });
  });

  test("is an error only if the run failed: a warning is passed on and changes nothing [SD-192]", async () => {
    const warned = await shown(run(), fails("slow today"), says("Hi"), done());
    expect([textOf(warned.message), warned.errors]).toEqual(["Hi", []]);
    const failed = await shown(run(), says("Hi"), fails("no model"), done({ status: "failed", partialText: "Hi" }));
    expect([textOf(failed.message), failed.errors]).toEqual(["Hi", ["Error: no model"]]);
    expect(failed.message.metadata).toMatchObject({ status: "failed" });
  });
});

describe("a restarted server [SD-193]", () => {
  test("retracts text beyond its finished steps, and the message contains it once", async () => {
    const { message } = await shown(
      run(),
      thinks("hm"),
      says("One. "),
      calls("c1"),
      calls("c1", { status: "done", output: "42" }),
      thinks("and then"),
      says("Two, but wr"),
      run(5),
      thinks("and then"),
      says("Two. "),
      says("Three."),
      done(),
    );
    expect(textOf(message)).toBe("One. Two. Three.");
    expect(message.parts.map((part) => ("text" in part ? part.text : part.type))).toEqual([
      "step-start",
      "hm",
      "One. ",
      "dynamic-tool",
      "and then",
      "Two. Three.",
    ]);
  });

  test("any run with any restarts shows the transcript's text", async () => {
    const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 });
    const step = fc.record({ text: fc.array(word, { maxLength: 4 }), thought: fc.array(word, { maxLength: 2 }) });
    const steps = fc.array(step, { minLength: 1, maxLength: 4 });
    // A restart: after how many frames of the step, and with how many frames of other text before it.
    const kills = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 6 }), word), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(steps, kills, fc.nat({ max: 40 }), async (steps, kills, joinedAt) => {
        const said: Said[] = [run(), thinks("Thinking...")];
        let kept = "";
        for (const [index, { text, thought }] of steps.entries()) {
          const whole = [...thought.map((part) => thinks(part)), ...text.map(says)];
          for (const [at, frames, lost] of kills)
            if (at === index) said.push(...whole.slice(0, frames), says(lost), run(kept.length));
          kept += text.join("");
          said.push(...whole);
          if (index < steps.length - 1)
            said.push(calls(`c${index}`), calls(`c${index}`, { status: "done", output: "1" }));
        }
        const frames = numbered([...said, done()]);
        const live = createRunChunks();
        expect(textOf((await shownBy(frames.flatMap((frame) => live.read(frame)))).message)).toBe(kept);
        // A reader who joins later gets everything so far at once.
        const late = createRunChunks();
        for (const frame of frames.slice(0, joinedAt)) late.read(frame);
        const rest = [...late.all()];
        for (const frame of frames.slice(joinedAt)) rest.push(...late.read(frame));
        const { message } = await shownBy(rest);
        expect(textOf(message)).toBe(kept);
        expect(message.parts.filter(({ type }) => type === "dynamic-tool")).toHaveLength(steps.length - 1);
      }),
      { numRuns },
    );
  });

  test.each([
    ["less", "Hel"],
    ["more", "Hello, you"],
    ["something else", "Good day"],
    ["nothing", ""],
  ])("that keeps %s of an aborted run than was shown is authoritative", async (_, partialText) => {
    const { message } = await shown(run(), says("Hello"), done({ status: "aborted", aborted: true, partialText }));
    expect(textOf(message)).toBe(partialText);
  });
});
