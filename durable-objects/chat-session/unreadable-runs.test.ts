/** Damaged rows: what can still be read of a run is used, and nothing damaged keeps its session from working. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/chat-turns.ts";
import { eventsOf } from "../../test/support/frame-reader.ts";
import { ATTEMPT_STRIDE, follow, setUp, start } from "../../test/support/lost-runs.ts";
import { toolPlugin } from "../../test/support/plugins.ts";
import { createGate } from "../../test/support/scripted-model.ts";

/** Every row of the tables that could be damaged, each with damage that its schema refuses. */
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
  model.plays(["kept ", { call: "look", input: {} }], [{ wait: createGate() }], ["after all"], ["second"]);
  const runId = await start(session, "hello");
  await model.whenAsked(2);
  const queued = await start(session, "next", { multitask: "enqueue" });
  return { model, session, runId, queued };
}

describe.each(damages)("a damaged %s", (_, damage) => {
  test("does not keep its run from being recovered, nor the next one from its answer", async () => {
    const { session, runId, queued } = await lostRun();
    session.database.exec(damage);
    session.restart();
    session.core.watch();
    const frames = await follow(session, runId, ATTEMPT_STRIDE);
    expect(frames.at(-1)?.data).toMatchObject({ runId, status: "finished" });
    expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "finished" });
    const { messages } = valueOf(await session.core.messagePage(OWNER, { limit: 100 }));
    expect(messages.map(({ content }) => content)).toEqual(["hello", "kept after all", "next", "second"]);
  });

  test("lets its run be aborted at once", async () => {
    const { session, runId } = await lostRun();
    session.database.exec(damage);
    session.restart();
    expect(valueOf(await session.core.abort(OWNER))).toBe(true);
    expect((await follow(session, runId, 8)).at(-1)?.data).toMatchObject({ status: "aborted", partialText: "kept " });
    expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
  });
});

test("a damaged call reaches the model as one whose outcome could not be read", async () => {
  const { model, session } = await lostRun();
  session.database.exec("UPDATE calls SET args = '[' WHERE run = 1");
  session.restart();
  session.core.watch();
  await model.whenAsked(3);
  expect(model.asked[2]?.prompt.at(-1)?.content).toMatchObject([
    { output: { type: "error-text", value: "The call could not be read any more" } },
  ]);
});

test("a run whose request is damaged fails, and says to send it again", async () => {
  const { session, runId, queued } = await lostRun();
  session.database.exec("UPDATE runs SET request = '{' WHERE ordinal = 1");
  session.restart();
  session.core.watch();
  const frames = await follow(session, runId, ATTEMPT_STRIDE);
  expect(eventsOf(frames)).toEqual(["run", "reasoning", "error", "done"]);
  expect(frames.at(-2)?.data).toMatchObject({
    error: "This message could not be read any more. Please send it again.",
    kind: "unknown",
    retryable: true,
  });
  expect(frames.at(-1)?.data).toMatchObject({ status: "failed", failed: true, partialText: "kept " });
  expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "finished" });
});

test("a damaged record is left out of its page and of what the model reads, and logged once", async () => {
  const { model, session } = await setUp();
  model.plays(["first"], ["second"]);
  valueOf(await session.core.completeRun(OWNER, turn("hello")));
  session.database.exec("UPDATE messages SET record = '{' WHERE turn = 1 AND position = 1");
  expect(valueOf(await session.core.completeRun(OWNER, turn("again"))).content).toBe("second");
  const { messages, hasOlder } = valueOf(await session.core.messagePage(OWNER, { limit: 100 }));
  expect([messages.map(({ content }) => content), hasOlder]).toEqual([["hello", "again", "second"], false]);
  expect(model.asked[1]?.prompt.map(({ role }) => role)).toEqual(["system", "user", "user"]);
  expect(session.logged.filter(({ event }) => event === "session-part-failed")).toHaveLength(1);
});

test("a run that cannot be started is tried three times, then it fails, and the queue continues", async () => {
  const { session, runId, queued } = await lostRun();
  session.database.exec("ALTER TABLE steps RENAME TO gone");
  for (const attempt of [1, 2, 3]) {
    session.restart();
    if (attempt === 3) session.database.exec("ALTER TABLE gone RENAME TO steps");
    session.core.watch();
    await session.settled();
  }
  expect((await follow(session, runId, ATTEMPT_STRIDE)).at(-1)?.event).toBe("done");
  expect((await follow(session, queued)).at(-1)?.event).toBe("done");
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
