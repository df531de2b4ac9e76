/** The session as its callers see it: replies, title, index, pruning, erasure. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, STRANGER, faultOf, sessionRecord, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { filled } from "../../test/support/plugins/reporting-plugin.ts";
import { type SessionParts, startSession } from "../../test/support/oracle/session-in-node.ts";
import { tablesOf } from "../../test/support/storage/sqlite-storage.ts";

async function setUp(parts: Omit<SessionParts, "settings"> = {}) {
  const model = createScriptedModel();
  const settings = { models: chatModels(model), plugins: [toolPlugin("look", 1)] };
  const session = await startSession({ ...parts, settings });
  return { model, session, core: session.core };
}

describe("a run that is waited for [OR-54]", () => {
  test("returns the whole text and the id of its record", async () => {
    const { model, core } = await setUp();
    model.plays(["one"], ["two"]);
    const bare = valueOf(await core.completeRun(OWNER, turn("first")));
    expect(bare).toMatchObject({ status: "finished", content: "one", messageId: expect.any(String) });
    const { messageId } = valueOf(await core.completeRun(OWNER, turn("second")));
    const { messages } = valueOf(await core.messagePage(OWNER, { limit: 100 }));
    expect(messages.map(({ content }) => content)).toEqual(["first", "one", "second", "two"]);
    expect(messages.at(-1)?.id).toBe(messageId);
  });

  test("aborted while waiting: returns the stored text and the status", async () => {
    const { model, core } = await setUp();
    model.plays(["half ", { wait: createGate() }]);
    const reply = core.completeRun(OWNER, turn("first"));
    const { runId } = valueOf(await core.activeRun(OWNER)) ?? {};
    const reader = readFrames(valueOf(await core.followRun(OWNER, runId ?? "", 0)).frames);
    await reader.until(({ event }) => event === "message");
    await core.abort(OWNER);
    expect(valueOf(await reply)).toMatchObject({ status: "aborted", content: "half " });
  });

  test("failed: returns the failure's kind and message, and the text so far", async () => {
    const { model, core } = await setUp();
    model.plays(["half ", { fail: new Error("down") }]);
    const reply = valueOf(await core.completeRun(OWNER, turn("first")));
    expect(reply).toMatchObject({ status: "failed", content: "half ", failure: { kind: "unknown" } });
  });
});

describe("the title [OR-43]", () => {
  test("is set once, from the opening message, after the first run that finishes", async () => {
    const asked: string[] = [];
    const title = async (opening: string) => {
      asked.push(opening);
      return "Stoves";
    };
    const { model, session, core } = await setUp({ title });
    model.plays([{ fail: new Error("down") }], ["two"], ["three"]);
    for (const message of ["opening", "second"]) await core.completeRun(OWNER, turn(message));
    await session.settled();
    expect(valueOf(await core.describe(OWNER)).title).toBe("Stoves");
    await core.completeRun(OWNER, turn("third"));
    await session.settled();
    expect(asked).toEqual(["opening"]);
    expect(session.touches.flatMap(({ title }) => title ?? [])).toEqual(["Stoves", "Stoves"]);
    session.restart();
    expect(valueOf(await session.core.describe(OWNER)).title).toBe("Stoves");
  });

  test("is requested once even if a second run finishes before it arrives", async () => {
    let asked = 0;
    const gate = createGate();
    const title = async () => {
      asked += 1;
      await gate.opened;
      return "Stoves";
    };
    const { model, session, core } = await setUp({ title });
    model.plays(["one"], ["two"]);
    for (const message of ["first", "second"]) await core.completeRun(OWNER, turn(message));
    gate.open();
    await session.settled();
    expect(asked).toBe(1);
  });

  test("is requested again after the next run if it fails, and fails no run", async () => {
    let tries = 0;
    const title = async () => {
      tries += 1;
      if (tries === 1) throw new Error("no title");
      return tries === 2 ? "" : "Stoves";
    };
    const { model, session, core } = await setUp({ title });
    model.plays(["one"], ["two"], ["three"]);
    for (const expected of ["Untitled", "Untitled", "Stoves"]) {
      expect(valueOf(await core.completeRun(OWNER, turn("hello"))).status).toBe("finished");
      await session.settled();
      expect(valueOf(await core.describe(OWNER)).title).toBe(expected);
    }
  });
});

test("the log reports the end of a run under the id of the request that started it", async () => {
  const { model, session, core } = await setUp();
  model.plays(["one"]);
  const { runId } = valueOf(await core.completeRun(OWNER, turn("hello", { requestId: "req-42" })));
  expect(session.logged.filter(({ event }) => event === "run-ended")).toEqual([
    {
      level: "info",
      event: "run-ended",
      requestId: "req-42",
      runId,
      status: "finished",
      finishReason: "stop",
      attempt: 0,
      steps: 1,
      durationMs: 0,
      inputTokens: 0,
      outputTokens: 0,
    },
  ]);
});

test("a request id is not an idempotency key: sending one twice makes two runs, each named by the session [OR-50]", async () => {
  const { model, session, core } = await setUp();
  model.plays(["one"], ["two"]);
  const send = async () => valueOf(await core.completeRun(OWNER, turn("hi", { requestId: "req-42" }))).runId;
  const runs = [await send(), await send()];
  expect(new Set(runs).size).toBe(2);
  for (const run of runs) expect(run).toMatch(new RegExp(`^${session.sessionId}\\.[0-9a-f-]{36}$`));
  expect(valueOf(await core.messagePage(OWNER, { limit: 100 })).messages).toHaveLength(4);
});

test("a run whose frames were pruned is not found; its transcript remains [OR-80]", async () => {
  const { model, session, core } = await setUp();
  model.plays(["one"]);
  const { runId } = valueOf(await core.completeRun(OWNER, turn("hello")));
  session.clock.advance(24 * 60 * 60 * 1000 - 1);
  expect(core.watch()).toBe(session.clock.now() + 1);
  expect((await core.followRun(OWNER, runId, 0)).ok).toBe(true);
  session.clock.advance(1);
  expect(core.watch()).toBeUndefined();
  expect(faultOf(await core.followRun(OWNER, runId, 0))).toMatchObject({ code: "not_found", message: "Run not found" });
  expect(valueOf(await core.messagePage(OWNER, { limit: 100 })).messages).toHaveLength(2);
  expect(valueOf(await core.messagePage(OWNER, { limit: 20 })).messages).toHaveLength(2);
});

describe("deleting a session [OR-44]", () => {
  test("stops the live run, closes every stream, ends every wait, and leaves nothing stored", async () => {
    const { model, session, core } = await setUp();
    model.plays(["half ", { wait: createGate() }]);
    const waiting = core.completeRun(OWNER, turn("hello"));
    const runId = valueOf(await core.activeRun(OWNER))?.runId ?? "";
    const reader = readFrames(valueOf(await core.followRun(OWNER, runId, 0)).frames);
    await reader.until(({ event }) => event === "message");
    const unread = readFrames(valueOf(await core.followRun(OWNER, runId, 0)).frames);

    expect(valueOf(await core.destroy(OWNER))).toBeNull();
    expect(faultOf(await waiting).message).toBe("Session not found");
    expect(await reader.rest()).toEqual([]);
    expect(await unread.rest()).toEqual([]);
    await model.whenCancelled();
    await session.settled();
    expect([filled(session), session.erased]).toEqual([[], 1]);
    expect(session.clock.pending).toBe(0);
    expect(faultOf(await core.messagePage(OWNER, { limit: 100 })).message).toBe("Session not found");
    expect(core.watch()).toBeUndefined();
  });

  test("a delta that waits to be merged is not written into the erased storage", async () => {
    const { model, session, core } = await setUp();
    const gate = createGate();
    model.plays(["first ", "joined ", { wait: gate }]);
    const reader = readFrames(valueOf(await core.startRun(OWNER, turn("hello"))).frames);
    await reader.until(({ event }) => event === "message");
    await core.destroy(OWNER);
    session.clock.advance(1000);
    await session.settled();
    expect([filled(session), session.erased]).toEqual([[], 1]);
  });

  test("a title that arrives too late is discarded", async () => {
    const gate = createGate();
    const title = async () => {
      await gate.opened;
      return "Late";
    };
    const { model, session, core } = await setUp({ title });
    model.plays(["one"]);
    await core.completeRun(OWNER, turn("hello"));
    await core.destroy(OWNER);
    gate.open();
    await session.settled();
    expect(tablesOf(session.database)).toEqual([]);
    expect(session.touches.some((change) => "title" in change)).toBe(false);
  });
});

test("a run for which no agent can be built fails instead of hanging, and the next one is tried", async () => {
  const { core, logged } = await startSession({ settings: {}, buildsAgents: false });
  for (const message of ["one", "two"]) {
    const reply = valueOf(await core.completeRun(OWNER, turn(message)));
    expect(reply).toMatchObject({ status: "failed", failure: { kind: "unknown" } });
  }
  expect(logged.map(({ event }) => event)).toContain("run-broken");
});

test("creating a session again returns the existing record; for another owner it throws", async () => {
  const { core, session } = await setUp();
  const again = { ...sessionRecord(session.sessionId), title: "Other" };
  expect((await core.create(OWNER, again)).title).toBe("Untitled");
  await expect(core.create(STRANGER, again)).rejects.toThrow("created twice");
});
