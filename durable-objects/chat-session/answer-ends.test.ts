/** How an answer ends and its usage: finish reasons, warnings, retried requests, tokens. */
import { FIRST_RETRY_WAIT_MS, LONGEST_RETRY_WAIT_MS } from "../../oracle/agent/model-request.ts";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";

async function setUp(steps: readonly (readonly Beat[])[], maxRetries = 0) {
  const model = createScriptedModel();
  model.plays(...steps);
  const models = { ...chatModels(model), maxRetries };
  const session = await startSession({ settings: { models, plugins: [toolPlugin("look", 1)] } });
  return { model, session };
}

async function play(...steps: readonly (readonly Beat[])[]) {
  const { session } = await setUp(steps);
  const reply = valueOf(await session.core.completeRun(OWNER, turn("go")));
  const frames = await readFrames(valueOf(await session.core.followRun(OWNER, reply.runId, 0)).frames).rest();
  await session.settled();
  return { session, reply, done: frames.at(-1)?.data, notices: noticesOf(frames) };
}

const noticesOf = (frames: readonly ReadFrame[]) =>
  frames.filter(({ event }) => event === "error").map(({ data }) => data);

describe("the end of an answer [OR-71]", () => {
  test.each([
    ["stop", "stop", []],
    ["length", "length", ["answer_cut_off"]],
    ["content-filter", "content_filter", ["answer_filtered"]],
    ["other", "other", []],
  ] as const)("%s becomes %s, in done and in the reply", async (finish, reported, details) => {
    const { reply, done, notices } = await play(["Half an ", { finish }]);
    expect([reply.status, reply.finishReason, done?.["finishReason"]]).toEqual(["finished", reported, reported]);
    expect(notices.map(({ detail }) => detail)).toEqual(details);
  });

  test.each([[[]], [["  \n"]], [[{ think: "hm" }]]] as const)("reports an empty answer: %j", async (beats) => {
    const { reply, done, notices } = await play([...beats]);
    expect([reply.status, done?.["finishReason"]]).toEqual(["finished", "stop"]);
    expect(notices).toMatchObject([{ detail: "answer_empty", source: "provider", retryable: false }]);
  });

  test("an aborted or failed answer has no finish reason", async () => {
    const { done } = await play(["half ", { fail: new Error("down") }]);
    expect(done).not.toHaveProperty("finishReason");
  });

  test("a run that is resumed after its last step still reports its finish reason", async () => {
    const { model, session } = await setUp([["Half", { finish: "length", used: [7, 5] }]]);
    const { runId } = valueOf(await session.core.startRun(OWNER, turn("go")));
    await model.whenAsked(1);
    session.database.exec(
      `CREATE TRIGGER stop BEFORE UPDATE OF ended_at ON runs BEGIN SELECT RAISE(ABORT, 'killed here'); END`,
    );
    await session.settled();
    session.database.exec("DROP TRIGGER stop");
    session.restart();
    const frames = await readFrames(valueOf(await session.core.followRun(OWNER, runId, 0)).frames).rest();
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished", finishReason: "length" });
  });
});

describe("thinking inside the answer [OR-73]", () => {
  test("is sent as reasoning, is not part of the answer, and is not sent to the model again", async () => {
    const { reply, session } = await play(["<thi", "nk>let me see</th", "ink>\n\nYes."]);
    expect(reply.content).toBe("Yes.");
    const [, answer] = valueOf(await session.core.messagePage(OWNER, { limit: 1 })).messages;
    expect(answer).toMatchObject({ content: "Yes.", reasoning: "let me see" });
  });
});

describe("tokens", () => {
  test("of all steps are logged at the end, and reported under the run's id", async () => {
    const { reply, session } = await play(
      [
        { call: "look", input: {} },
        { finish: "tool-calls", used: [100, 20] },
      ],
      ["Found.", { finish: "stop", used: [150, 30] }],
    );
    expect(session.logged.find(({ event }) => event === "run-ended")).toMatchObject({
      steps: 2,
      inputTokens: 250,
      outputTokens: 50,
    });
    const [spent] = session.touches.at(-1)?.spent ?? [];
    expect(spent).toEqual({ runKey: reply.runId.split(".")[1], tokens: 300, since: session.clock.now() });
  });

  test("of an interrupted step are estimated, so that an interruption is not free", async () => {
    const { model, session } = await setUp([["x".repeat(300), { wait: createGate() }]]);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("go")));
    const reader = readFrames(frames);
    await reader.until(({ event }) => event === "message");
    await session.core.abort(OWNER);
    await model.whenCancelled();
    await session.settled();
    const ended = session.logged.find(({ event }) => event === "run-ended");
    expect(ended).toMatchObject({ status: "aborted", outputTokens: 100 });
    expect((ended as unknown as { inputTokens: number }).inputTokens).toBeGreaterThan(100);
  });
});

function refusal(statusCode: number, headers: Record<string, string> = {}, code?: string): Beat {
  return {
    refuse: new APICallError({
      message: "sk-secret is wrong",
      url: "https://models.test/sk-secret",
      requestBodyValues: {},
      statusCode,
      responseHeaders: headers,
      ...(code === undefined ? {} : { data: { error: { code, message: "sk-secret" } } }),
    }),
  };
}

describe("a model service that rejects a request [OR-72]", () => {
  test("is retried after the wait that it requests, up to a minute, with a warning", async () => {
    expect(LONGEST_RETRY_WAIT_MS).toBe(60_000);
    const { model, session } = await setUp([[refusal(429, { "retry-after": "60" })], ["Hello."]], 2);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("go")));
    const reader = readFrames(frames);
    const notice = await reader.until(({ event }) => event === "error");
    expect(notice.at(-1)?.data).toMatchObject({
      error: "The model is receiving too many requests. Trying again in 60 seconds.",
      kind: "rate_limit",
      detail: "model_retry",
      retryable: true,
      retryAfterMs: 60_000,
    });
    session.clock.advance(59_999);
    expect(model.asked).toHaveLength(1);
    session.clock.advance(1);
    expect((await reader.rest()).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(model.asked).toHaveLength(2);
  });

  test("is not retried if the wait exceeds a minute: the failure states the time", async () => {
    const { model, session } = await setUp([[refusal(429, { "retry-after": "61" })]], 2);
    const reply = valueOf(await session.core.completeRun(OWNER, turn("go")));
    expect(reply.failure).toMatchObject({ kind: "rate_limit", retryAfterMs: 61_000 });
    const frames = await readFrames(valueOf(await session.core.followRun(OWNER, reply.runId, 0)).frames).rest();
    expect(noticesOf(frames)).toMatchObject([{ kind: "rate_limit", retryAfterMs: 61_000, retryable: true }]);
    expect(model.asked).toHaveLength(1);
  });

  test("is retried after 2 and 4 seconds without a requested wait, then fails", async () => {
    expect(FIRST_RETRY_WAIT_MS).toBe(2_000);
    const { model, session } = await setUp([[refusal(503)], [refusal(503)], [refusal(503)]], 2);
    const waiting = session.core.completeRun(OWNER, turn("go"));
    await model.whenAsked(1);
    for (const [asked, wait] of [
      [2, 2_000],
      [3, 4_000],
    ] as const) {
      while (session.clock.pending === 0) await new Promise((resolve) => void setImmediate(resolve));
      await new Promise((resolve) => void setTimeout(resolve, 5));
      session.clock.advance(wait - 1);
      expect(model.asked).toHaveLength(asked - 1);
      session.clock.advance(1);
      await model.whenAsked(asked);
    }
    expect(valueOf(await waiting)).toMatchObject({ status: "failed", failure: { kind: "server" } });
  });

  test.each([
    [401, undefined],
    [402, undefined],
    [429, "insufficient_quota"],
    [400, "context_length_exceeded"],
  ])("with %d %s, a permanent error, is asked once; the log has only status, code and model", async (status, code) => {
    const { model, session } = await setUp([[refusal(status, {}, code)]], 2);
    expect(valueOf(await session.core.completeRun(OWNER, turn("go"))).status).toBe("failed");
    expect(model.asked).toHaveLength(1);
    const logged = session.logged.find(({ event }) => event === "run-model-failed");
    expect(logged).toMatchObject({
      model: "scripted",
      upstreamStatus: status,
      ...(code === undefined ? {} : { upstreamCode: code }),
    });
    expect(JSON.stringify(session.logged)).not.toContain("sk-secret");
  });

  test("is not waited for after the run was aborted", async () => {
    const { model, session } = await setUp([[refusal(429, { "retry-after": "30" })]], 2);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("go")));
    const reader = readFrames(frames);
    await reader.until(({ event }) => event === "error");
    await session.core.abort(OWNER);
    expect((await reader.rest()).at(-1)?.data).toMatchObject({ status: "aborted" });
    await session.settled();
    session.clock.advance(60_000);
    expect(model.asked).toHaveLength(1);
  });
});
