/** Long results: the part that the model gets, how it reads the rest, and for how long. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import {
  createGate,
  createScriptedModel,
  type Beat,
  type ScriptedModel,
} from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import { SHOWN_RESULT_BYTES } from "./toolbox.ts";

const fetch: Beat = { call: "fetch", input: {} };

async function setUp(output: JsonValue, ...steps: readonly (readonly Beat[])[]) {
  const model = createScriptedModel();
  model.plays([fetch], ...steps);
  const plugins = [plugin("web", { getTools: () => [tool("fetch", async () => output)] })];
  const session = await startSession({ settings: { models: chatModels(model, 200_000), plugins } });
  return { model, session };
}

const toolsOf = ({ asked }: ScriptedModel, request: number) => (asked[request]?.tools ?? []).map(({ name }) => name);

/** The outcomes of calls that this request gave the model. */
function given({ asked }: ScriptedModel, request: number): readonly JsonValue[] {
  return (asked[request]?.prompt ?? [])
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content as readonly { output: { value: JsonValue } }[])
    .map(({ output }) => output.value);
}

const noteOf = (text: string) =>
  /\n\[The first (?<end>\d+) of (?<total>\d+) bytes\. Call read_result with (?<call>\{.*\}) to continue\]$/.exec(text);

describe("a result [OR-176]", () => {
  test.each([
    ["a text of 32 KiB", "x".repeat(32_768), false],
    ["a text of 32 KiB and a byte", "x".repeat(32_769), true],
    ["a text that only JSON makes longer", "\n".repeat(32_768), false],
    ["an object whose JSON has 32 KiB", { a: "x".repeat(32_768 - 8) }, false],
    ["an object whose JSON has a byte more", { a: "x".repeat(32_768 - 7) }, true],
    ["16,384 letters of two bytes", "é".repeat(16_384), false],
    ["16,385 letters of two bytes", "é".repeat(16_385), true],
  ])("%s is cut: %#", async (_, output, isCut) => {
    expect(SHOWN_RESULT_BYTES).toBe(32_768);
    const { session, model } = await setUp(output, ["Done."]);
    await session.core.completeRun(OWNER, turn("go"));
    const [seen] = given(model, 1);
    expect(toolsOf(model, 0)).not.toContain("read_result");
    expect(toolsOf(model, 1).includes("read_result")).toBe(isCut);
    const whole = typeof output === "string" ? output : JSON.stringify(output);
    const shown = typeof seen === "string" ? seen : JSON.stringify(seen);
    const note = noteOf(shown);
    const total = String(new TextEncoder().encode(whole).length);
    expect([note?.groups?.["end"], note?.groups?.["total"]]).toEqual(isCut ? ["32768", total] : [undefined, undefined]);
    expect(whole.startsWith(shown.slice(0, note?.index))).toBe(true);
    expect(shown === whole).toBe(!isCut);
    const [, answer] = await transcript(session);
    expect(answer?.toolCalls?.[0]?.output).toBe(JSON.stringify(output));
  });

  test("no cut splits a character", async () => {
    const { session, model } = await setUp(`x${"🎉".repeat(9_000)}`, ["Done."]);
    await session.core.completeRun(OWNER, turn("go"));
    const [seen] = given(model, 1);
    expect(noteOf(String(seen))?.groups).toMatchObject({ end: "32765" });
    expect(String(seen)).not.toContain("\uFFFD");
  });
});

describe("read_result [OR-176]", () => {
  const text = Array.from({ length: 10_000 }, (_, index) => `line ${index} 🎉`).join("\n");

  /** Follows the notes to the end of the result. */
  async function readAll(session: Awaited<ReturnType<typeof setUp>>["session"], model: ScriptedModel, id: string) {
    let whole = "";
    for (let offset: JsonValue = 0; offset !== null;) {
      model.plays([{ call: "read_result", input: { toolCallId: id, offset } }], ["."]);
      await session.core.completeRun(OWNER, turn("read"));
      const piece = given(model, model.asked.length - 1).at(-1) as JsonObject;
      whole += String(piece["text"]);
      offset = piece["nextOffset"] ?? null;
    }
    return whole;
  }

  test("returns the whole result in pieces of 32 KiB, in later turns too", async () => {
    const { session, model } = await setUp(text, ["Done."]);
    await session.core.completeRun(OWNER, turn("go"));
    const { call = "{}" } = noteOf(String(given(model, 1)[0]))?.groups ?? {};
    const { toolCallId } = JSON.parse(call) as { toolCallId: string };
    expect(await readAll(session, model, toolCallId)).toBe(text);
  });

  test.each<[string, JsonObject, JsonValue]>([
    [
      "an offset behind the end",
      { offset: 40_000 },
      { text: "", offset: 33_000, nextOffset: null, totalBytes: 33_000 },
    ],
    ["the last byte", { offset: 32_999 }, { text: "x", offset: 32_999, nextOffset: null, totalBytes: 33_000 }],
    ["another call", { toolCallId: "tc_other", offset: 0 }, 'There is no result of "tc_other" to read'],
    [
      "a negative offset",
      { offset: -1 },
      "The arguments do not match the tool's parameters (/offset Too small: expected number to be >=0): read_result",
    ],
  ])("%s", async (_, input, expected) => {
    const { session, model } = await setUp("x".repeat(33_000), [{ wait: createGate() }]);
    await start(session, "go");
    await model.whenAsked(2);
    const id = String(session.database.prepare("SELECT event_id FROM calls").get()?.["event_id"]);
    model.plays([{ call: "read_result", input: { toolCallId: id, ...input } }], ["Done."]);
    session.restart();
    session.core.wake();
    await model.whenAsked(4);
    expect(given(model, 3).at(-1)).toEqual(expected);
  });

  test("is not offered until a result is cut, and does not know another session's result", async () => {
    const { session, model } = await setUp(
      "short",
      [{ call: "read_result", input: { toolCallId: "tc_x" } }],
      ["Done."],
    );
    const runId = await start(session, "go");
    await follow(session, runId);
    expect(given(model, 2).at(-1)).toBe("There is no such tool: read_result");
  });

  test("is not offered for a result of a sub-agent, which the main model never sees, even in later turns", async () => {
    const model = createScriptedModel();
    model.plays([{ call: "call_scout", input: { task: "go" } }], [fetch], ["Short."], ["Done."], ["Again."]);
    const tools = [tool("fetch", async () => "x".repeat(40_000))];
    const scout = { name: "scout", description: "looks", systemPrompt: "Look.", tools, forwardTools: true };
    const plugins = [plugin("scouts", { getSubAgents: () => [scout] })];
    const session = await startSession({ settings: { models: chatModels(model, 200_000), plugins } });
    for (const message of ["go", "again"]) await session.core.completeRun(OWNER, turn(message));
    expect((await transcript(session))[1]?.toolCalls?.map(({ name }) => name)).toContain("fetch");
    expect([toolsOf(model, 3), toolsOf(model, 4)].flat()).not.toContain("read_result");
  });

  test("its own output is not cut again, and does not count as a write", async () => {
    const { session, model } = await setUp("\n".repeat(40_000), [{ wait: createGate() }]);
    const runId = await start(session, "go");
    await model.whenAsked(2);
    const id = String(session.database.prepare("SELECT event_id FROM calls").get()?.["event_id"]);
    const again: Beat = { call: "read_result", input: { toolCallId: id } };
    model.plays([again], [again], ["Done."]);
    session.restart();
    await follow(session, runId);
    expect(given(model, 4).slice(1)).toMatchObject([{ text: "\n".repeat(32_768) }, { text: "\n".repeat(32_768) }]);
    expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
  });
});
