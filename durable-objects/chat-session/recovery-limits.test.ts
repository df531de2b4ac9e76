/** How often and how late a lost run is picked up, and how long it may take then. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/chat-turns.ts";
import { eventsOf } from "../../test/support/frame-reader.ts";
import { ATTEMPT_STRIDE, follow, setUp, start, received } from "../../test/support/lost-runs.ts";
import { toolPlugin } from "../../test/support/plugins.ts";
import { createGate, type createScriptedModel } from "../../test/support/scripted-model.ts";
import type { SessionInNode } from "../../test/support/session-in-node.ts";
import { RECOVERABLE_AGE_MS, RECOVERY_ATTEMPTS, RUN_TIME_LIMIT_MS } from "./runs/run-queue.ts";

test("the time limit of a turn starts again for each attempt [OR-142]", async () => {
  const { model, session } = await setUp();
  const stuck = { wait: createGate() };
  model.plays(["one ", stuck], ["two ", stuck]);
  const runId = await start(session, "hello");
  await received(session, runId, ({ event }) => event === "message");
  session.clock.advance(RUN_TIME_LIMIT_MS - 1);
  session.restart();
  await received(session, runId, ({ data }) => data["content"] === "two ");
  session.clock.advance(RUN_TIME_LIMIT_MS - 1);
  session.core.watch();
  expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId });
  session.clock.advance(1);
  session.core.watch();
  const frames = await follow(session, runId, ATTEMPT_STRIDE);
  expect(frames.at(-2)?.data).toMatchObject({ kind: "timeout" });
  expect(frames.at(-1)?.data).toMatchObject({ status: "failed", partialText: "two " });
});

describe("giving up", () => {
  async function lose(session: SessionInNode, asked: number, model: ReturnType<typeof createScriptedModel>) {
    await session.core.activeRun(OWNER);
    await model.whenAsked(asked);
    session.restart();
  }

  test(`a run is picked up 3 times; lost once more it is interrupted, with what it had kept`, async () => {
    expect(RECOVERY_ATTEMPTS).toBe(3);
    const { model, session } = await setUp({ plugins: [toolPlugin("look", 1)] });
    const stuck = [{ wait: createGate() }];
    model.plays(["kept ", { call: "look", input: {} }], ["cut ", ...stuck], stuck, stuck, stuck);
    const runId = await start(session, "hello");
    for (const asked of [2, 3, 4, 5]) await lose(session, asked, model);

    const frames = await follow(session, runId, 4 * ATTEMPT_STRIDE);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "error", "done"]);
    expect(frames[0]).toMatchObject({
      id: 4 * ATTEMPT_STRIDE + 1,
      data: { resumed: true, attempt: 4, partialLength: 5 },
    });
    expect(frames[2]?.data).toMatchObject({ kind: "server", retryable: true, runId, sessionId: session.sessionId });
    expect(frames[3]?.data).toMatchObject({ status: "interrupted", interrupted: true, partialText: "kept " });
    expect(valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages[1]?.content).toBe("kept ");
    expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
  });

  test("the text of the step that was interrupted stays when nobody will write it again: the longest that was shown", async () => {
    const { model, session } = await setUp({ plugins: [toolPlugin("look", 1)] });
    const stuck = { wait: createGate() };
    model.plays(
      ["kept ", { call: "look", input: {} }],
      ["long unfinished ", stuck],
      ["short ", stuck],
      [stuck],
      [stuck],
    );
    const runId = await start(session, "hello");
    await received(session, runId, ({ data }) => data["content"] === "long unfinished ");
    session.restart();
    await received(session, runId, ({ data }) => data["content"] === "short ");
    session.restart();
    for (const asked of [4, 5]) await lose(session, asked, model);

    const frames = await follow(session, runId, 4 * ATTEMPT_STRIDE);
    expect(eventsOf(frames)).toEqual(["run", "message", "reasoning", "error", "done"]);
    expect(frames[0]?.data).toMatchObject({ partialLength: 5 });
    expect(frames[1]?.data).toMatchObject({ content: "long unfinished " });
    expect(frames[4]?.data).toMatchObject({ status: "interrupted", partialText: "kept long unfinished " });
    const [, answer] = valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages;
    expect(answer?.content).toBe("kept long unfinished ");
  });

  test("a run whose request cannot be read any more fails, and the next one starts [OR-85]", async () => {
    const { model, session } = await setUp();
    model.plays([{ wait: createGate() }], ["second"]);
    const runId = await start(session, "first");
    await model.whenAsked(1);
    session.database.exec(`UPDATE runs SET request = '{"client":"portal"}'`);
    session.restart();
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "failed" });
    expect(valueOf(await session.core.completeRun(OWNER, turn("again"))).content).toBe("second");
  });

  test("a run lost at 30 minutes of age is picked up, a millisecond older it is interrupted", async () => {
    expect(RECOVERABLE_AGE_MS).toBe(30 * 60 * 1000);
    for (const [age, status] of [
      [RECOVERABLE_AGE_MS, "finished"],
      [RECOVERABLE_AGE_MS + 1, "interrupted"],
    ] as const) {
      const { model, session } = await setUp();
      model.plays([{ wait: createGate() }], ["whole"]);
      const runId = await start(session, "hello");
      await model.whenAsked(1);
      session.restart();
      session.clock.advance(age);
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status });
    }
  });

  test("what was queued behind a run that is given up starts [OR-58]", async () => {
    const { model, session } = await setUp();
    model.plays([{ wait: createGate() }], ["second"]);
    await start(session, "first");
    await model.whenAsked(1);
    const queued = await start(session, "next", { multitask: "enqueue" });
    session.restart();
    session.clock.advance(RECOVERABLE_AGE_MS + 1);
    const frames = await follow(session, queued);
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "reasoning", "done"]);
    expect(frames.at(-1)).toMatchObject({ id: 5, data: { status: "finished" } });
  });
});
