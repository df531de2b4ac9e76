/** Approvals of tool calls: asked once and answered once, across evictions, kills, closed tabs and hours. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { OWNER, STRANGER, faultOf, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { eventsOf } from "../../test/support/oracle/frame-reader.ts";
import { follow, received, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import type { PluginTool } from "../../oracle/framework/tools.ts";
import type { JsonValue } from "../../platform/json.ts";
import { pay, HOUR_MS, setUp, asked, idOf, outcomeOf, answer } from "../../test/support/oracle/approval-session.ts";

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

test("a write that never began did not complete; in later turns the model reads that its outcome is unknown [OR-177] [OR-513]", async () => {
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
