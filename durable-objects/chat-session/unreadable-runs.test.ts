/** A run whose stored rows cannot be read: it is tried a few times, then it fails, and the session goes on without it. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/chat-turns.ts";
import { eventsOf } from "../../test/support/frame-reader.ts";
import { ATTEMPT_STRIDE, follow, setUp, start } from "../../test/support/lost-runs.ts";
import { toolPlugin } from "../../test/support/plugins.ts";
import { createGate } from "../../test/support/scripted-model.ts";

/** Every row of the tables that could be damaged, each with a damage that its schema refuses. */
const damages: readonly (readonly [string, string])[] = [
  ["status", "UPDATE runs SET status = 'no such status' WHERE ordinal = 1"],
  ["failure", "UPDATE runs SET failure = '{' WHERE ordinal = 1"],
  ["finish reason", "UPDATE runs SET finish_reason = 'no such reason' WHERE ordinal = 1"],
  ["step", "UPDATE steps SET finish_reason = 'no such reason' WHERE run = 1"],
  ["call's arguments", "UPDATE calls SET args = '[' WHERE run = 1"],
  ["call's status", "UPDATE calls SET status = 'no such status' WHERE run = 1"],
  ["frame", "UPDATE frames SET data = '{' WHERE run = 1 AND event = 'message'"],
];

/** A run that has said `kept `, called a tool and waits for its model when it is lost; another one is queued behind it. */
async function lostRun() {
  const { model, session } = await setUp({ plugins: [toolPlugin("look", 1)] });
  model.plays(["kept ", { call: "look", input: {} }], [{ wait: createGate() }], ["second"]);
  const runId = await start(session, "hello");
  await model.whenAsked(2);
  const queued = await start(session, "next", { multitask: "enqueue" });
  return { model, session, runId, queued };
}

describe.each(damages)("a damaged %s", (_, damage) => {
  test("fails its run at the third try, is logged once, and the next run is answered", async () => {
    const { session, runId, queued } = await lostRun();
    session.database.exec(damage);
    for (const tries of [1, 2, 3]) {
      session.restart();
      session.core.watch();
      await session.settled();
      const [run] = session.database.prepare("SELECT attempt, ended_at FROM runs WHERE ordinal = 1").all();
      expect(run).toEqual({ attempt: tries, ended_at: tries === 3 ? session.clock.now() : null });
    }
    const frames = await follow(session, runId, 3 * ATTEMPT_STRIDE);
    expect(eventsOf(frames).slice(-3)).toEqual(["reasoning", "error", "done"]);
    expect(frames.at(-2)?.data).toMatchObject({
      error: "This message could not be read any more. Please send it again.",
      kind: "unknown",
      retryable: true,
      runId,
    });
    expect(frames.at(-1)?.data).toMatchObject({ runId, status: "failed", failed: true, partialText: "kept " });

    expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "finished" });
    const { messages } = valueOf(await session.core.messagePage(OWNER, { limit: 100 }));
    expect(messages.map(({ content }) => content)).toEqual(["hello", "kept ", "next", "second"]);
    const lines = session.logged.filter(({ event }) => /unreadable|failed|broken/.test(event));
    expect(lines).toEqual([expect.objectContaining({ event: "run-unreadable", runId })]);
  });

  test("lets its run be aborted at once", async () => {
    const { session, runId } = await lostRun();
    session.database.exec(damage);
    session.restart();
    expect(valueOf(await session.core.abort(OWNER))).toBe(true);
    expect((await follow(session, runId, 8)).at(-1)?.data).toMatchObject({ status: "aborted", partialText: "kept " });
    expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
  });

  test("lets a new message take its run's place at once", async () => {
    const { session, runId } = await lostRun();
    session.database.exec(damage);
    session.restart();
    expect(valueOf(await session.core.completeRun(OWNER, turn("new"))).content).toBe("second");
    expect((await follow(session, runId, 8)).at(-1)?.data).toMatchObject({ status: "aborted", partialText: "kept " });
    expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
  });
});

test("an ended run whose row is damaged can be followed, and the user's index learns of it and of the next one", async () => {
  const { model, session } = await setUp();
  model.plays(["first"], ["second"]);
  const runId = await start(session, "hello");
  await follow(session, runId);
  await session.settled();
  session.database.exec("UPDATE runs SET failure = '{', finish_reason = 'no such reason', unreported = 1");
  session.restart();
  expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
  expect(valueOf(await session.core.completeRun(OWNER, turn("again"))).content).toBe("second");
  await session.settled();
  expect(session.touches.at(-1)?.spent).toHaveLength(2);
});
