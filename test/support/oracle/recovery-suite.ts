/** Runs whose object loses its memory. One suite for the core in Node and the Durable Object in workerd. */
import type { Delegation } from "../../../oracle/framework/delegation.ts";
import { describe, expect, test } from "vitest";
import { RECOVERY_ATTEMPTS } from "../../../oracle/runs/run-queue.ts";
import { OWNER, STRANGER, valueOf } from "./chat-turns.ts";
import { eventsOf, textOf } from "./frame-reader.ts";
import { plugin, tool, toolPlugin } from "../plugins/small-plugins.ts";
import { createGate, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { describeDamagedRows } from "./damaged-rows-suite.ts";
import { describeEffects } from "./effects-suite.ts";
import { describeLostAgents } from "./lost-agents-suite.ts";
import { ATTEMPT_STRIDE, contents, follow, received, start, transcript, whenAsked } from "./lost-runs.ts";
import type { OpenRecoverable, RecoverableSession } from "./lost-runs.ts";

const stuck: Beat = { wait: createGate() };
const headerDelegation: Delegation = {
  token: "header-token",
  expiration: null,
  capabilities: [{ can: "*", with: "ixo:*" }],
};

export function describeRecovery(open: OpenRecoverable): void {
  describeResumedRuns(open);
  describeCalls(open);
  describeWhoResumes(open);
  describeGivingUp(open);
  describeLostAgents(open);
  describeDamagedRows(open);
  describeEffects(open);
}

/** A run that has finished a step with text and a tool call, and sent `lost ` in the next one, when its object's memory is lost. */
async function lostRun(open: OpenRecoverable, ...rest: readonly (readonly Beat[])[]) {
  const steps: readonly (readonly Beat[])[] = [["Hi 🎉 ", { call: "look", input: {} }], ["lost ", stuck], ...rest];
  const session = await open(steps, { plugins: [toolPlugin("look", "seen")] });
  const runId = await start(session, "hello", { requestId: "req-42", delegation: headerDelegation });
  await received(session, runId, ({ data }) => data["content"] === "lost ");
  await session.loseMemory();
  return { session, runId, model: session.model };
}

function describeResumedRuns(open: OpenRecoverable): void {
  describe("a run whose object lost its memory [OR-83]", () => {
    test("keeps the finished steps and continues at 2^32 + 1 with the UTF-16 length of the stored text", async () => {
      const { session, runId, model } = await lostRun(open, ["and on."]);
      const [resumed, ...frames] = await follow(session, runId, ATTEMPT_STRIDE);
      expect(resumed).toEqual({
        id: 4_294_967_297,
        event: "run",
        data: {
          runId,
          sessionId: session.sessionId,
          requestId: "req-42",
          resumed: true,
          attempt: 1,
          partialLength: 6,
        },
      });
      expect("Hi 🎉 ").toHaveLength(6);
      expect(eventsOf(frames)).toEqual(["message", "reasoning", "done"]);
      expect(frames.map(({ id }) => id - ATTEMPT_STRIDE)).toEqual([2, 3, 4]);
      expect(textOf(frames)).toBe("and on.");
      expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });

      // The first message contains the time.
      expect(model.asked[2]?.prompt.slice(1)).toEqual(model.asked[1]?.prompt.slice(1));
      expect(await contents(session)).toEqual(["hello", "Hi 🎉 and on."]);
      const [, answer] = await transcript(session);
      expect(answer?.toolCalls).toMatchObject([{ name: "look", status: "done", output: '"seen"' }]);
    });

    test("keeps its requestId, and the frames of the first attempt can still be read", async () => {
      const session = await open([["lost ", stuck], ["whole"]]);
      const runId = await start(session, "hello", { requestId: "req-42" });
      await received(session, runId, ({ data }) => data["content"] === "lost ");
      await session.loseMemory();
      const frames = await follow(session, runId);
      expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "run", "message", "reasoning", "done"]);
      expect(frames[3]?.data).toMatchObject({ requestId: "req-42", partialLength: 0 });
      expect(frames.at(-1)?.data).toMatchObject({ requestId: "req-42" });
    });

    test("ends without another model request if it had finished all its steps", async () => {
      const session = await open([[stuck]]);
      const runId = await start(session, "hello");
      await whenAsked(session, 1);
      await session.sql("INSERT INTO steps (run, position, text, reasoning) VALUES (1, 0, 'All of it.', '')");
      await session.loseMemory();
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect(session.model.asked).toHaveLength(1);
      expect((await contents(session))[1]).toBe("All of it.");
    });

    test("still reports at its end that a delegation was missing before the loss", async () => {
      const memory = plugin("memory", {
        getTools: ({ ucan }) => [
          tool("remember", async () => ((await ucan.requireCapability("memory/read", "ixo:memory")).ok ? 1 : 0)),
        ],
      });
      const session = await open([[{ call: "remember", input: {} }], [stuck], ["no"]], { plugins: [memory] });
      const runId = await start(session, "hello");
      await whenAsked(session, 2);
      await session.loseMemory();
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ delegationRequired: true });
    });

    test("can be aborted, with the text of its finished steps", async () => {
      const { session, runId } = await lostRun(open, [stuck]);
      expect(valueOf(await session.core.abort(OWNER))).toBe(true);
      const done = (await follow(session, runId)).at(-1)?.data;
      expect(done).toMatchObject({ status: "aborted", aborted: true, partialText: "Hi 🎉 " });
      expect((await contents(session))[1]).toBe("Hi 🎉 ");
    });
  });

  test("a queued run starts once the lost run before it has been resumed and has ended [OR-58]", async () => {
    const session = await open([["half ", stuck], ["first"], ["second"]]);
    const first = await start(session, "one");
    await received(session, first, ({ event }) => event === "message");
    const second = await start(session, "two", { multitask: "enqueue" });
    await session.loseMemory();
    const frames = await follow(session, second);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "reasoning", "done"]);
    expect(frames[0]?.data).not.toHaveProperty("resumed");
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    expect((await follow(session, first)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(await contents(session)).toEqual(["one", "first", "two", "second"]);
  });

  test("header delegation and request tools are stored with the run, survive the loss, and are erased at its end [OR-33]", async () => {
    const may: boolean[] = [];
    const seen: string[] = [];
    const watching = plugin("watching", {
      async getSharedState({ ucan, request }) {
        may.push(await ucan.hasCapability("memory/read", "ixo:memory"));
        seen.push(...request.tools.map(({ name }) => name));
        return {};
      },
    });
    const steps: readonly Beat[][] = [["half ", stuck], [{ call: "look", input: {} }], ["whole"]];
    const session = await open(steps, { plugins: [watching, toolPlugin("look", 1)] });
    const tools = [{ name: "pageTitle", description: "", schema: {} }];
    const runId = await start(session, "hello", { delegation: headerDelegation, tools });
    await whenAsked(session, 1);
    expect(await storedText(session)).toContain("header-token");
    await session.loseMemory();
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(may).toEqual([true, true]);
    expect(seen).toEqual(["pageTitle", "pageTitle"]);
    expect(await session.sql("SELECT request FROM runs")).toMatchObject([{ request: null }]);
    for (const table of ["steps", "calls"]) expect(await session.sql(`SELECT * FROM ${table}`)).toEqual([]);
    expect(await storedText(session)).not.toContain("header-token");
    expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
  });
}

async function storedText({ sql }: RecoverableSession): Promise<string> {
  const tables = ["runs", "steps", "calls", "frames", "messages"];
  return JSON.stringify(await Promise.all(tables.map((table) => sql(`SELECT * FROM ${table}`))));
}

function describeCalls(open: OpenRecoverable): void {
  test("a tool that had begun and not ended is not run again; the model reads that its outcome is unknown [OR-84] [OR-513]", async () => {
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
    const step: readonly Beat[] = [
      { call: "quick", input: { a: 1 } },
      { call: "slow", input: {} },
    ];
    const steps = [step, ["I do not know."], ["Well."]];
    const session = await open(steps, { plugins: [plugin("tools", { getTools: () => tools })] });
    const runId = await start(session, "both");
    await received(session, runId, ({ data }) => data["toolName"] === "quick" && data["status"] === "done");
    await session.loseMemory();

    const frames = (await follow(session, runId, ATTEMPT_STRIDE)).slice(1);
    expect(executed).toEqual(["quick", "slow"]);
    const output = { type: "error-text", value: "The outcome of slow is unknown; it was not run again" };
    expect(session.model.asked[1]?.prompt.at(-1)?.content).toMatchObject([
      { toolName: "quick", output: { type: "text", value: "quickly" } },
      { toolName: "slow", output },
    ]);
    expect(eventsOf(frames)).toEqual(["message", "tool_call", "reasoning", "done"]);
    expect(frames[1]?.data).toMatchObject({ toolName: "slow", status: "done", output: "Tool did not complete" });
    expect((await transcript(session))[1]?.toolCalls).toMatchObject([
      { name: "quick", status: "done", output: '"quickly"' },
      { name: "slow", status: "done", output: '"The outcome of slow is unknown: it did not complete"' },
    ]);

    await follow(session, await start(session, "and?"));
    const past = session.model.asked[2]?.prompt.find(({ role }) => role === "tool")?.content;
    const unknown = { type: "error-text", value: "The outcome of slow is unknown: it did not complete" };
    expect(past).toMatchObject([{ toolName: "quick" }, { toolName: "slow", output: unknown }]);
  });
}

function describeWhoResumes(open: OpenRecoverable): void {
  describe("a lost run is resumed", () => {
    test.each([
      ["describe", (session) => session.core.describe(OWNER)],
      ["activeRun", (session) => session.core.activeRun(OWNER)],
      ["messagePage", (session) => session.core.messagePage(OWNER, { limit: 1 })],
    ] satisfies [string, (session: RecoverableSession) => Promise<unknown>][])(
      "by any call of its owner: %s",
      async (_, call) => {
        const { session, runId, model } = await lostRun(open, ["and on."]);
        await call(session);
        await whenAsked(session, 3);
        expect(textOf(await follow(session, runId, ATTEMPT_STRIDE))).toBe("and on.");
        expect(model.asked).toHaveLength(3);
      },
    );

    test("by the alarm alone [OR-82]", async () => {
      const { session, runId, model } = await lostRun(open, ["and on."]);
      await session.fireAlarm();
      await whenAsked(session, 3);
      expect(await session.sql("SELECT attempt FROM runs")).toEqual([{ attempt: 1 }]);
      expect((await follow(session, runId, ATTEMPT_STRIDE)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect(model.asked).toHaveLength(3);
    });

    test("and another user's call returns nothing of it [OR-39]", async () => {
      const { session, runId } = await lostRun(open, ["and on."]);
      expect(await session.core.followRun(STRANGER, runId, 0)).toMatchObject({ ok: false });
      expect(textOf(await follow(session, runId, ATTEMPT_STRIDE))).toBe("and on.");
    });

    test("by the alarm, only once the configuration is valid, however long that takes [OR-86]", async () => {
      const { session, runId, model } = await lostRun(open, ["and on."], ["second"]);
      session.configure(false);
      for (let alarm = 0; alarm <= RECOVERY_ATTEMPTS; alarm += 1) await session.fireAlarm();
      expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId, status: "running" });
      expect(await session.sql("SELECT status, attempt FROM runs")).toEqual([{ status: "running", attempt: 0 }]);
      expect(model.asked).toHaveLength(2);
      session.configure(true);
      await session.fireAlarm();
      const frames = await follow(session, runId, ATTEMPT_STRIDE);
      expect(frames[0]).toMatchObject({ id: ATTEMPT_STRIDE + 1, data: { resumed: true, attempt: 1 } });
      expect(textOf(frames)).toBe("and on.");
      expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    });
  });
}

function describeGivingUp(open: OpenRecoverable): void {
  describe("a run is resumed 3 times; after another loss it is interrupted [OR-85]", () => {
    const finishedStep: readonly Beat[] = ["kept ", { call: "look", input: {} }];

    test("with the text of its finished steps", async () => {
      expect(RECOVERY_ATTEMPTS).toBe(3);
      const steps = [finishedStep, [stuck], [stuck], [stuck], [stuck]];
      const session = await open(steps, { plugins: [toolPlugin("look", 1)] });
      const runId = await start(session, "hello");
      for (const attempt of [0, 1, 2, 3]) await loseAttempt(session, runId, attempt);

      const frames = await follow(session, runId, 4 * ATTEMPT_STRIDE);
      expect(eventsOf(frames)).toEqual(["run", "reasoning", "error", "done"]);
      const resumed = { resumed: true, attempt: 4, partialLength: 5 };
      expect(frames[0]).toMatchObject({ id: 4 * ATTEMPT_STRIDE + 1, data: resumed });
      const failure = { kind: "server", retryable: true, runId, sessionId: session.sessionId };
      expect(frames[2]?.data).toMatchObject(failure);
      expect(frames[3]?.data).toMatchObject({ status: "interrupted", interrupted: true, partialText: "kept " });
      expect((await contents(session))[1]).toBe("kept ");
      expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
    });

    test("and with the text of the unfinished step: the longest that was sent", async () => {
      const steps = [finishedStep, ["long unfinished ", stuck], ["short ", stuck], [stuck], [stuck]];
      const session = await open(steps, { plugins: [toolPlugin("look", 1)] });
      const runId = await start(session, "hello");
      await received(session, runId, ({ data }) => data["content"] === "long unfinished ");
      await session.loseMemory();
      await received(session, runId, ({ data }) => data["content"] === "short ");
      await session.loseMemory();
      for (const attempt of [2, 3]) await loseAttempt(session, runId, attempt);

      const frames = await follow(session, runId, 4 * ATTEMPT_STRIDE);
      expect(eventsOf(frames)).toEqual(["run", "message", "reasoning", "error", "done"]);
      expect(frames[0]?.data).toMatchObject({ partialLength: 5 });
      expect(frames[1]?.data).toMatchObject({ content: "long unfinished " });
      expect(frames[4]?.data).toMatchObject({ status: "interrupted", partialText: "kept long unfinished " });
      expect((await contents(session))[1]).toBe("kept long unfinished ");
    });
  });
}

/** Loses the memory during an attempt of a run whose first step has ended, once the model receives its next request. */
async function loseAttempt(session: RecoverableSession, runId: string, attempt: number): Promise<void> {
  const resumed = ({ id }: { readonly id: number }) => id === attempt * ATTEMPT_STRIDE + 1;
  await received(session, runId, resumed, attempt * ATTEMPT_STRIDE);
  await whenAsked(session, attempt + 2);
  await session.loseMemory();
}
