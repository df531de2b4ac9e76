/**
 * A message that is sent twice under the client's own id is one turn; and the maximum number of messages of a session.
 */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { faultOf, OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { eventsOf, readFrames } from "../../test/support/oracle/frame-reader.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";

async function setUp() {
  const model = createScriptedModel();
  const session = await startSession({ settings: { models: chatModels(model) } });
  return { model, session };
}

const sent = (clientMessageId: string, message = "hello") => turn(message, { clientMessageId });

describe("metadata.clientMessageId [OR-51]", () => {
  test("the second POST follows the run of the first while it is active, from its first frame", async () => {
    const { model, session } = await setUp();
    const gate = createGate();
    model.plays(["one ", { wait: gate }, "two"]);
    const first = valueOf(await session.core.startRun(OWNER, sent("m-1")));
    await first.frames.cancel();
    const second = valueOf(await session.core.startRun(OWNER, sent("m-1")));
    expect(second).toMatchObject({ runId: first.runId, requestId: first.requestId, replayed: true });
    gate.open();
    const frames = await readFrames(second.frames).rest();
    expect([eventsOf(frames)[0], frames.at(-1)?.data["status"]]).toEqual(["run", "finished"]);
    expect(valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages).toHaveLength(2);
  });

  test("two concurrent POSTs are one run, even after a restart", async () => {
    const { model, session } = await setUp();
    model.plays(["one"]);
    const replies = await Promise.all([1, 2].map(() => session.core.completeRun(OWNER, sent("m-1"))));
    const [one, two] = replies.map(valueOf);
    expect(two?.runId).toBe(one?.runId);
    expect([one?.content, two?.content]).toEqual(["one", "one"]);
    await session.settled();
    session.restart();
    expect(valueOf(await session.core.completeRun(OWNER, sent("m-1")))).toMatchObject({
      content: "one",
      replayed: true,
    });
    expect(model.asked).toHaveLength(1);
  });

  test("another id, or no id, is another run", async () => {
    const { model, session } = await setUp();
    model.plays(["one"], ["two"], ["three"]);
    for (const message of [sent("m-1"), sent("m-2"), turn("hello")]) await session.core.completeRun(OWNER, message);
    expect(model.asked).toHaveLength(3);
  });

  test("a message whose frames were pruned is rejected: its answer is in the transcript [OR-52]", async () => {
    const { model, session } = await setUp();
    model.plays(["one"]);
    await session.core.completeRun(OWNER, sent("m-1"));
    session.clock.advance(24 * 60 * 60 * 1000);
    session.core.watch();
    expect(faultOf(await session.core.startRun(OWNER, sent("m-1")))).toMatchObject({
      code: "conflict",
      reason: "message_already_answered",
    });
  });
});

describe("the number of messages of a session [OR-139]", () => {
  test("is limited, and a message beyond it stores nothing; a repeated message does not count; phones have no limit", async () => {
    const { model, session } = await setUp();
    model.plays(["one"], ["two"], ["three"]);
    const send = (message = turn("hello")) => session.core.completeRun(OWNER, message, 2);
    valueOf(await send(sent("m-1")));
    valueOf(await send());
    const refused = faultOf(await send());
    expect(refused).toMatchObject({
      code: "conflict",
      message: "This session has 2 messages, which is the limit. Open a new session to continue.",
      reason: "message_limit",
      retryable: false,
    });
    expect(valueOf(await send(sent("m-1"))).replayed).toBe(true);
    expect(valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages).toHaveLength(4);
    valueOf(await session.core.acceptRun(OWNER, turn("by phone", { client: "ussd" })));
  });

  test("is enforced for two concurrent messages: one starts", async () => {
    const { model, session } = await setUp();
    model.plays(["one"], ["two"]);
    const results = await Promise.all([1, 2].map(() => session.core.completeRun(OWNER, turn("hello"), 1)));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });
});
