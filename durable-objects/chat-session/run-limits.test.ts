/** Limits on what a model can add to a run's record: calls, their arguments, its thinking. Every run ends. */
import { KEPT_OUTPUT_SIZE } from "../../oracle/runs/transcript.ts";
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { JsonObject } from "../../platform/json.ts";
import { ANSWER_SIZE, THINKING_SIZE } from "../../oracle/runs/active-run.ts";
import { KEPT_REASONING_SIZE } from "../../oracle/runs/transcript.ts";
import { CALL_INPUT_DEPTH, CALL_INPUT_SIZE } from "../../oracle/agent/arguments.ts";

async function play(...steps: readonly (readonly Beat[])[]) {
  const model = createScriptedModel();
  model.plays(...steps);
  const session = await startSession({ settings: { models: chatModels(model), plugins: [toolPlugin("look", 1)] } });
  const { status } = valueOf(await session.core.completeRun(OWNER, turn("go")));
  const { messages } = valueOf(await session.core.messagePage(OWNER, { limit: 1 }));
  return { status, answer: messages[1], session };
}

/** An object whose JSON has this length. */
const ofSize = (size: number): JsonObject => ({ a: "x".repeat(size - '{"a":""}'.length) });
/** JSON with this many nested objects. */
const ofDepth = (depth: number): string => '{"a":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);
const call = (input: JsonObject | string): Beat => ({ call: "look", input });
const refused = { status: "error", args: {}, error: "The arguments are too large: look" };

describe("arguments of a call [OR-144]", () => {
  test("are accepted up to the limits of size and depth", async () => {
    const { status, answer } = await play([call(ofSize(CALL_INPUT_SIZE)), call(ofDepth(CALL_INPUT_DEPTH))], ["done"]);
    expect(status).toBe("finished");
    expect(answer?.toolCalls).toMatchObject([{ status: "done" }, { status: "done" }]);
  });

  test("are refused above the limits, and the model sees the reason", async () => {
    const beyond = [call(ofSize(CALL_INPUT_SIZE + 1)), call(ofDepth(CALL_INPUT_DEPTH + 1)), call(ofDepth(1000))];
    const { status, answer } = await play(beyond, ["done"]);
    expect(status).toBe("finished");
    expect(answer?.toolCalls).toMatchObject([refused, refused, refused]);
  });

  test("count towards the size of the record: many large ones do not keep the run from ending", async () => {
    const large = Array.from({ length: 40 }, () => call(ofSize(CALL_INPUT_SIZE)));
    const { status, answer } = await play(large, ["done"]);
    expect(status).toBe("finished");
    expect(answer?.toolCalls).toHaveLength(40);
    expect(JSON.stringify(answer).length).toBeLessThan(KEPT_OUTPUT_SIZE + 20_000);
  });
});

test("a delta larger than a row is cut at the answer's limit, and the run fails as too long", async () => {
  const { status, answer } = await play(["x".repeat(3_000_000)]);
  expect(status).toBe("failed");
  expect(answer?.content).toBe("x".repeat(ANSWER_SIZE));
});

describe("a record too large for its row is stored", () => {
  const text = "\u0000".repeat(ANSWER_SIZE);
  const think = "\u0000".repeat(KEPT_REASONING_SIZE);

  test("without its thinking", async () => {
    const { status, answer } = await play([call(ofSize(CALL_INPUT_SIZE))], [{ think }, text]);
    expect(status).toBe("finished");
    expect(answer).toMatchObject({ content: text, toolCalls: [{ status: "done" }] });
    expect(answer).not.toHaveProperty("reasoning");
  });

  test("without its calls too, if that is not enough", async () => {
    const { status, answer } = await play([{ call: "c".repeat(1_000_000), input: {} }], [{ think }, text]);
    expect(status).toBe("finished");
    expect(answer?.content).toBe(text);
    expect(answer).not.toHaveProperty("toolCalls");
  });
});

test("thinking is sent and stored up to 262,144 characters per run, over all its steps; the answer is sent whole", async () => {
  expect(THINKING_SIZE).toBe(262_144);
  const think = { think: "x".repeat(100_000) };
  const { status, answer, session } = await play([think, think, call({})], [think, think, "done"]);
  expect([status, answer?.content]).toEqual(["finished", "done"]);
  const { shown } = session.database
    .prepare("SELECT SUM(LENGTH(data ->> 'reasoning')) AS shown FROM frames WHERE event = 'reasoning'")
    .get() as { shown: number };
  expect(shown).toBe(262_144 + "Thinking...".length);
});

test("long thinking is stored up to its limit", async () => {
  const thoughts = Array.from({ length: 3 }, (): Beat => ({ think: "x".repeat(KEPT_REASONING_SIZE - 1) }));
  const { status, answer } = await play([...thoughts, "done"]);
  expect(status).toBe("finished");
  expect(answer?.reasoning).toHaveLength(KEPT_REASONING_SIZE);
});
