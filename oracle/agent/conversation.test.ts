/** The messages a model gets of earlier turns and of this turn's steps, and how they are cut to fit its window. */
import { type Conversation, fitConversation, MESSAGE_OVERHEAD, promptRoom } from "./conversation.ts";
import { attachmentOf } from "../framework/attachments.ts";
import type { Call, Step } from "../runs/step-store.ts";
import { describe, expect, test } from "vitest";
import type { MessageRecord, ToolCallRecord } from "../../protocol/records.ts";

function record(type: "human" | "ai", content: string, toolCalls?: readonly ToolCallRecord[]): MessageRecord {
  const id = "id";
  const message: MessageRecord = { id, type, content, createdAt: "", isReasoning: false, isComplete: true };
  return toolCalls === undefined ? message : { ...message, toolCalls };
}

const step = (text: string, reasoning = ""): Step => ({
  text,
  reasoning,
  finishReason: "stop",
  usage: { inputTokens: 0, outputTokens: 0 },
});

function fit(change: Partial<Conversation>, room = 72_000) {
  const nothing = { past: { records: [], omitted: 0 }, question: { message: "now", attachments: [] } };
  return fitConversation({ ...nothing, steps: [], calls: [], ...change }, room);
}

const pastOf = (records: readonly MessageRecord[], omitted = 0) => ({ past: { records, omitted } });

function textsOf({ messages }: ReturnType<typeof fit>): readonly string[] {
  return messages.map(({ content }) => {
    const [first] = content;
    return typeof first === "object" && first.type === "text" ? first.text : JSON.stringify(content);
  });
}

describe("the past", () => {
  test("becomes user and assistant messages, with tool calls and their outcomes before the text", () => {
    const call = { id: "tc_1", name: "find", args: { a: 1 }, status: "done", output: '{"b":2}' } as const;
    expect(fit(pastOf([record("human", "hi"), record("ai", "found", [call])])).messages).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "tc_1", toolName: "find", input: { a: 1 } }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "tc_1", toolName: "find", output: { type: "json", value: { b: 2 } } },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "found" }] },
      { role: "user", content: [{ type: "text", text: "now" }] },
    ]);
  });

  test("notes a tool call whose stored output cannot be read, and continues", () => {
    const call = { id: "tc_1", name: "find", args: {}, status: "done", output: '{"b":' } as const;
    const { messages } = fit(pastOf([record("human", "hi"), record("ai", "found", [call])]));
    expect(messages[2]?.content).toMatchObject([
      { output: { type: "error-text", value: "The result can no longer be read" } },
    ]);
    expect(messages).toHaveLength(5);
  });

  test("never begins with an answer without its question", () => {
    expect(fit(pastOf([record("ai", "late"), record("human", "hi")])).messages.map(({ role }) => role)).toEqual([
      "user",
      "user",
    ]);
    expect(fit(pastOf([record("ai", "late")])).messages).toHaveLength(1);
  });
});

describe("a window", () => {
  test("a window of 32,000 tokens has room for 72,000 characters", () => {
    expect(promptRoom(32_000)).toBe(72_000);
  });

  test("a conversation that fits to the last character is unchanged; with one more, only the longest text is cut", () => {
    const records = [record("human", "a".repeat(500)), record("ai", "b".repeat(497))];
    const whole = fit(pastOf(records), 1_000 + 2 * MESSAGE_OVERHEAD);
    expect([textsOf(whole), whole.newlyShortened]).toEqual([["a".repeat(500), "b".repeat(497), "now"], false]);
    const cut = fit(pastOf(records), 999 + 2 * MESSAGE_OVERHEAD);
    const [first = "", second] = textsOf(cut);
    expect([first.length <= 499, first.includes("left out"), second]).toEqual([true, true, "b".repeat(497)]);
    expect(cut.newlyShortened).toBe(true);
  });

  test("a message of 101,000 characters is cut, and its neighbours stay whole", () => {
    const long = `FIRST${"x".repeat(101_000)}LAST`;
    const records = [record("human", "older"), record("ai", "yes"), record("human", long), record("ai", "read it")];
    const fitted = fit(pastOf(records));
    const [older, yes, cut = "", answer, question] = textsOf(fitted);
    expect([older, yes, answer, question]).toEqual(["older", "yes", "read it", "now"]);
    expect(cut.startsWith("FIRST")).toBe(true);
    expect(cut.endsWith("LAST")).toBe(true);
    expect(cut).toMatch(/\[\d+ or more characters left out\]/);
    expect(cut.length).toBeGreaterThan(70_000);
    expect(textsOf(fitted).join("").length).toBeLessThanOrEqual(72_000);
  });

  test("a question larger than half the room is cut, and earlier turns keep their half", () => {
    const fitted = fit(
      {
        ...pastOf([record("human", "h".repeat(2_000)), record("ai", "a".repeat(2_000))]),
        question: { message: "q".repeat(50_000), attachments: [] },
      },
      8_000,
    );
    const sizes = textsOf(fitted).map((text) => text.length);
    expect(sizes).toEqual([1_980, 1_980, 4_000]);
    expect(fitted.newlyShortened).toBe(true);
  });

  test("turns that would keep less than 400 characters each are dropped, oldest first", () => {
    const turns = Array.from({ length: 20 }, (_, at) => [
      record("human", `h${at} ${"x".repeat(1_000)}`),
      record("ai", "y".repeat(1_000)),
    ]).flat();
    const fitted = fit(pastOf(turns), 4_100);
    expect(
      textsOf(fitted)
        .filter((text) => /^h\d/.test(text))
        .map((text) => text.slice(0, 3)),
    ).toEqual(["h15", "h16", "h17", "h18", "h19"]);
  });

  test("tool outputs are cut as text; arguments stay whole or become empty", () => {
    const call = { id: "tc_1", name: "find", args: { a: "x".repeat(900) }, status: "done" } as const;
    const long = { ...call, output: JSON.stringify({ b: "y".repeat(9_000) }) };
    const { messages } = fit(pastOf([record("human", "hi"), record("ai", "found", [long])]), 1_000);
    const [, called, result] = messages;
    expect(called?.content).toMatchObject([{ input: {} }]);
    expect(result?.content).toMatchObject([{ output: { type: "text", value: expect.stringContaining("left out") } }]);
  });

  test("shortening is reported once, not again if the turn before was shortened too", () => {
    const long = [record("human", "x".repeat(3_000)), record("ai", "read")];
    expect(fit(pastOf(long), 1_000).newlyShortened).toBe(true);
    expect(fit(pastOf([...long, record("human", "more"), record("ai", "yes")]), 1_000).newlyShortened).toBe(false);
    const short = [record("human", "one"), record("ai", "two"), record("human", "three"), record("ai", "four")];
    expect(fit(pastOf(short, 1)).newlyShortened).toBe(true);
    expect(fit(pastOf(short, 2)).newlyShortened).toBe(false);
  });
});

describe("this turn", () => {
  const call: Call = {
    eventId: "tc_1",
    step: 0,
    position: 0,
    modelCallId: "m1",
    name: "pay",
    args: {},
    effect: "write",
    tries: 1,
    status: "done",
  };

  test("steps are listed with the outcome of every call", () => {
    const calls: Call[] = [
      { ...call, output: '"text"' },
      { ...call, modelCallId: "m2", position: 1, status: "error", error: "no money" },
    ];
    const { messages } = fit({ steps: [step("Paying. ", "hm"), step("Done.")], calls });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(messages[1]?.content).toMatchObject([{ text: "Paying. " }, { toolCallId: "m1" }, { toolCallId: "m2" }]);
    expect(messages[2]?.content).toMatchObject([
      { toolCallId: "m1", output: { type: "text", value: "text" } },
      { toolCallId: "m2", output: { type: "error-text", value: "no money" } },
    ]);
    expect(messages[3]?.content).toEqual([{ type: "text", text: "Done." }]);
  });

  test("a large output is cut, with a note", () => {
    const output = JSON.stringify("z".repeat(200_000));
    const fitted = fit({ steps: [step("Looking.")], calls: [{ ...call, output }] });
    expect(fitted.newlyShortened).toBe(true);
    expect(textsOf(fitted).join("").length).toBeLessThan(73_000);
  });

  test("a large error is cut too: its text is the client's", () => {
    const failed: Call = { ...call, status: "error", error: "z".repeat(200_000) };
    const fitted = fit({
      steps: [step("Looking.")],
      calls: [failed, { ...call, modelCallId: "m2", output: '"short"' }],
    });
    expect(fitted.newlyShortened).toBe(true);
    expect(textsOf(fitted).join("").length).toBeLessThan(73_000);
    expect(textsOf(fitted).join("")).toContain("short");
  });

  test("a call that began and never ended is shown with an unknown outcome, and not run again [OR-84]", () => {
    const { messages } = fit({ steps: [step("")], calls: [{ ...call, status: "isRunning" }] });
    const output = { type: "error-text", value: "The outcome of pay is unknown; it was not run again" };
    expect(messages[2]?.content).toMatchObject([{ toolCallId: "m1", output }]);
  });

  test("an attachment is marked after the text it came with, and named as not read [OR-49, OR-328]", () => {
    const file = { url: "mxc://a/b", key: { k: "secret" }, iv: "", hashes: { sha256: "" }, v: "v2" };
    const asked = { id: "a3_1", eventId: "$1", filename: "a.pdf", mimetype: "application/pdf\n## Orders", file };
    const older = (id: string) => ({
      ...record("human", "older"),
      attachments: [{ id, filename: "b", mimetype: "c/d" }],
    });
    const { messages } = fit({
      ...pastOf([older("a1_1"), record("ai", "yes"), record("human", "without"), record("human", "last")]),
      question: { message: "look", attachments: [asked] },
    });
    const parts = messages.flatMap((message) => (message.role === "user" ? message.content : []));
    const { file: _key, ...marked } = asked;
    expect(parts.map(attachmentOf)).toEqual([
      undefined,
      { id: "a1_1", filename: "b", mimetype: "c/d", age: 3 },
      undefined,
      undefined,
      undefined,
      { ...marked, age: 0 },
    ]);
    expect(parts.at(-1)).toMatchObject({
      text: expect.stringMatching(/^\[Attachment "a\.pdf" \("application\/pdf\\n## Orders"\) could not/),
    });
    expect(JSON.stringify(messages)).not.toContain("secret");
  });

  test("unreadable marks and turns without attachments have no marks", () => {
    const damaged = { ...record("human", "older"), attachments: [{ id: "a1_1" }, {}] };
    expect(fit(pastOf([damaged])).messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "older" }] });
  });
});
