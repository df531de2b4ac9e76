/** How the user vault is notified of a session's messages and ends: once each, and again after a failure. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { type SessionParts, startSession } from "../../test/support/oracle/session-in-node.ts";
import { ACCEPTED_REPORT_DELAY_MS, REPORTED_MARK_DELAY_MS, REPORT_RETRY_MS } from "./after-run.ts";
import { FRAME_RETENTION_MS } from "./frames.ts";

async function setUp(parts: Omit<SessionParts, "settings"> = {}) {
  const model = createScriptedModel();
  const settings = { models: chatModels(model) };
  const session = await startSession({ ...parts, settings });
  return { model, session, core: session.core };
}

describe("the owner's index [OR-42]", () => {
  test("is notified when a run is accepted and when it ends", async () => {
    const { model, session, core } = await setUp();
    const gate = createGate();
    model.plays([{ wait: gate }, "one"]);
    const reply = core.completeRun(OWNER, turn("hello"));
    await model.whenAsked(1);
    const accepted = new Date(session.clock.now()).toISOString();
    expect(session.touches).toEqual([]);
    session.clock.advance(ACCEPTED_REPORT_DELAY_MS);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(session.touches).toEqual([{ lastUpdatedAt: accepted }]);
    session.clock.advance(5000);
    gate.open();
    await reply;
    await session.settled();
    const ended = new Date(session.clock.now()).toISOString();
    expect(session.touches).toMatchObject([
      { lastUpdatedAt: accepted },
      { lastUpdatedAt: ended, spent: [{ tokens: 0 }] },
      { lastUpdatedAt: ended, title: "hello" },
    ]);
  });

  test("is notified once of a run that ends at once, before the whole answer is returned", async () => {
    const { model, session, core } = await setUp({ title: async () => "" });
    model.plays(["one"], ["two"]);
    for (const message of ["first", "second"]) {
      const { runId } = valueOf(await core.completeRun(OWNER, turn(message)));
      expect(session.touches.at(-1)).toMatchObject({ spent: [{ runKey: runId.split(".")[1] }] });
    }
    session.clock.advance(ACCEPTED_REPORT_DELAY_MS);
    await session.settled();
    expect([ACCEPTED_REPORT_DELAY_MS, session.touches.length]).toEqual([50, 2]);
  });

  test("is notified of every run when several end at the same moment", async () => {
    const { model, session, core } = await setUp({ title: async () => "" });
    model.plays([{ wait: createGate() }]);
    const runs = ["first", "second", "third"].map((message) =>
      core.acceptRun(OWNER, turn(message, { multitask: "enqueue" })),
    );
    const keys = (await Promise.all(runs)).map((accepted) => valueOf(accepted).runId.split(".")[1]);
    await core.abort(OWNER);
    await session.settled();
    const spent = session.touches.flatMap((change) => change.spent ?? []).map(({ runKey }) => runKey);
    expect(new Set(spent)).toEqual(new Set(keys));
    expect(spent).toHaveLength(keys.length);
    expect(core.watch()).toBe(session.clock.now() + FRAME_RETENTION_MS);
  });

  test("is notified again if the process is lost before the run's row is marked as reported, and not after", async () => {
    const { model, session } = await setUp({ title: async () => "" });
    model.plays(["one"]);
    valueOf(await session.core.completeRun(OWNER, turn("first")));
    await session.settled();
    for (const times of [2, 2]) {
      session.restart();
      session.core.watch();
      await session.settled();
      expect(session.touches).toHaveLength(times);
      session.clock.advance(REPORTED_MARK_DELAY_MS);
    }
    expect(session.touches[1]?.spent).toEqual(session.touches[0]?.spent);
  });

  test("does not stop a run while it is unreachable", async () => {
    const { model, session, core } = await setUp({ touch: () => Promise.reject(new Error("vault away")) });
    model.plays(["one"]);
    expect(valueOf(await core.completeRun(OWNER, turn("hello", { requestId: "req-42" }))).content).toBe("one");
    expect(session.logged).toContainEqual(
      expect.objectContaining({ event: "index-update-failed", requestId: "req-42" }),
    );
  });

  test("receives the end, the title and the tokens once, after an outage and even after a restart", async () => {
    let away = true;
    const touch = () => (away ? Promise.reject(new Error("vault away")) : Promise.resolve());
    const { model, session, core } = await setUp({ touch });
    model.plays(["one"]);
    const { runId } = valueOf(await core.completeRun(OWNER, turn("hello")));
    await session.settled();
    expect(session.touches).toEqual([]);
    session.restart();
    away = false;
    session.clock.advance(REPORT_RETRY_MS);
    const due = session.core.nextWatch();
    expect(due).toBeLessThanOrEqual(session.clock.now());
    session.core.watch();
    await session.settled();
    expect(session.touches).toMatchObject([{ title: "hello", spent: [{ runKey: runId.split(".")[1], tokens: 0 }] }]);
    session.core.watch();
    await session.settled();
    expect(session.touches).toHaveLength(1);
  });

  test("is retried every 30 seconds while it is unavailable", async () => {
    expect(REPORT_RETRY_MS).toBe(30_000);
    const { model, session, core } = await setUp({ touch: () => Promise.reject(new Error("vault away")) });
    model.plays(["one"]);
    await core.completeRun(OWNER, turn("hello"));
    await session.settled();
    const failures = () => session.logged.filter(({ event }) => event === "index-update-failed").length;
    const before = failures();
    session.clock.advance(29_999);
    session.core.watch();
    await session.settled();
    expect(failures()).toBe(before);
    session.clock.advance(1);
    session.core.watch();
    await session.settled();
    expect(failures()).toBe(before + 1);
  });
});
