/** A run does not depend on a connection: readers connect, disconnect and reconnect. */
import { describe, expect, test } from "vitest";
import { OWNER, valueOf } from "../../support/oracle/chat-turns.ts";
import { eventsOf, readFrames, textOf } from "../../support/oracle/frame-reader.ts";
import { createGate } from "../../../workers/oracle/testing/scripted-model.ts";
import { toolPlugin } from "../../support/plugins/small-plugins.ts";
import { scriptOracle } from "../../support/oracle/scripted-oracle.ts";
import { follow, newSession, start } from "./session-under-test.ts";

/** A run that has sent `one ` and continues with `two` when the gate opens. */
async function halfway() {
  const gate = createGate();
  scriptOracle([["one ", { wait: gate }, "two"]]);
  const session = await newSession("scripted");
  const started = await start(session, "count", { requestId: "req-42" });
  await started.frames.until(({ event }) => event === "message");
  return { gate, session, ...started };
}

test("a client that disconnects does not stop the run: it finishes, is stored and can be followed again [OR-55]", async () => {
  const { gate, session, runId, frames } = await halfway();
  await frames.cancel();
  gate.open();
  const all = await (await follow(session, runId)).rest();
  expect(textOf(all)).toBe("one two");
  expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages[1]?.content).toBe("one two");
});

describe("GET /runs [OR-75]", () => {
  test("after=N gives exactly the frames above N: stored ones, live ones, done, the end", async () => {
    const { gate, session, runId } = await halfway();
    const late = await follow(session, runId, 2);
    expect(await late.next()).toMatchObject({ id: 3, event: "message" });
    gate.open();
    expect((await late.rest()).map(({ id, event }) => [id, event])).toEqual([
      [4, "message"],
      [5, "reasoning"],
      [6, "done"],
    ]);
  });

  test("following a finished run after its end sends done again, with the run's own request id [OR-77]", async () => {
    const { gate, session, runId, frames } = await halfway();
    gate.open();
    await frames.rest();
    for (const after of [6, 7, 2 ** 33]) {
      const followed = valueOf(await session.chat.followRun(OWNER, runId, after));
      expect(followed.requestId).toBe("req-42");
      expect(await readFrames(followed.frames).rest()).toMatchObject([{ id: 6, event: "done" }]);
    }
  });

  test("a reader that never reads delays no other: the run ends and others receive everything", async () => {
    const call = { call: "look", input: { text: "x".repeat(100_000) } };
    // Each call is sent twice with its arguments: 2.4 MB.
    scriptOracle([Array.from({ length: 12 }, () => call), ["well"]], { plugins: [toolPlugin("look", 1)] });
    const session = await newSession("scripted");
    const { runId } = await start(session, "much");
    const idle = valueOf(await session.chat.followRun(OWNER, runId, 0));
    const all = await (await follow(session, runId)).rest();
    expect(eventsOf(all).filter((event) => event === "tool_call")).toHaveLength(24);
    expect(textOf(all)).toBe("well");
    expect(eventsOf(all).at(-1)).toBe("done");
    expect(valueOf(await session.chat.activeRun(OWNER))).toBeNull();
    await idle.frames.cancel();
  });
});

test("the summary of an unfinished run; absent after it has ended [OR-81]", async () => {
  const { gate, session, runId, frames } = await halfway();
  const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(valueOf(await session.chat.activeRun(OWNER))).toEqual({
    runId,
    sessionId: session.id,
    requestId: "req-42",
    client: "portal",
    status: "running",
    startedAt: isoDate,
    updatedAt: isoDate,
    lastSeq: 3,
  });
  gate.open();
  await frames.rest();
  expect(valueOf(await session.chat.activeRun(OWNER))).toBeNull();
});

test("the ai record is in the transcript only after the run has ended [OR-87]", async () => {
  const { gate, session, frames } = await halfway();
  expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages.map(({ type }) => type)).toEqual([
    "human",
  ]);
  const page = valueOf(await session.chat.messagePage(OWNER, { limit: 20 }));
  expect(page).toMatchObject({ messages: [{ type: "human" }], nextCursor: null });
  gate.open();
  await frames.rest();
  expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages.map(({ type }) => type)).toEqual([
    "human",
    "ai",
  ]);
});
