/** Turns that are aborted, superseded, raced or erased while they run. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { faultOf, OWNER, turn, valueOf } from "../../support/oracle/chat-turns.ts";
import { eventsOf, readFrames, textOf } from "../../support/oracle/frame-reader.ts";
import { agui } from "../../../oracle/plugins/client-tools/client-tools.ts";
import { plugin, tool } from "../../support/plugins/small-plugins.ts";
import { createGate, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { scriptOracle } from "../../support/oracle/scripted-oracle.ts";
import { follow, newSession, start, type ChatSessionUnderTest } from "./session-under-test.ts";

const stuck: Beat = { wait: createGate() };

async function contents({ chat }: ChatSessionUnderTest): Promise<readonly string[]> {
  return valueOf(await chat.messagePage(OWNER, { limit: 100 })).messages.map(({ content }) => content);
}

describe("abort [OR-60]", () => {
  test("cancels the model's request; done has no error before it, and its partialText equals the transcript's text", async () => {
    const model = scriptOracle([["half an ", stuck]]);
    const session = await newSession("scripted");
    const { runId, frames } = await start(session, "hello", { requestId: "req-42" });
    await frames.until(({ event }) => event === "message");
    expect(valueOf(await session.chat.abort(OWNER))).toBe(true);
    const rest = await frames.rest();
    expect(eventsOf(rest)).toEqual(["reasoning", "done"]);
    const [, answer] = valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages;
    expect(answer?.content).toBe("half an ");
    const kept = { partialText: "half an ", messageId: answer?.id };
    expect(rest[1]?.data).toEqual({ runId, requestId: "req-42", status: "aborted", aborted: true, ...kept });
    expect(model.asked[0]?.abortSignal?.aborted).toBe(true);
    expect(valueOf(await session.chat.abort(OWNER))).toBe(false);
  });

  test("text that waits to be merged is sent and stored like the rest", async () => {
    scriptOracle([["one ", "two ", "three ", stuck]]);
    const session = await newSession("scripted");
    const { frames } = await start(session, "hello");
    const before = await frames.until(({ event }) => event === "message");
    await session.chat.abort(OWNER);
    const rest = await frames.rest();
    expect(rest.at(-1)?.data["partialText"]).toBe(textOf([...before, ...rest]));
    expect((await contents(session))[1]).toBe(textOf([...before, ...rest]));
  });

  test("calls that began and never ended are closed first: a tool as done, an action as error [OR-69] [OR-513]", async () => {
    const hang = async () => {
      await createGate().opened;
      return null;
    };
    scriptOracle(
      [
        [
          { call: "dig", input: {} },
          { call: "open_map", input: {} },
        ],
      ],
      { plugins: [plugin("p", { getTools: () => [tool("dig", hang)] }), agui] },
    );
    const session = await newSession("scripted");
    const { frames } = await start(session, "go", { agActions: [{ name: "open_map", description: "", schema: {} }] });
    const began = await frames.until(({ event }) => event === "action_call");
    await session.chat.abort(OWNER);
    const rest = await frames.rest();
    expect(eventsOf(rest)).toEqual(["tool_call", "action_call", "reasoning", "done"]);
    const eventId = began.find(({ event }) => event === "tool_call")?.data["eventId"];
    expect(rest[0]?.data).toMatchObject({ eventId, status: "done", output: "Tool did not complete" });
    const toolCallId = began.at(-1)?.data["toolCallId"];
    expect(rest[1]?.data).toMatchObject({ toolCallId, status: "error", error: "Action did not complete" });
    expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages[1]?.toolCalls).toMatchObject([
      { name: "dig", status: "done", output: '"The outcome of dig is unknown: it did not complete"' },
      { name: "open_map", status: "error", error: "Action did not complete" },
    ]);
  });
});

describe("one run at a time [OR-56]", () => {
  test("interrupt ends the live run as aborted with its text stored, then starts", async () => {
    scriptOracle([["half ", stuck], ["whole"]]);
    const session = await newSession("scripted");
    const first = await start(session, "one");
    await first.frames.until(({ event }) => event === "message");
    const second = await start(session, "two");
    const ended = await first.frames.rest();
    expect(eventsOf(ended)).toEqual(["reasoning", "done"]);
    expect(ended[1]?.data).toMatchObject({ status: "aborted", aborted: true, partialText: "half " });
    expect(textOf(await second.frames.rest())).toBe("whole");
    expect(await contents(session)).toEqual(["one", "half ", "two", "whole"]);
  });

  test("enqueue gets its run frame at once and starts after the live run [OR-57]", async () => {
    const gate = createGate();
    scriptOracle([["one ", { wait: gate }, "done"], ["two"]]);
    const session = await newSession("scripted");
    const first = await start(session, "first");
    await first.frames.until(({ event }) => event === "message");
    const second = await start(session, "second", { multitask: "enqueue" });
    expect(await second.frames.next()).toMatchObject({ id: 1, event: "run" });
    gate.open();
    expect(textOf(await second.frames.rest())).toBe("two");
    expect(await contents(session)).toEqual(["first", "one done", "second", "two"]);
  });

  test("two concurrent runs: one is aborted, one finished, the transcript has both questions and one answer [OR-59]", async () => {
    const session = await newSession("deployed");
    const started = await Promise.all([start(session, "one"), start(session, "two")]);
    const ends = await Promise.all(started.map(async ({ frames }) => (await frames.rest()).at(-1)?.data["status"]));
    expect(ends).toHaveLength(2);
    expect(new Set(ends)).toEqual(new Set(["aborted", "finished"]));
    const all = await contents(session);
    expect(all.filter((content) => content.startsWith("You said: "))).toHaveLength(1);
    expect(all).toEqual(expect.arrayContaining(["one", "two"]));
  });

  test("20 concurrent runs: 19 aborted, the last one finished, every stream ends with its own done [OR-59]", async () => {
    const session = await newSession("deployed");
    const messages = Array.from({ length: 20 }, (_, index) => `turn ${index}`);
    const started = await Promise.all(messages.map((message) => start(session, message)));
    const ends = await Promise.all(
      started.map(async ({ runId, frames }) => ({ runId, data: (await frames.rest()).at(-1)?.data })),
    );
    for (const { runId, data } of ends) expect(data?.["runId"]).toBe(runId);
    expect(ends.filter(({ data }) => data?.["status"] === "finished")).toHaveLength(1);
    expect(ends.filter(({ data }) => data?.["status"] === "aborted")).toHaveLength(19);
    const all = await contents(session);
    expect(all.filter((content) => content.startsWith("turn "))).toHaveLength(20);
    expect(all.at(-1)).toBe(`You said: ${all.at(-2)}`);
    expect(valueOf(await session.chat.activeRun(OWNER))).toBeNull();
  });
});

describe("deleting a session while it answers [OR-44]", () => {
  test("closes its streams without done, ends every wait, leaves nothing in storage, and is final", async () => {
    const model = scriptOracle([["half ", stuck]]);
    const session = await newSession("scripted");
    const reply = session.chat.completeRun(OWNER, turn("hello"));
    const runId = valueOf(await session.chat.activeRun(OWNER))?.runId ?? "";
    const frames = await follow(session, runId);
    await frames.until(({ event }) => event === "message");
    const queued = valueOf(await session.chat.startRun(OWNER, turn("next", { multitask: "enqueue" })));
    const waiting = readFrames(queued.frames);
    await waiting.next();

    expect(valueOf(await session.chat.destroy(OWNER))).toBeNull();
    expect(faultOf(await reply).message).toBe("Session not found");
    expect(await frames.rest()).toEqual([]);
    expect(await waiting.rest()).toEqual([]);
    expect(model.asked[0]?.abortSignal?.aborted).toBe(true);
    for (const refused of [await session.chat.messagePage(OWNER, { limit: 100 }), await session.chat.destroy(OWNER)])
      expect(faultOf(refused).message).toBe("Session not found");
    expect(faultOf(await session.chat.followRun(OWNER, runId, 0)).message).toBe("Run not found");
    const stored = await runInDurableObject(session.stub, async (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(stored).toEqual({ tables: [], alarm: null });
  });

  test("calls that arrive together with the deletion store nothing [OR-44]", async () => {
    const session = await newSession("deployed");
    await session.chat.completeRun(OWNER, turn("hello"));
    const [destroyed] = await Promise.all([
      session.chat.destroy(OWNER),
      ...Array.from({ length: 5 }, (_, index) => session.chat.completeRun(OWNER, turn(`late ${index}`))),
      session.chat.messagePage(OWNER, { limit: 100 }),
    ]);
    expect(destroyed.ok).toBe(true);
    expect(faultOf(await session.chat.messagePage(OWNER, { limit: 100 })).message).toBe("Session not found");
    const tables = await runInDurableObject(session.stub, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});
