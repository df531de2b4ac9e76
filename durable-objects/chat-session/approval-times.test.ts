/** The time that a user has for an approval: deadlines, evictions, reloads, aborts. */
import { describe, expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, faultOf, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { contents, follow, received, start } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { RECOVERABLE_AGE_MS, RECOVERY_ATTEMPTS } from "../../oracle/runs/run-queue.ts";
import { WATCH_INTERVAL_MS } from "./session.ts";
import { APPROVAL_TIME_LIMIT_MS } from "../../oracle/runs/approvals.ts";
import { pay, HOUR_MS, setUp, asked, idOf, outcomeOf, answer } from "../../test/support/oracle/approval-session.ts";

describe("while the user is asked [OR-175]", () => {
  test("24 hours less 1 ms are in time", async () => {
    const { session, runId, id, paid } = await asked();
    session.clock.advance(APPROVAL_TIME_LIMIT_MS - 1);
    expect(answer(session, id, { approved: true })).toBeUndefined();
    await follow(session, runId);
    expect(paid).toHaveLength(1);
  });

  test.each([0, 1])("24 hours and %d ms are too late: the alarm reports it to the model", async (more) => {
    expect(APPROVAL_TIME_LIMIT_MS).toBe(24 * 60 * 60 * 1000);
    const { session, runId, id, model, paid } = await asked();
    session.restart();
    session.clock.advance(APPROVAL_TIME_LIMIT_MS + more);
    session.core.watch();
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect([paid, outcomeOf(model)]).toEqual([[], "pay was not run: it was not approved within 24 hours"]);
    expect(answer(session, id, { approved: true })).toBe("ended before");
  });

  test("an answer after the time is refused also when no alarm has rung", async () => {
    const { session, runId, id, paid } = await asked();
    session.clock.advance(APPROVAL_TIME_LIMIT_MS);
    expect(answer(session, id, { approved: true })).toBe("ended before");
    await follow(session, runId);
    expect(paid).toEqual([]);
  });

  test("the object may sleep: no timer, and its alarm is at the deadline", async () => {
    const { session } = await asked();
    const deadline = session.clock.now() + APPROVAL_TIME_LIMIT_MS;
    // The user vault hears of an accepted message a moment later.
    session.clock.advance(1_000);
    await session.settled();
    expect(session.clock.pending).toBe(0);
    expect(session.core.watch()).toBe(deadline);
    session.restart();
    expect(session.core.watch()).toBe(deadline);
    expect(session.core.nextWatch()).toBe(deadline);
  });

  test("once answered the run is watched again", async () => {
    const { session, id } = await asked({}, [
      [pay],
      [{ wait: { opened: new Promise(() => undefined), open: () => undefined } }],
    ]);
    const watches = session.watches;
    answer(session, id, { approved: true });
    expect(session.watches).toBeGreaterThan(watches);
    expect(session.core.watch()).toBe(session.clock.now() + WATCH_INTERVAL_MS);
  });

  test("reloads are no lost attempts, and waiting counts neither into the turn's time nor its age", async () => {
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

  test("after the answer the turn has the time that it had left", async () => {
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
    "the run can be aborted (reloaded: %s); the question is closed and can no longer be answered",
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

  test.each([false, true])("a new message ends it (reloaded: %s), a queued one waits", async (reloaded) => {
    const { session, runId, model } = await asked({}, [[pay], ["new"]]);
    const queued = await start(session, "later", { multitask: "enqueue" });
    if (reloaded) session.restart();
    session.core.watch();
    expect(model.asked).toHaveLength(1);
    expect(valueOf(await session.core.completeRun(OWNER, turn("instead"))).content).toBe("new");
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "aborted" });
    expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "aborted" });
  });

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

test("a call of a sub-agent waits as one of the main agent does: the object sleeps, and the answer continues the sub-agent [OR-483]", async () => {
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
