/** What the model is told of the past and of this turn's own steps. */
import { describe, expect, test } from "vitest";
import { HISTORY_SIZE, pastMessages, questionMessage, stepMessages } from "./conversation.ts";
import type { MessageRecord, ToolCallRecord } from "./rpc.ts";
import type { Call } from "./run-store.ts";

function record(type: "human" | "ai", content: string, toolCalls?: readonly ToolCallRecord[]): MessageRecord {
  const id = "id";
  const message: MessageRecord = { id, type, content, createdAt: "", isReasoning: false, isComplete: true };
  return toolCalls === undefined ? message : { ...message, toolCalls };
}

/** A record of exactly so many units of JSON text. */
function sized(type: "human" | "ai", units: number): MessageRecord {
  return record(type, "x".repeat(units - JSON.stringify(record(type, "")).length));
}

describe("the past", () => {
  test("becomes user and assistant messages, tool calls with their outcomes before the text", () => {
    const call = { id: "tc_1", name: "find", args: { a: 1 }, status: "done", output: '{"b":2}' } as const;
    expect(pastMessages([record("human", "hi"), record("ai", "found", [call])])).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "tc_1", toolName: "find", input: { a: 1 } }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "tc_1", toolName: "find", output: { type: "json", value: { b: 2 } } },
        ],
      },
      { role: "assistant", content: "found" },
    ]);
  });

  test("is told up to 100,000 units; one unit more leaves the oldest turn out", () => {
    expect(HISTORY_SIZE).toBe(100_000);
    const old = [sized("human", 40_000), sized("ai", 10_000)];
    expect(pastMessages([...old, sized("human", 40_000), sized("ai", 10_000)])).toHaveLength(4);
    expect(pastMessages([...old, sized("human", 40_000), sized("ai", 10_001)])).toHaveLength(2);
  });

  test("never begins with an answer whose question was left out", () => {
    const past = [sized("human", 99_000), sized("ai", 2000), sized("human", 300), sized("ai", 300)];
    expect(pastMessages(past).map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(pastMessages([sized("human", 300), sized("ai", 100_000)])).toEqual([]);
    expect(pastMessages([])).toEqual([]);
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
    status: "done",
  };

  test("its steps are told with the outcome of every call", () => {
    const calls: Call[] = [
      { ...call, output: '"text"' },
      { ...call, modelCallId: "m2", position: 1, status: "error", error: "no money" },
    ];
    const messages = stepMessages(
      [
        { text: "Paying. ", reasoning: "hm" },
        { text: "Done.", reasoning: "" },
      ],
      calls,
    );
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(messages[0]?.content).toMatchObject([{ text: "Paying. " }, { toolCallId: "m1" }, { toolCallId: "m2" }]);
    expect(messages[1]?.content).toMatchObject([
      { toolCallId: "m1", output: { type: "text", value: "text" } },
      { toolCallId: "m2", output: { type: "error-text", value: "no money" } },
    ]);
    expect(messages[2]?.content).toBe("Done.");
  });

  test("5.4 a call that began and never ended is told as one of unknown outcome, not run again", () => {
    const [, results] = stepMessages([{ text: "", reasoning: "" }], [{ ...call, status: "isRunning" }]);
    const output = { type: "error-text", value: "The outcome of pay is unknown; it was not run again" };
    expect(results?.content).toMatchObject([{ toolCallId: "m1", output }]);
  });

  test("11 an attachment that is not read is named as such in the question", () => {
    const file = { eventId: "$1", filename: "a.pdf", mimetype: "application/pdf" };
    expect(questionMessage("look", [file]).content).toMatch(
      /^look\n\[Attachment "a\.pdf" \(application\/pdf\) could not/,
    );
    expect(questionMessage("look", []).content).toBe("look");
  });
});
