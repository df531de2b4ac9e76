/**
 * The recovery suite over the core in Node, and the cases of recovery that need a manual clock, the log or broken
 * storage.
 */
import { describe, expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { eventsOf, textOf } from "../../test/support/oracle/frame-reader.ts";
import { runToLose } from "../../test/support/oracle/damaged-rows-suite.ts";
import { ATTEMPT_STRIDE, contents, follow, received, start } from "../../test/support/oracle/lost-runs.ts";
import { describeRecovery } from "../../test/support/oracle/recovery-suite.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionParts } from "../../test/support/oracle/session-in-node.ts";
import { RECOVERABLE_AGE_MS, RECOVERY_ATTEMPTS } from "../../oracle/runs/run-queue.ts";
import { WATCH_INTERVAL_MS } from "./session.ts";

const stuck: Beat = { wait: createGate() };
/** A turn can take longer than the age at which a lost one is resumed. */
const ofAnHour = { ...chatSettings().limits, timeoutMs: 60 * 60 * 1000 };

/** A session whose model plays these steps, over SQLite in Node. */
async function open(
  steps: readonly (readonly Beat[])[],
  settings: SessionParts["settings"] = {},
  prepare?: () => Promise<void>,
) {
  const model = createScriptedModel();
  model.plays(...steps);
  let isConfigured = true;
  const session = await startSession({
    settings: { models: chatModels(model), ...settings },
    prepare: async () => {
      if (!isConfigured) throw new Error("ORACLE_DID is wrong");
      await prepare?.();
    },
  });
  return {
    inNode: session,
    sessionId: session.sessionId,
    model,
    get core() {
      return session.core;
    },
    loseMemory: async () => session.restart(),
    async fireAlarm() {
      session.core.watch();
      await new Promise((resolve) => void setImmediate(resolve));
    },
    sql: async (statement: string) => session.database.prepare(statement).all(),
    configure(isValid: boolean) {
      isConfigured = isValid;
    },
  };
}

describeRecovery(open);

test("the alarm is set again while a resumed run continues, and then only for pruning frames [OR-82]", async () => {
  const gate = createGate();
  const { inNode: session, model } = await open([[stuck], [{ wait: gate }, "late"]]);
  await start(session, "hello");
  await model.whenAsked(1);
  session.restart();
  expect(session.core.watch()).toBe(session.clock.now() + WATCH_INTERVAL_MS);
  await model.whenAsked(2);
  gate.open();
  await session.settled();
  expect(await contents(session)).toEqual(["hello", "late"]);
  expect(session.core.watch()).toBe(session.clock.now() + 24 * 60 * 60 * 1000);
  expect(WATCH_INTERVAL_MS).toBe(30_000);
});

describe("while the configuration is invalid", () => {
  test("each alarm logs the waiting runs and sets the next one; queued runs stay queued [OR-86]", async () => {
    const { inNode: session, configure } = await open([["lost ", stuck], ["whole"], ["second"]]);
    const runId = await start(session, "hello");
    await received(session, runId, ({ data }) => data["content"] === "lost ");
    const queued = await start(session, "next", { multitask: "enqueue" });
    configure(false);
    session.restart();
    const watches = session.watches;
    for (let alarm = 0; alarm <= RECOVERY_ATTEMPTS; alarm += 1) {
      expect(session.core.watch()).toBe(session.clock.now() + WATCH_INTERVAL_MS);
      await session.settled();
      session.clock.advance(WATCH_INTERVAL_MS);
    }
    expect(session.logged.filter(({ event }) => event === "settings-unavailable")).toHaveLength(RECOVERY_ATTEMPTS + 1);
    expect(session.watches).toBeGreaterThan(watches);
    expect(session.database.prepare("SELECT status, attempt FROM runs ORDER BY ordinal").all()).toMatchObject([
      { status: "running", attempt: 0 },
      { status: "queued", attempt: 0 },
    ]);
    configure(true);
    session.core.watch();
    expect((await follow(session, runId, ATTEMPT_STRIDE)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(textOf(await follow(session, queued))).toBe("second");
  });

  test("a waiting run can be aborted, and its session deleted", async () => {
    const gates = [createGate(), createGate()];
    let prepared = -1;
    const { inNode: session, model } = await open([], {}, async () => gates[(prepared += 1)]?.opened);
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
});

test("the time of a run counts from its start, including recovery [OR-172]", async () => {
  const { inNode: session } = await open([
    ["one ", stuck],
    ["two ", stuck],
  ]);
  const runId = await start(session, "hello");
  await received(session, runId, ({ event }) => event === "message");
  session.clock.advance(300_000);
  session.restart();
  await received(session, runId, ({ data }) => data["content"] === "two ");
  session.clock.advance(299_999);
  session.core.watch();
  expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId });
  session.clock.advance(1);
  session.core.watch();
  const frames = await follow(session, runId, ATTEMPT_STRIDE);
  expect(frames.at(-2)?.data).toMatchObject({ kind: "budget_exhausted", limit: "time", retryable: false });
  expect(frames.at(-1)?.data).toMatchObject({ status: "failed", partialText: "two " });
});

describe("the age of a lost run [OR-85]", () => {
  test.each([
    [RECOVERABLE_AGE_MS, "finished"],
    [RECOVERABLE_AGE_MS + 1, "interrupted"],
  ])("after %d ms it is %s", async (age, status) => {
    expect(RECOVERABLE_AGE_MS).toBe(30 * 60 * 1000);
    const { inNode: session, model } = await open([[stuck], ["whole"]], { limits: ofAnHour });
    const runId = await start(session, "hello");
    await model.whenAsked(1);
    session.restart();
    session.clock.advance(age);
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status });
  });

  test("a run that was queued after one that is too old starts [OR-58]", async () => {
    const { inNode: session, model } = await open([[stuck], ["second"]]);
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

describe("damaged storage", () => {
  test("a damaged record is excluded from its page and from the model's history, and logged once", async () => {
    const { inNode: session, model } = await open([["first"], ["second"]]);
    valueOf(await session.core.completeRun(OWNER, turn("hello")));
    session.database.exec("UPDATE messages SET record = '{' WHERE turn = 1 AND position = 1");
    expect(valueOf(await session.core.completeRun(OWNER, turn("again"))).content).toBe("second");
    const { messages, hasOlder } = valueOf(await session.core.messagePage(OWNER, { limit: 100 }));
    expect([messages.map(({ content }) => content), hasOlder]).toEqual([["hello", "again", "second"], false]);
    expect(model.asked[1]?.prompt.map(({ role }) => role)).toEqual(["system", "user", "user"]);
    expect(session.logged.filter(({ event }) => event === "session-part-failed")).toHaveLength(1);
  });

  test("a run that cannot be started is tried three times, then it fails, and the queue continues", async () => {
    const { session: lost, runId, queued } = await runToLose(open);
    await lost.sql("ALTER TABLE steps RENAME TO gone");
    for (const attempt of [1, 2, 3]) {
      await lost.loseMemory();
      if (attempt === 3) await lost.sql("ALTER TABLE gone RENAME TO steps");
      lost.core.watch();
      await lost.inNode.settled();
    }
    expect((await follow(lost, runId, ATTEMPT_STRIDE)).at(-1)?.event).toBe("done");
    expect((await follow(lost, queued)).at(-1)?.event).toBe("done");
  });

  test("an ended run whose row is damaged can be followed, and the user's index receives it and the next one", async () => {
    const { inNode: session } = await open([["first"], ["second"]]);
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
});
