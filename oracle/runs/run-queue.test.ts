/** One turn at a time: queueing, interrupting, aborting, and their limits. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { faultOf, OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { eventsOf, readFrames, textOf, type FrameReader } from "../../test/support/oracle/frame-reader.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import { REPORTED_MARK_DELAY_MS } from "./after-run.ts";
import { QUEUED_RUNS } from "./run-queue.ts";

async function setUp() {
  const model = createScriptedModel();
  const session = await startSession({ settings: { models: chatModels(model) } });
  return { model, session };
}

async function start(session: SessionInNode, ...parts: Parameters<typeof turn>): Promise<FrameReader> {
  return readFrames(valueOf(await session.core.startRun(OWNER, turn(...parts))).frames);
}

const enqueue = { multitask: "enqueue" } as const;

/** The question and the answer of each turn in the transcript. */
async function transcript({ core }: SessionInNode): Promise<string> {
  return valueOf(await core.messagePage(OWNER, { limit: 100 }))
    .messages.map(({ type, content }) => `${type}: ${content}`)
    .join("\n");
}

describe("enqueue [OR-57]", () => {
  test("sends the run frame at once and starts when the previous run has ended", async () => {
    const { model, session } = await setUp();
    const gate = createGate();
    model.plays(["first", { wait: gate }], ["second"]);
    const first = await start(session, "one");
    await first.until(({ event }) => event === "message");
    const second = await start(session, "two", { ...enqueue, requestId: "req-2" });
    expect(await second.next()).toMatchObject({ id: 1, event: "run", data: { requestId: "req-2" } });
    expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ status: "running", lastSeq: 3 });
    expect(session.database.prepare("SELECT status FROM runs ORDER BY ordinal").all()).toMatchObject([
      { status: "running" },
      { status: "queued" },
    ]);
    expect(model.asked).toHaveLength(1);
    gate.open();
    expect(eventsOf(await first.rest())).toEqual(["reasoning", "done"]);
    expect(eventsOf(await second.rest())).toEqual(["reasoning", "message", "reasoning", "done"]);
    expect(await transcript(session)).toBe("human: one\nai: first\nhuman: two\nai: second");
  });

  test("five runs may wait; a sixth is rejected and stores nothing; a place is free again when one starts [OR-58]", async () => {
    const { model, session } = await setUp();
    const gate = createGate();
    model.plays(
      [{ wait: gate }, "0"],
      ...Array.from({ length: 6 }, (_, index) => [{ wait: createGate() }, `${index}`]),
    );
    await start(session, "running");
    for (let place = 0; place < QUEUED_RUNS; place += 1) await start(session, `waiting ${place}`, enqueue);
    expect(QUEUED_RUNS).toBe(5);
    const refused = faultOf(await session.core.startRun(OWNER, turn("too many", enqueue)));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 5 });
    expect(faultOf(await session.core.completeRun(OWNER, turn("too many", enqueue))).code).toBe("rate_limited");
    expect(await transcript(session)).not.toContain("too many");
    gate.open();
    await model.whenAsked(2);
    await start(session, "room again", enqueue);
    expect(faultOf(await session.core.startRun(OWNER, turn("too many", enqueue))).code).toBe("rate_limited");
    await session.core.abort(OWNER);
  });
});

describe("interrupt [OR-56]", () => {
  test("ends the live run and all queued ones as aborted, then starts; only the last one is answered", async () => {
    const { model, session } = await setUp();
    model.plays(["half ", { wait: createGate() }], ["whole"]);
    const live = await start(session, "one");
    const queued = await start(session, "two", enqueue);
    await live.until(({ event }) => event === "message");
    const last = await start(session, "three");
    expect((await live.rest()).at(-1)?.data).toMatchObject({ status: "aborted", aborted: true, partialText: "half " });
    expect((await queued.rest()).at(-1)?.data).toMatchObject({ status: "aborted", aborted: true, partialText: "" });
    expect(textOf(await last.rest())).toBe("whole");
    expect(model.asked).toHaveLength(2);
    expect(await transcript(session)).toBe("human: one\nai: half \nhuman: two\nhuman: three\nai: whole");
  });
});

describe("abort [OR-60]", () => {
  test("cancels the model's request, ends queued runs before they start, and returns whether there were any", async () => {
    const { model, session } = await setUp();
    model.plays(["half ", { wait: createGate() }]);
    const live = await start(session, "one");
    const queued = await start(session, "two", enqueue);
    await live.until(({ event }) => event === "message");
    expect(valueOf(await session.core.abort(OWNER))).toBe(true);
    await model.whenCancelled();
    expect(eventsOf(await live.rest())).toEqual(["reasoning", "done"]);
    expect(eventsOf(await queued.rest())).toEqual(["run", "reasoning", "done"]);
    expect(valueOf(await session.core.abort(OWNER))).toBe(false);
    await session.settled();
    expect(model.asked).toHaveLength(1);
    session.clock.advance(REPORTED_MARK_DELAY_MS);
    expect(session.clock.pending).toBe(0);
  });

  test("a requested tool call that has not begun is not made", async () => {
    let ran = 0;
    const model = createScriptedModel();
    const count = tool("count", async () => {
      ran += 1;
      return ran;
    });
    const plugins = [plugin("p", { getTools: () => [count] })];
    const session = await startSession({ settings: { models: chatModels(model), plugins } });
    model.plays([{ call: "count", input: {} }, "counting ", { wait: createGate() }]);
    const live = await start(session, "one");
    await live.until(({ event }) => event === "message");
    await session.core.abort(OWNER);
    await session.settled();
    expect(ran).toBe(0);
    expect(eventsOf(await live.rest())).toEqual(["reasoning", "done"]);
  });

  test("later output of the model is dropped", async () => {
    const { model, session } = await setUp();
    const gate = createGate();
    model.plays(["half ", { wait: gate }, "late"]);
    const live = await start(session, "one");
    await live.until(({ event }) => event === "message");
    await session.core.abort(OWNER);
    gate.open();
    await session.settled();
    expect(textOf(await live.rest())).toBe("");
    expect(await transcript(session)).toBe("human: one\nai: half ");
  });
});

describe("a run takes at most 10 minutes [OR-142] [OR-172]", () => {
  test("then it has exhausted its time budget, keeps its text, and the next run starts", async () => {
    const { model, session } = await setUp();
    model.plays(["half ", { wait: createGate() }], ["second"]);
    const slow = await start(session, "one", { requestId: "req-slow" });
    const next = await start(session, "two", enqueue);
    await slow.until(({ event }) => event === "message");
    session.clock.advance(599_999);
    session.core.watch();
    expect(model.asked).toHaveLength(1);
    expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ requestId: "req-slow", status: "running" });
    session.clock.advance(1);
    session.core.watch();
    await model.whenCancelled();
    const frames = await slow.rest();
    expect(eventsOf(frames)).toEqual(["reasoning", "error", "done"]);
    expect(frames[1]?.data).toMatchObject({ kind: "budget_exhausted", limit: "time", retryable: false });
    expect(frames[2]?.data).toMatchObject({ status: "failed", failed: true, partialText: "half " });
    expect((await next.rest()).at(-1)?.data).toMatchObject({ status: "finished" });
    await session.settled();
    session.clock.advance(REPORTED_MARK_DELAY_MS);
    expect(session.clock.pending).toBe(0);
  });
});
