/** Approvals of tool calls: asked once and answered once, across evictions, kills, closed tabs and hours. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, STRANGER, faultOf, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { eventsOf } from "../../test/support/oracle/frame-reader.ts";
import { contents, follow, received, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { PluginTool } from "../../oracle/framework/tools.ts";
import type { JsonValue } from "../../platform/json.ts";
import { RECOVERABLE_AGE_MS, RECOVERY_ATTEMPTS } from "../../oracle/runs/run-queue.ts";
import { WATCH_INTERVAL_MS } from "./session.ts";
import { APPROVAL_TIME_LIMIT_MS } from "../../oracle/runs/approvals.ts";

const pay: Beat = { call: "pay", input: { amount: 5, to: "Amina" } };
const HOUR_MS = 60 * 60 * 1000;

/** A session whose model wants to call `pay`, which needs approval. */
async function setUp(change: Partial<PluginTool> = {}, steps: readonly (readonly Beat[])[] = [[pay], ["Done."]]) {
  const paid: unknown[] = [];
  const model = createScriptedModel();
  model.plays(...steps);
  const declared = tool("pay", (args) => {
    paid.push(args);
    return "paid";
  });
  const plugins = [plugin("bank", { getTools: () => [{ ...declared, needsApproval: true, ...change }] })];
  const session = await startSession({ settings: { models: chatModels(model), plugins } });
  return { session, model, paid };
}

/** Like `setUp`, up to the question. */
async function asked(...parts: Parameters<typeof setUp>) {
  const set = await setUp(...parts);
  const runId = await start(set.session, "pay Amina");
  await received(set.session, runId, ({ event }) => event === "action_call");
  return { ...set, runId, id: idOf(set.session) };
}

type Session = Awaited<ReturnType<typeof startSession>>;

function idOf({ database }: Session): string {
  return String(database.prepare("SELECT id FROM approvals").get()?.["id"]);
}

/** The result of the call that the model receives. */
function outcomeOf({ asked: requests }: ReturnType<typeof createScriptedModel>, request = 1): unknown {
  const content = requests[request]?.prompt.at(-1)?.content;
  return Array.isArray(content) ? (content[0] as { output?: { value?: unknown } }).output?.value : content;
}

function answer(session: Session, id: string, result: JsonValue): string | undefined {
  return session.core.finishCall({
    kind: "action",
    invocationId: id,
    socketId: "tab",
    outcome: { output: result },
  });
}

describe("a tool that needs approval [OR-173]", () => {
  test("is called once after the user has approved it, with the arguments shown to the user", async () => {
    const { session, runId, id, model, paid } = await asked();
    expect(paid).toEqual([]);
    expect(answer(session, id, { approved: true })).toBeUndefined();
    const frames = await follow(session, runId);
    expect(paid).toEqual([{ amount: 5, to: "Amina" }]);
    expect(outcomeOf(model)).toBe("paid");
    const questions = frames.filter(({ event }) => event === "action_call").map(({ data }) => data);
    const question = { toolCallId: id, toolName: "approve_tool" };
    expect(questions).toMatchObject([
      { ...question, args: { toolName: "pay", args: { amount: 5, to: "Amina" } }, status: "isRunning" },
      { ...question, status: "done", output: '{"approved":true}' },
    ]);
    const [, record] = await transcript(session);
    expect(record?.toolCalls).toMatchObject([{ name: "pay", status: "done", output: '"paid"' }]);
  });

  test("is not called if it is denied, and the model sees the reason", async () => {
    const { session, runId, id, model, paid } = await asked();
    answer(session, id, { approved: false });
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect([paid, outcomeOf(model)]).toEqual([[], "pay was not run: it was not approved by the user"]);
  });

  test.each<[string, JsonValue]>([
    ["a text", { approved: "yes" }],
    ["a number", { approved: 1 }],
    ["nothing", null],
    ["the error of a client that does not know the question", { success: false, error: "Action not found" }],
  ])("ignores %s as an answer: another tab can still answer", async (_, result) => {
    const { session, runId, id, paid } = await asked();
    expect(answer(session, id, result)).toBe("neither approved nor denied");
    expect(answer(session, id, { approved: true })).toBeUndefined();
    await follow(session, runId);
    expect(paid).toHaveLength(1);
  });

  test("is not asked about again after the user denied the call in this turn [OR-171]", async () => {
    const { session, runId, id, model, paid } = await asked({}, [[pay], [pay], [pay], ["Done."]]);
    answer(session, id, { approved: false });
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(session.database.prepare("SELECT id FROM approvals").all()).toHaveLength(1);
    for (const request of [2, 3])
      expect(outcomeOf(model, request)).toBe("pay was not run: the user has not approved this call. Do not ask again.");
    expect(paid).toEqual([]);
  });

  test("accepts the result of an action as an answer, but not of a browser tool", async () => {
    const { session, runId, id, paid } = await asked();
    const given = { invocationId: id, socketId: "tab", outcome: { output: { approved: true } } };
    expect(session.core.finishCall({ ...given, kind: "browser" })).toBe("other kind");
    expect(session.core.finishCall({ ...given, kind: "action" })).toBeUndefined();
    await follow(session, runId);
    expect(paid).toHaveLength(1);
  });

  test("does not run arguments that JSON cannot represent, and does not ask the user", async () => {
    const schema = z.object({ amount: z.number(), to: z.string().transform((to) => new Map([[to, 1]])) });
    const { session, model, paid } = await setUp({ schema });
    await follow(session, await start(session, "pay Amina"));
    expect(outcomeOf(model)).toBe("pay was not run: its arguments cannot be shown to the user");
    expect(paid).toEqual([]);
  });

  test("accepts one answer and refuses later ones", async () => {
    const { session, runId, id, paid } = await asked();
    expect(answer(session, "ap_other", { approved: true })).toBe("unknown call");
    expect(answer(session, id, { approved: false })).toBeUndefined();
    expect(answer(session, id, { approved: true })).toBe("ended before");
    await follow(session, runId);
    expect(paid).toEqual([]);
  });

  test.each<[string, PluginTool["needsApproval"], readonly string[]]>([
    ["requires it for these arguments", (args) => (args as { amount: number }).amount > 4, ["asked"]],
    ["does not require it for these arguments", (args) => (args as { amount: number }).amount > 5, []],
    ["takes too long to return false", async () => false, []],
    [
      "throws",
      () => {
        throw new Error("no rule");
      },
      ["asked"],
    ],
    ["returns nothing", (() => undefined) as unknown as () => boolean, ["asked"]],
    ["is false", false, []],
  ])("asks depending on its rule: %s", async (_, needsApproval, expected) => {
    const { session, paid } = await setUp({ needsApproval });
    const runId = await start(session, "pay Amina");
    const isCalled = expected.length === 0;
    await received(session, runId, ({ event }) => event === (isCalled ? "done" : "action_call"));
    expect(session.database.prepare("SELECT id FROM approvals").all()).toHaveLength(expected.length);
    expect(paid).toHaveLength(isCalled ? 1 : 0);
  });
});

describe("who is asked [OR-174]", () => {
  test("every socket of the session, including later ones; a tab that returns after hours can answer", async () => {
    const { session, model, paid } = await setUp();
    const tabs = [await session.tabs.connect(), await session.tabs.connect()];
    const runId = await start(session, "pay Amina");
    await received(session, runId, ({ event }) => event === "action_call");
    const heard = (tab: (typeof tabs)[number]) => tab.heard.filter(({ name }) => name === "action_call").length;
    expect(tabs.map(heard)).toEqual([1, 1]);
    for (const tab of tabs) tab.leave();
    session.clock.advance(HOUR_MS);
    session.restart();
    const late = await session.tabs.connect();
    expect(late.heard.find(({ name }) => name === "action_call")?.payload).toMatchObject({
      toolName: "approve_tool",
      args: { toolName: "pay", args: { amount: 5, to: "Amina" } },
      status: "isRunning",
    });
    late.emit("action_call_result", { toolCallId: idOf(session), result: { approved: true } });
    await follow(session, runId);
    expect([paid.length, outcomeOf(model)]).toEqual([1, "paid"]);
    const newest = await session.tabs.connect();
    expect(heard(newest)).toBe(0);
  });

  test("a user without a socket decides by run and call; repeating the decision is accepted, reversing it is not", async () => {
    const { session, runId, id, paid } = await asked();
    const call = String(session.database.prepare("SELECT event_id FROM calls").get()?.["event_id"]);
    expect(faultOf(await session.core.decideApproval(STRANGER, runId, id, true)).code).toBe("not_found");
    expect(faultOf(await session.core.decideApproval(OWNER, runId, "tc_none", true)).code).toBe("not_found");
    expect(valueOf(await session.core.decideApproval(OWNER, runId, call, true))).toEqual({ approved: true });
    await follow(session, runId);
    expect(paid).toHaveLength(1);
    expect(valueOf(await session.core.decideApproval(OWNER, runId, id, true))).toEqual({ approved: true });
    const other = faultOf(await session.core.decideApproval(OWNER, runId, call, false));
    expect(other).toMatchObject({ code: "conflict", reason: "approval_over" });
  });
});

describe("while the user is asked [OR-175]", () => {
  test("an answer within 24 hours less 1 ms is in time", async () => {
    const { session, runId, id, paid } = await asked();
    session.clock.advance(APPROVAL_TIME_LIMIT_MS - 1);
    expect(answer(session, id, { approved: true })).toBeUndefined();
    await follow(session, runId);
    expect(paid).toHaveLength(1);
  });

  test.each([0, 1])("after 24 hours and %d ms, the alarm reports the timeout to the model", async (more) => {
    expect(APPROVAL_TIME_LIMIT_MS).toBe(24 * 60 * 60 * 1000);
    const { session, runId, id, model, paid } = await asked();
    session.restart();
    session.clock.advance(APPROVAL_TIME_LIMIT_MS + more);
    session.core.watch();
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect([paid, outcomeOf(model)]).toEqual([[], "pay was not run: it was not approved within 24 hours"]);
    expect(answer(session, id, { approved: true })).toBe("ended before");
  });

  test("a late answer is refused even if no alarm has run", async () => {
    const { session, runId, id, paid } = await asked();
    session.clock.advance(APPROVAL_TIME_LIMIT_MS);
    expect(answer(session, id, { approved: true })).toBe("ended before");
    await follow(session, runId);
    expect(paid).toEqual([]);
  });

  test("the object may be evicted: it has no timer, and its alarm is at the deadline", async () => {
    const { session } = await asked();
    const deadline = session.clock.now() + APPROVAL_TIME_LIMIT_MS;
    // The user vault is notified of an accepted message a moment later.
    session.clock.advance(1_000);
    await session.settled();
    expect(session.clock.pending).toBe(0);
    expect(session.core.watch()).toBe(deadline);
    session.restart();
    expect(session.core.watch()).toBe(deadline);
    expect(session.core.nextWatch()).toBe(deadline);
  });

  test("after the answer, the run is watched again", async () => {
    const { session, id } = await asked({}, [
      [pay],
      [{ wait: { opened: new Promise(() => undefined), open: () => undefined } }],
    ]);
    const watches = session.watches;
    answer(session, id, { approved: true });
    expect(session.watches).toBeGreaterThan(watches);
    expect(session.core.watch()).toBe(session.clock.now() + WATCH_INTERVAL_MS);
  });

  test("reloads do not count as lost attempts, and waiting counts neither towards the turn's time nor its age", async () => {
    const { session, runId, id, paid } = await asked();
    for (let reload = 0; reload < RECOVERY_ATTEMPTS * 3; reload += 1) {
      session.restart();
      session.clock.advance(RECOVERABLE_AGE_MS);
      session.core.watch();
      expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId, status: "running" });
    }
    expect(session.database.prepare("SELECT attempt FROM runs").get()).toMatchObject({ attempt: 0 });
    answer(session, id, { approved: true });
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(paid).toHaveLength(1);
  });

  test("after the answer, the turn has its remaining time", async () => {
    const stuck: Beat = { wait: { opened: new Promise(() => undefined), open: () => undefined } };
    const { session, runId, id, model } = await asked({}, [[pay], ["half ", stuck]]);
    const { timeoutMs } = chatSettings().limits;
    session.clock.advance(3 * HOUR_MS);
    answer(session, id, { approved: true });
    await model.whenAsked(2);
    session.clock.advance(timeoutMs - 1);
    session.core.watch();
    expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId });
    session.clock.advance(1);
    session.core.watch();
    const frames = await follow(session, runId);
    expect(frames.at(-2)?.data).toMatchObject({ kind: "budget_exhausted", limit: "time" });
  });

  test.each([false, true])(
    "the run can be aborted (reloaded: %s); the question closes and can no longer be answered",
    async (reloaded) => {
      const { session, runId, id, paid } = await asked();
      if (reloaded) session.restart();
      expect(valueOf(await session.core.abort(OWNER))).toBe(true);
      const frames = await follow(session, runId);
      expect(frames.at(-1)?.data).toMatchObject({ status: "aborted" });
      const closed = frames.filter(({ event }) => event === "action_call").at(-1)?.data;
      expect(closed).toMatchObject({ toolCallId: id, status: "error", error: "Action did not complete" });
      expect(answer(session, id, { approved: true })).toBe("ended before");
      expect(faultOf(await session.core.decideApproval(OWNER, runId, id, true)).code).toBe("conflict");
      expect(paid).toEqual([]);
    },
  );

  test.each([false, true])(
    "a new message ends the question (reloaded: %s), a queued message waits",
    async (reloaded) => {
      const { session, runId, model } = await asked({}, [[pay], ["new"]]);
      const queued = await start(session, "later", { multitask: "enqueue" });
      if (reloaded) session.restart();
      session.core.watch();
      expect(model.asked).toHaveLength(1);
      expect(valueOf(await session.core.completeRun(OWNER, turn("instead"))).content).toBe("new");
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "aborted" });
      expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "aborted" });
    },
  );

  test("other calls of the step continue, and each question has its own answer", async () => {
    const look: Beat = { call: "pay", input: { amount: 1 } };
    const { session, paid, model } = await setUp({}, [[pay, look], ["Done."]]);
    const runId = await start(session, "both");
    let questions = 0;
    await received(session, runId, ({ event }) => event === "action_call" && ++questions === 2);
    const ids = session.database.prepare("SELECT id, request FROM approvals").all();
    session.restart();
    const first = ids.find(({ request }) => String(request).includes("Amina"));
    const second = ids.find((row) => row !== first);
    answer(session, String(second?.["id"]), { approved: true });
    await session.settled();
    await received(session, runId, ({ data }) => data["output"] === "paid", 2 ** 32);
    expect(paid).toEqual([{ amount: 1 }]);
    session.restart();
    answer(session, String(first?.["id"]), { approved: false });
    await follow(session, runId);
    expect(paid).toEqual([{ amount: 1 }]);
    expect(model.asked).toHaveLength(2);
    expect((await contents(session))[1]).toBe("Done.");
  });
});

test("arguments that middleware changes after the approval do not run [OR-173]", async () => {
  const { session, runId, id, model, paid } = await asked();
  session.restart();
  session.database.exec("UPDATE calls SET args = '{\"amount\":500}'");
  answer(session, id, { approved: true });
  await follow(session, runId);
  expect(paid).toEqual([]);
  expect(outcomeOf(model)).toBe("pay was not run: its arguments are not those that the user approved");
});

test("frames of a question and its end are in stream order [OR-65]", async () => {
  const { session, runId, id } = await asked();
  answer(session, id, { approved: true });
  expect(eventsOf(await follow(session, runId))).toEqual([
    "run",
    "reasoning",
    "tool_call",
    "action_call",
    "action_call",
    "tool_call",
    "message",
    "reasoning",
    "done",
  ]);
});

test("a sub-agent's call waits like the main agent's: the object may be evicted, and the answer resumes the sub-agent [OR-483]", async () => {
  const model = createScriptedModel();
  model.plays([{ call: "call_banker", input: { task: "pay" } }], [pay], ["Paid Amina."], ["Done."]);
  const paid: unknown[] = [];
  const declared = { ...tool("pay", (args) => (paid.push(args), "paid")), needsApproval: true };
  const banker = { name: "banker", description: "pays", systemPrompt: "Pay.", tools: [declared], forwardTools: true };
  const plugins = [plugin("bank", { getSubAgents: () => [banker] })];
  const session = await startSession({ settings: { models: chatModels(model), plugins } });
  const runId = await start(session, "pay Amina");
  await received(session, runId, ({ event }) => event === "action_call");
  const id = idOf(session);
  expect(session.core.watch()).toBe(session.clock.now() + APPROVAL_TIME_LIMIT_MS);
  session.restart();
  session.clock.advance(3 * HOUR_MS);
  session.core.watch();
  expect(model.asked).toHaveLength(2);
  expect(answer(session, id, { approved: true })).toBeUndefined();
  expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
  expect(outcomeOf(model, 2)).toBe("paid");
  expect(outcomeOf(model, 3)).toBe("Paid Amina.");
  expect(paid).toEqual([{ amount: 5, to: "Amina" }]);
});

test("a write that never began did not complete; in later turns the model sees that its outcome is unknown [OR-177] [OR-513]", async () => {
  const { session, runId, model } = await asked({}, [[pay], ["Well."]]);
  await session.core.abort(OWNER);
  await follow(session, runId);
  expect((await transcript(session))[1]?.toolCalls).toMatchObject([
    { status: "done", output: '"Tool did not complete"' },
  ]);
  await session.core.completeRun(OWNER, turn("and?"));
  const past = model.asked[1]?.prompt.find(({ role }) => role === "tool")?.content;
  expect(past).toMatchObject([
    { output: { type: "error-text", value: "The outcome of pay is unknown: it did not complete" } },
  ]);
});
