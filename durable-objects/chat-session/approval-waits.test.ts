/** Waiting while a user is asked: calls next to the question, a duplicate call, a lost call. */
import { expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, faultOf, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, received, start } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { APPROVAL_TIME_LIMIT_MS } from "../../oracle/runs/approvals.ts";

const pay: Beat = { call: "pay", input: { amount: 5 } };
const HOUR_MS = 60 * 60 * 1000;
const { timeoutMs } = chatSettings().limits;

/** A session that has just asked its user to approve `pay`. */
async function asked(steps: readonly (readonly Beat[])[], parts: Partial<PluginDefinition> = {}) {
  const paid: unknown[] = [];
  const model = createScriptedModel();
  model.plays(...steps);
  const declared = { ...tool("pay", (args) => (paid.push(args), "paid")), needsApproval: true };
  const hangs = { ...tool("hang", () => createGate().opened), effect: "read" as const };
  const banker = { name: "banker", description: "pays", systemPrompt: "Pay.", tools: [declared], forwardTools: true };
  const bank = plugin("bank", { getTools: () => [declared, hangs], getSubAgents: () => [banker], ...parts });
  const session = await startSession({ settings: { models: chatModels(model), plugins: [bank] } });
  const runId = await start(session, "pay Amina");
  await received(session, runId, ({ event }) => event === "action_call");
  const id = String(session.database.prepare("SELECT id FROM approvals").get()?.["id"]);
  return { session, model, paid, runId, id };
}

test("a sub-agent's call that is denied after a restart is not made, and the sub-agent sees the reason [OR-483]", async () => {
  const call: Beat = { call: "call_banker", input: { task: "pay" } };
  const { session, model, runId, id, paid } = await asked([[call], [pay], ["Not paid."], ["Done."]]);
  session.restart();
  session.core.wake();
  const tab = await session.tabs.connect();
  expect(tab.heard.filter(({ name }) => name === "action_call")).toHaveLength(1);
  expect(valueOf(await session.core.decideApproval(OWNER, runId, id, false))).toEqual({ approved: false });
  const questions = (await follow(session, runId)).filter(({ event }) => event === "action_call");
  expect(questions.map(({ data }) => data["status"])).toEqual(["isRunning", "done"]);
  expect(model.asked).toHaveLength(4);
  expect(paid).toEqual([]);
});

test("a sub-agent that is lost in a restart leaves no open question, and its call is not made [OR-483]", async () => {
  const call: Beat = { call: "call_banker", input: { task: "pay" } };
  let isThere = true;
  const declared = { ...tool("pay", () => "paid"), needsApproval: true };
  const banker = { name: "banker", description: "pays", systemPrompt: "Pay.", tools: [declared], forwardTools: true };
  const hang: Beat = { call: "hang", input: {} };
  const { session, runId, id, paid } = await asked([[call, hang], [pay], ["I do not know."]], {
    getSubAgents: () => (isThere ? [banker] : []),
  });
  isThere = false;
  session.restart();
  session.core.wake();
  await received(session, runId, ({ event, data }) => event === "action_call" && data["status"] === "error");
  expect(faultOf(await session.core.decideApproval(OWNER, runId, id, true))).toMatchObject({ reason: "approval_over" });
  expect(paid).toEqual([]);
});

test("a call that hangs next to a question uses up the turn's time, with one alarm [OR-181]", async () => {
  const { session, runId } = await asked([[pay, { call: "hang", input: {} }]]);
  const end = session.clock.now() + timeoutMs;
  session.clock.advance(timeoutMs - 50);
  expect(session.core.watch()).toBe(end);
  session.clock.advance(49);
  expect(session.core.watch()).toBe(end);
  expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId });
  session.clock.advance(1);
  session.core.watch();
  const frames = await follow(session, runId);
  expect(frames.at(-2)?.data).toMatchObject({ kind: "budget_exhausted", limit: "time" });
});

test("a sub-agent that waits for its own question uses no time, and requests no separate alarm [OR-181]", async () => {
  const call: Beat = { call: "call_banker", input: { task: "pay" } };
  const { session, runId, id, paid } = await asked([[call], [pay], ["Paid."], ["Done."]]);
  session.clock.advance(timeoutMs - 50);
  expect(session.core.watch()).toBe(session.clock.now() - timeoutMs + 50 + APPROVAL_TIME_LIMIT_MS);
  session.clock.advance(3 * HOUR_MS);
  session.core.watch();
  expect(valueOf(await session.core.decideApproval(OWNER, runId, id, true))).toEqual({ approved: true });
  expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
  expect(paid).toHaveLength(1);
});

test("middleware that makes one call twice at once asks the user once, and both calls get the answer [OR-173]", async () => {
  const outcomes: unknown[] = [];
  const { session, runId, id, paid } = await asked([[pay], ["Done."]], {
    getMiddlewares: () => [
      {
        name: "twice",
        async wrapToolCall(request, next) {
          const both = await Promise.all([next(request), next(request)]);
          outcomes.push(...both);
          return both[0];
        },
      },
    ],
  });
  expect(session.database.prepare("SELECT id FROM approvals").all()).toHaveLength(1);
  expect(valueOf(await session.core.decideApproval(OWNER, runId, id, true))).toEqual({ approved: true });
  const frames = await follow(session, runId);
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  expect(frames.filter(({ event }) => event === "action_call")).toHaveLength(2);
  expect(outcomes).toEqual([{ output: "paid" }, { error: "pay was called before; it was not run again" }]);
  expect(paid).toHaveLength(1);
});
