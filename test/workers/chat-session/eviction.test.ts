/** The object is evicted in the middle of a turn; storage, alarm and isolate are the real ones. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { OWNER, STRANGER, valueOf } from "../../support/chat-turns.ts";
import { eventsOf, textOf } from "../../support/frame-reader.ts";
import { plugin, tool, toolPlugin } from "../../support/plugins.ts";
import { createGate, type Beat } from "../../support/scripted-model.ts";
import { scriptedOracle, scriptOracle } from "../../support/scripted-oracle.ts";
import {
  follow,
  loseMemory,
  newSession,
  start,
  type ChatSessionUnderTest,
  type StreamedTurn,
} from "./session-under-test.ts";

const FIRST_ATTEMPT_ID = 4_294_967_297;
const stuck: Beat = { wait: createGate() };

/** A turn that has finished a step of text and tool call and said `lost ` in the next, when its object is evicted. */
async function evicted(rest: readonly (readonly Beat[])[]) {
  const model = scriptOracle([["Hi 🎉 ", { call: "look", input: {} }], ["lost ", stuck], ...rest], {
    plugins: [toolPlugin("look", "seen")],
  });
  const session = await newSession("scripted");
  const started = await start(session, "hello", { delegation: secretDelegation });
  await started.frames.until(({ data }) => data["content"] === "lost ");
  await evict(started);
  return { model, session, runId: started.runId };
}

const secretDelegation = { token: "header-token", expiration: null, capabilities: [{ can: "*", with: "ixo:*" }] };

async function evict({ frames }: Pick<StreamedTurn, "frames">): Promise<void> {
  await frames.cancel();
  await loseMemory();
}

/** Everything that is stored, as text. */
function storedText({ stub }: ChatSessionUnderTest): Promise<string> {
  return runInDurableObject(stub, (_, { storage }) =>
    JSON.stringify(
      ["runs", "steps", "calls", "frames", "messages"].map((table) =>
        storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
      ),
    ),
  );
}

describe("after an eviction in the middle of a turn", () => {
  test("the run goes on from its finished steps, and the transcript holds the answer once", async () => {
    const { session, runId } = await evicted([["and on."]]);
    const frames = await (await follow(session, runId, 5)).rest();
    const resumed = frames.findIndex(({ id }) => id >= FIRST_ATTEMPT_ID);
    expect(frames[resumed]).toEqual({
      id: FIRST_ATTEMPT_ID,
      event: "run",
      data: {
        runId,
        sessionId: session.id,
        requestId: expect.any(String),
        resumed: true,
        attempt: 1,
        partialLength: 6,
      },
    });
    expect("Hi 🎉 ").toHaveLength(6);
    expect(eventsOf(frames.slice(resumed))).toEqual(["run", "message", "reasoning", "done"]);
    expect(textOf(frames.slice(resumed))).toBe("and on.");
    const messages = valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages;
    expect(messages.map(({ content }) => content)).toEqual(["hello", "Hi 🎉 and on."]);
    expect(messages[1]?.toolCalls).toMatchObject([{ name: "look", status: "done", output: '"seen"' }]);
  });

  test.each([
    ["describe", (session) => session.chat.describe(OWNER)],
    ["activeRun", (session) => session.chat.activeRun(OWNER)],
    ["messages", (session) => session.chat.messagePage(OWNER, { limit: 100 })],
    ["messagePage", (session) => session.chat.messagePage(OWNER, { limit: 1 })],
  ] satisfies [string, (session: ChatSessionUnderTest) => Promise<unknown>][])(
    "any call picks it up: %s",
    async (_, call) => {
      const { session, runId, model } = await evicted([["and on."]]);
      await call(session);
      const frames = await (await follow(session, runId)).rest();
      expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
      expect(model.asked).toHaveLength(3);
    },
  );

  test("the alarm picks it up with nobody calling", async () => {
    const { session, runId, model } = await evicted([["and on."]]);
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    const attempt = await runInDurableObject(session.stub, (_, { storage }) =>
      storage.sql.exec<{ attempt: number }>("SELECT attempt FROM runs").one(),
    );
    expect(attempt).toEqual({ attempt: 1 });
    const frames = await (await follow(session, runId, FIRST_ATTEMPT_ID)).rest();
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    expect(model.asked).toHaveLength(3);
  });

  test("under a wrong configuration it waits, and the alarm rings until it can go on [OR-86]", async () => {
    const { session, runId, model } = await evicted([["and on."]]);
    const { settings } = scriptedOracle;
    scriptedOracle.settings = undefined;
    for (const _ of [1, 2, 3, 4, 5]) expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    expect(valueOf(await session.chat.activeRun(OWNER))).toMatchObject({ runId, status: "running" });
    expect(model.asked).toHaveLength(2);
    scriptedOracle.settings = settings;
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    const frames = await (await follow(session, runId, FIRST_ATTEMPT_ID)).rest();
    expect(textOf(frames)).toBe("and on.");
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  });

  test("a stranger's call learns nothing and the run is still finished", async () => {
    const { session, runId } = await evicted([["and on."]]);
    expect(await session.chat.followRun(STRANGER, runId, 0)).toMatchObject({ ok: false });
    expect(textOf(await (await follow(session, runId, FIRST_ATTEMPT_ID)).rest())).toBe("and on.");
  });

  test("the header delegation is kept while the run is unfinished and erased at its end [OR-33]", async () => {
    const { session, runId } = await evicted([["and on."]]);
    expect(await storedText(session)).toContain("header-token");
    await (await follow(session, runId)).rest();
    expect(await storedText(session)).not.toContain("header-token");
    expect(valueOf(await session.chat.activeRun(OWNER))).toBeNull();
  });

  test("an abort ends it with the kept text", async () => {
    const { session, runId } = await evicted([[stuck]]);
    expect(valueOf(await session.chat.abort(OWNER))).toBe(true);
    const done = (await (await follow(session, runId)).rest()).at(-1)?.data;
    expect(done).toMatchObject({ status: "aborted", aborted: true, partialText: "Hi 🎉 " });
    expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages[1]?.content).toBe("Hi 🎉 ");
  });
});

test("a tool that had begun and not ended is not run again; the model reads that its outcome is unknown [OR-84]", async () => {
  let runs = 0;
  const paying = tool("pay", async () => {
    runs += 1;
    await createGate().opened;
    return "paid";
  });
  const model = scriptOracle([[{ call: "pay", input: {} }], ["I do not know."]], {
    plugins: [plugin("p", { getTools: () => [paying] })],
  });
  const session = await newSession("scripted");
  const started = await start(session, "pay");
  await started.frames.until(({ event }) => event === "tool_call");
  await evict(started);

  const frames = await (await follow(session, started.runId, FIRST_ATTEMPT_ID)).rest();
  expect(runs).toBe(1);
  expect(JSON.stringify(model.asked[1]?.prompt.at(-1))).toContain(
    "The outcome of pay is unknown; it was not run again",
  );
  expect(eventsOf(frames)).toEqual(["message", "tool_call", "reasoning", "done"]);
  expect(frames[1]?.data).toMatchObject({ status: "done", output: "Tool did not complete" });
});

test("a queued run starts once the evicted one before it has ended [OR-58]", async () => {
  scriptOracle([["half ", stuck], ["first"], ["second"]]);
  const session = await newSession("scripted");
  const first = await start(session, "one");
  await first.frames.until(({ event }) => event === "message");
  const second = await start(session, "two", { multitask: "enqueue" });
  await second.frames.cancel();
  await evict(first);
  const frames = await (await follow(session, second.runId)).rest();
  expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "reasoning", "done"]);
  expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages.map(({ content }) => content)).toEqual(
    ["one", "first", "two", "second"],
  );
});

test("evicted a fourth time the run is interrupted: error, done, and the kept text in the transcript [OR-85]", async () => {
  scriptOracle([["kept ", { call: "look", input: {} }], ["cut ", stuck], [stuck], [stuck], [stuck]], {
    plugins: [toolPlugin("look", 1)],
  });
  const session = await newSession("scripted");
  const started = await start(session, "hello");
  await started.frames.until(({ data }) => data["content"] === "cut ");
  await evict(started);
  for (const attempt of [1, 2, 3]) {
    const frames = await follow(session, started.runId, attempt * 2 ** 32);
    expect(await frames.next()).toMatchObject({ event: "run", data: { attempt, partialLength: 5 } });
    await evict({ frames });
  }
  const frames = await (await follow(session, started.runId, 4 * 2 ** 32)).rest();
  expect(eventsOf(frames)).toEqual(["run", "message", "reasoning", "error", "done"]);
  const partialText = "kept cut ";
  expect(frames.at(-1)?.data).toMatchObject({ status: "interrupted", interrupted: true, partialText });
  expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages[1]?.content).toBe(partialText);
});
