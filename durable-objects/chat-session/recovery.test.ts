/** What happens to runs whose runner was lost: real storage, lost memory. */
import type { Delegation } from "./run-request.ts";
import { describe, expect, test } from "vitest";
import { OWNER, valueOf } from "../../test/support/chat-turns.ts";
import { eventsOf, textOf } from "../../test/support/frame-reader.ts";
import { ATTEMPT_STRIDE, follow, setUp, start, received } from "../../test/support/lost-runs.ts";
import { plugin, tool, toolPlugin } from "../../test/support/plugins.ts";
import { createGate, createScriptedModel } from "../../test/support/scripted-model.ts";
import { startSession } from "../../test/support/session-in-node.ts";
import { chatModels } from "../../test/support/chat-settings.ts";
import { RECOVERY_ATTEMPTS } from "./runs/run-queue.ts";
import { WATCH_INTERVAL_MS } from "./session.ts";

describe("a run whose runner was lost [OR-83]", () => {
  test("keeps the finished steps, cuts the rest, and goes on at 2^32 + 1 with the UTF-16 length of what it kept", async () => {
    const { model, session } = await setUp({ plugins: [toolPlugin("look", "seen")] });
    model.plays(["Hi 🎉 ", { call: "look", input: {} }], ["lost ", { wait: createGate() }], ["and on."]);
    const runId = await start(session, "hello");
    await received(session, runId, ({ data }) => data["content"] === "lost ");
    session.restart();

    const [resumed, ...frames] = await follow(session, runId, ATTEMPT_STRIDE);
    expect(resumed).toMatchObject({
      id: 4_294_967_297,
      event: "run",
      data: { runId, sessionId: session.sessionId, resumed: true, attempt: 1, partialLength: "Hi 🎉 ".length },
    });
    expect(resumed?.data["partialLength"]).toBe(6);
    expect(eventsOf(frames)).toEqual(["message", "reasoning", "done"]);
    expect(frames.map(({ id }) => id - ATTEMPT_STRIDE)).toEqual([2, 3, 4]);
    expect(textOf(frames)).toBe("and on.");
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });

    expect(model.asked[2]?.prompt).toEqual(model.asked[1]?.prompt);
    const messages = valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages;
    expect(messages.map(({ content }) => content)).toEqual(["hello", "Hi 🎉 and on."]);
  });

  test("the requestId stays, and the frames of the first attempt can still be read", async () => {
    const { model, session } = await setUp();
    model.plays(["lost ", { wait: createGate() }], ["whole"]);
    const runId = await start(session, "hello", { requestId: "req-42" });
    await received(session, runId, ({ data }) => data["content"] === "lost ");
    session.restart();
    const frames = await follow(session, runId);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "run", "message", "reasoning", "done"]);
    expect(frames[3]?.data).toMatchObject({ requestId: "req-42", partialLength: 0 });
    expect(frames.at(-1)?.data).toMatchObject({ requestId: "req-42" });
  });

  test("a tool that had begun and not ended is not run again; the model reads that its outcome is unknown [OR-84]", async () => {
    const executed: string[] = [];
    const tools = [
      tool("quick", async () => {
        executed.push("quick");
        return "quickly";
      }),
      tool("slow", async () => {
        executed.push("slow");
        await createGate().opened;
        return "slowly";
      }),
    ];
    const { model, session } = await setUp({ plugins: [plugin("tools", { getTools: () => tools })] });
    model.plays(
      [
        { call: "quick", input: { a: 1 } },
        { call: "slow", input: {} },
      ],
      ["I do not know."],
    );
    const runId = await start(session, "both");
    await received(session, runId, ({ data }) => data["toolName"] === "quick" && data["status"] === "done");
    session.restart();

    const frames = (await follow(session, runId, ATTEMPT_STRIDE)).slice(1);
    expect(executed).toEqual(["quick", "slow"]);
    const results = model.asked[1]?.prompt.at(-1)?.content;
    expect(results).toMatchObject([
      { toolName: "quick", output: { type: "text", value: "quickly" } },
      {
        toolName: "slow",
        output: { type: "error-text", value: "The outcome of slow is unknown; it was not run again" },
      },
    ]);
    expect(eventsOf(frames)).toEqual(["message", "tool_call", "reasoning", "done"]);
    expect(frames[1]?.data).toMatchObject({ toolName: "slow", status: "done", output: "Tool did not complete" });
    const answer = valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages[1];
    expect(answer?.toolCalls).toMatchObject([
      { name: "quick", status: "done", output: '"quickly"' },
      { name: "slow", status: "done", output: '"Tool did not complete"' },
    ]);
  });

  test("one that had only to say that it was done says so without asking the model again", async () => {
    const { model, session } = await setUp();
    model.plays([{ wait: createGate() }]);
    const runId = await start(session, "hello");
    await model.whenAsked(1);
    session.restart();
    session.database.exec("INSERT INTO steps (run, position, text, reasoning) VALUES (1, 0, 'All of it.', '')");
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(model.asked).toHaveLength(1);
    expect(valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages[1]?.content).toBe("All of it.");
  });

  test("the alarm alone picks it up, rings again while it runs, and then only when frames are to be pruned [OR-82]", async () => {
    const { model, session } = await setUp();
    const gate = createGate();
    model.plays([{ wait: createGate() }], [{ wait: gate }, "late"]);
    await start(session, "hello");
    await model.whenAsked(1);
    session.restart();
    expect(session.core.watch()).toBe(session.clock.now() + WATCH_INTERVAL_MS);
    await model.whenAsked(2);
    gate.open();
    await session.settled();
    expect(
      valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages.map(({ content }) => content),
    ).toEqual(["hello", "late"]);
    expect(session.core.watch()).toBe(session.clock.now() + 24 * 60 * 60 * 1000);
    // 5.4.1: at most 30 s ahead.
    expect(WATCH_INTERVAL_MS).toBe(30_000);
  });

  test("waits while settings cannot be made, as long as that takes, and is picked up by the alarm after that [OR-86]", async () => {
    const model = createScriptedModel();
    let configured = true;
    const prepare = async (): Promise<void> => {
      if (!configured) throw new Error("ORACLE_DID is wrong");
    };
    const session = await startSession({ settings: { models: chatModels(model) }, prepare });
    model.plays(["lost ", { wait: createGate() }], ["whole"], ["second"]);
    const runId = await start(session, "hello");
    await received(session, runId, ({ data }) => data["content"] === "lost ");
    const queued = await start(session, "next", { multitask: "enqueue" });
    configured = false;
    session.restart();
    const watches = session.watches;
    for (let alarm = 0; alarm <= RECOVERY_ATTEMPTS; alarm += 1) {
      expect(session.core.watch()).toBe(session.clock.now() + WATCH_INTERVAL_MS);
      await session.settled();
      session.clock.advance(WATCH_INTERVAL_MS);
    }
    expect(session.logged.filter(({ event }) => event === "runs-waiting")).toHaveLength(RECOVERY_ATTEMPTS + 1);
    expect(session.watches).toBeGreaterThan(watches);
    const stored = session.database.prepare("SELECT status, attempt FROM runs ORDER BY ordinal").all();
    expect(stored).toMatchObject([
      { status: "running", attempt: 0 },
      { status: "queued", attempt: 0 },
    ]);
    configured = true;
    session.core.watch();
    const frames = await follow(session, runId, ATTEMPT_STRIDE);
    expect(frames[0]).toMatchObject({ id: ATTEMPT_STRIDE + 1, data: { resumed: true, attempt: 1 } });
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    expect(textOf(await follow(session, queued))).toBe("second");
  });

  test("that waits for settings can be aborted, and its session deleted", async () => {
    const gates = [createGate(), createGate()];
    const model = createScriptedModel();
    let asked = -1;
    const prepare = async (): Promise<void> => gates[(asked += 1)]?.opened;
    const session = await startSession({ settings: { models: chatModels(model) }, prepare });
    const aborted = await start(session, "hello");
    expect(valueOf(await session.core.abort(OWNER))).toBe(true);
    expect((await follow(session, aborted)).at(-1)?.data).toMatchObject({ status: "aborted" });
    session.restart();
    await start(session, "again");
    await session.core.destroy(OWNER);
    for (const gate of gates) gate.open();
    await session.settled();
    expect(model.asked).toHaveLength(0);
  });

  test("a need for a delegation that was reported before the loss is still reported at the end", async () => {
    const ask = plugin("memory", {
      getTools: ({ ucan }) => [
        tool("remember", async () => ((await ucan.requireCapability("memory/read", "ixo:memory")).ok ? 1 : 0)),
      ],
    });
    const { model, session } = await setUp({ plugins: [ask] });
    model.plays([{ call: "remember", input: {} }], [{ wait: createGate() }], ["no"]);
    const runId = await start(session, "hello");
    await model.whenAsked(2);
    session.restart();
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ delegationRequired: true });
  });
});

test("a queued run just starts once the one before it has been picked up and has ended [OR-58]", async () => {
  const { model, session } = await setUp();
  model.plays([{ wait: createGate() }], ["first"], ["second"]);
  const first = await start(session, "one");
  await model.whenAsked(1);
  const second = await start(session, "two", { multitask: "enqueue" });
  session.restart();
  const frames = await follow(session, second);
  expect(frames[0]?.data).not.toHaveProperty("resumed");
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  expect(textOf(frames)).toBe("second");
  expect((await follow(session, first)).at(-1)?.data).toMatchObject({ status: "finished" });
});

test("header delegation and request tools are stored with the run, survive its loss, and are erased at its end [OR-33]", async () => {
  const delegation: Delegation = {
    token: "header-token",
    expiration: null,
    capabilities: [{ can: "*", with: "ixo:*" }],
  };
  const may: boolean[] = [];
  const seen: string[] = [];
  const watching = plugin("watching", {
    async getSharedState({ ucan, request }) {
      may.push(await ucan.hasCapability("memory/read", "ixo:memory"));
      seen.push(...request.tools.map(({ name }) => name));
      return {};
    },
  });
  const { model, session } = await setUp({ plugins: [watching, toolPlugin("look", 1)] });
  model.plays(["half ", { wait: createGate() }], [{ call: "look", input: {} }], ["whole"]);
  const tools = [{ name: "pageTitle", description: "", schema: {} }];
  const runId = await start(session, "hello", { delegation, tools });
  await model.whenAsked(1);
  session.restart();
  expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
  expect([may, seen]).toEqual([
    [true, true],
    ["pageTitle", "pageTitle"],
  ]);
  expect(session.database.prepare("SELECT request FROM runs").all()).toMatchObject([{ request: null }]);
  for (const table of ["steps", "calls"]) expect(session.database.prepare(`SELECT * FROM ${table}`).all()).toEqual([]);
  const everything = ["runs", "steps", "calls", "frames", "messages"].flatMap((table) =>
    session.database.prepare(`SELECT * FROM ${table}`).all(),
  );
  expect(JSON.stringify(everything)).not.toContain("header-token");
});
