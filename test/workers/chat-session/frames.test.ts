/** The frames of a turn: their payloads and their order, with the scripted model. */
import { describe, expect, test } from "vitest";
import { newSession, start } from "./session-under-test.ts";
import { OWNER, turn, valueOf } from "../../support/oracle/chat-turns.ts";
import { eventsOf, readFrames, type ReadFrame } from "../../support/oracle/frame-reader.ts";
import { plugin, tool } from "../../support/plugins/small-plugins.ts";
import type { Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { scriptOracle } from "../../support/oracle/scripted-oracle.ts";

const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const unread: Readonly<Record<string, () => unknown>> = {
  response: () => new Response("text"),
  request: () => new Request("https://example.org"),
  stream: () => new Blob(["text"]).stream(),
  blob: () => new Blob(["text"]),
  file: () => new File(["text"], "a.txt"),
  form: () => new FormData(),
  headers: () => new Headers({ a: "b" }),
  bytes: () => new Uint8Array([1]),
  map: () => new Map([["a", 1]]),
};

const tools = [
  ...Object.entries(unread).map(([name, give]) => ({ ...tool(name, give), effect: "read" as const })),
  tool("find", async () => []),
  tool("break", async () => {
    throw new Error("secret reason");
  }),
];

async function play(steps: readonly (readonly Beat[])[]) {
  scriptOracle(steps, { plugins: [plugin("tools", { getTools: () => tools })] });
  const session = await newSession("scripted");
  const { runId, frames } = await start(session, "go", { requestId: "req-42" });
  const all = await frames.rest();
  const [, answer] = valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages;
  return { session, runId, frames: all, answer, common: { sessionId: session.id, requestId: "req-42" } };
}

function withEvent(frames: readonly ReadFrame[], event: string) {
  return frames.filter((frame) => frame.event === event).map(({ data }) => data);
}

test("streams and bodies of the runtime are not JSON [OR-510]", async () => {
  const names = Object.keys(unread);
  const { frames } = await play([names.map((name) => ({ call: name, input: {} })), ["Done."]]);
  const ended = withEvent(frames, "tool_call").filter(({ status }) => status !== "isRunning");
  expect(ended.map(({ toolName, status, error }) => [toolName, status, error])).toEqual(
    names.map((name) => [name, "error", `The result of ${name} is not JSON`]),
  );
});

describe("order [OR-65]", () => {
  test("a plain answer: run, the first thought, the text, reasoning complete, done [OR-66]", async () => {
    const { runId, frames, answer, common } = await play([["Hello"]]);
    expect(frames).toEqual([
      { id: 1, event: "run", data: { runId, ...common } },
      {
        id: 2,
        event: "reasoning",
        data: {
          ...common,
          reasoning: "Thinking...",
          reasoningDetails: [{ type: "thinking", text: "Thinking..." }],
          isComplete: false,
          timestamp: isoDate,
        },
      },
      { id: 3, event: "message", data: { content: "Hello", timestamp: isoDate } },
      { id: 4, event: "reasoning", data: { ...common, reasoning: "", isComplete: true, timestamp: isoDate } },
      {
        id: 5,
        event: "done",
        data: { runId, requestId: "req-42", status: "finished", finishReason: "stop", messageId: answer?.id },
      },
    ]);
  });

  test("a turn with a tool call has exactly the frames of the worked example [OR-67]", async () => {
    const { frames, common } = await play([[{ call: "find", input: { query: "stove" } }], ["Tool find returned: []"]]);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "tool_call", "tool_call", "message", "reasoning", "done"]);
    const shared = { ...common, toolName: "find", args: { query: "stove", toolName: "find" } };
    const eventId = frames[2]?.data["eventId"];
    expect(eventId).toMatch(/^tc_./);
    expect(withEvent(frames, "tool_call")).toEqual([
      { ...shared, status: "isRunning", eventId },
      { ...shared, status: "done", output: "[]", eventId },
    ]);
  });

  test("thinking arrives as reasoning deltas between the first thought and the last", async () => {
    const { frames, answer, common } = await play([[{ think: "A stove." }, "Done."]]);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "reasoning", "message", "reasoning", "done"]);
    expect(frames[2]?.data).toEqual({
      ...common,
      reasoning: "A stove.",
      reasoningDetails: [{ type: "thinking", text: "A stove." }],
      isComplete: false,
      timestamp: isoDate,
    });
    expect(answer).toMatchObject({ content: "Done.", reasoning: "A stove." });
  });

  test("a failing provider: the text so far, reasoning complete, error, done with the kept text [OR-64, OR-66, OR-70]", async () => {
    const { runId, frames, answer, common } = await play([
      ["Starting ", { fail: Object.assign(new Error("x"), { name: "TimeoutError" }) }],
    ]);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "reasoning", "error", "done"]);
    expect(frames[4]?.data).toEqual({
      error: "The model took too long to answer. Please try again.",
      kind: "timeout",
      code: "model_timeout",
      retryable: true,
      source: "provider",
      provider: "test",
      providerLabel: "Test",
      ...common,
      runId,
      timestamp: isoDate,
    });
    const kept = { status: "failed", failed: true, partialText: "Starting ", messageId: answer?.id };
    expect(frames[5]?.data).toEqual({ runId, requestId: "req-42", ...kept });
    expect(answer?.content).toBe("Starting ");
  });
});

describe("tool_call [OR-67]", () => {
  test("a failed tool and an unknown one end with status error; two frames per call, one eventId", async () => {
    const { frames } = await play([
      [
        { call: "break", input: {} },
        { call: "missing", input: { a: 1 } },
      ],
      ["Sorry."],
    ]);
    const calls = withEvent(frames, "tool_call");
    expect(calls).toHaveLength(4);
    for (const name of ["break", "missing"]) {
      const [began, ended] = calls.filter(({ toolName }) => toolName === name);
      expect(began?.["status"]).toBe("isRunning");
      expect(ended).toMatchObject({ status: "error", eventId: began?.["eventId"], error: expect.any(String) });
    }
    expect(new Set(calls.map(({ eventId }) => eventId)).size).toBe(2);
    expect(JSON.stringify(frames)).not.toContain("secret reason");
  });

  test("arguments that are not an object are still shown as an object", async () => {
    const { frames } = await play([[{ call: "find", input: "[1" }], ["Sorry."]]);
    expect(withEvent(frames, "tool_call")[1]).toMatchObject({ args: { toolName: "find" }, status: "error" });
  });

  test("a text result is sent unchanged, any other as its JSON; the transcript contains the JSON of both [OR-89]", async () => {
    scriptOracle(
      [
        [
          { call: "say", input: {} },
          { call: "count", input: {} },
        ],
        ["ok"],
      ],
      {
        plugins: [
          plugin("p", { getTools: () => [tool("say", async () => "plain"), tool("count", async () => ({ n: 1 }))] }),
        ],
      },
    );
    const session = await newSession("scripted");
    const frames = await (await start(session, "go")).frames.rest();
    const ended = withEvent(frames, "tool_call").filter(({ status }) => status === "done");
    expect(ended.map(({ output }) => output)).toEqual(["plain", '{"n":1}']);
    const [, answer] = valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages;
    expect(answer?.toolCalls?.map(({ output }) => output)).toEqual(['"plain"', '{"n":1}']);
  });
});

test("a missing delegation: an error notice in the stream each time, the turn continues, done has delegationRequired [OR-36]", async () => {
  const memory = plugin("memory", {
    getTools: ({ ucan }) => [
      tool("remember", async () => {
        const allowed = await ucan.requireCapability("memory/read", "ixo:memory");
        return allowed.ok ? "yes" : allowed.error.message;
      }),
    ],
  });
  const round = [[{ call: "remember", input: {} }], ["I may not."]];
  const model = scriptOracle([...round, ...round, ...round], { plugins: [memory] });
  const session = await newSession("scripted");
  for (const requestId of ["req-1", "req-2"]) {
    const { runId, frames } = await start(session, "go", { requestId });
    const all = await frames.rest();
    const order = ["run", "reasoning", "tool_call", "error", "tool_call", "message", "reasoning", "done"];
    expect(eventsOf(all)).toEqual(order);
    expect(all[3]?.data).toEqual({
      error: "Please re-authorise this oracle to continue using connected services.",
      kind: "auth",
      source: "platform",
      retryable: true,
      detail: "delegation_required",
      code: "delegation_required",
      sessionId: session.id,
      requestId,
      runId,
      timestamp: isoDate,
    });
    expect(all.at(-1)?.data).toMatchObject({ status: "finished", delegationRequired: true });
  }
  expect(JSON.stringify(model.asked[1]?.prompt.at(-1))).toContain("has not permitted memory/read on ixo:memory");
  const reply = valueOf(await session.chat.completeRun(OWNER, turn("go")));
  expect(reply).toMatchObject({ status: "finished", delegationRequired: true });
});

test("a throttle suppresses the notice but not the flag [OR-37]", async () => {
  const memory = plugin("memory", {
    getTools: ({ ucan }) => [
      tool("remember", async () => (await ucan.requireCapability("memory/read", "ixo:memory")).ok),
    ],
  });
  const round = [[{ call: "remember", input: {} }], ["I may not."]];
  scriptOracle([...round, ...round], { plugins: [memory], promptThrottleSeconds: 3600 });
  const owner = `did:key:${crypto.randomUUID()}`;
  const session = await newSession("scripted", owner);
  const notices: number[] = [];
  for (const message of ["one", "two"]) {
    const { frames } = valueOf(await session.chat.startRun(owner, turn(message)));
    const all = await readFrames(frames).rest();
    notices.push(withEvent(all, "error").length);
    expect(all.at(-1)?.data).toMatchObject({ delegationRequired: true });
  }
  expect(notices).toEqual([1, 0]);
});
