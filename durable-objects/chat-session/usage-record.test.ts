/** The cost of a model request is stored before it is sent, and counts towards the user's limits in every case. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { say } from "../../test/support/oracle/played-turn.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { filled, reporting } from "../../test/support/plugins/reporting-plugin.ts";
import type { SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import type { Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { FIRST_RETRY_WAIT_MS } from "../../oracle/agent/model-request.ts";
import { FILE_TOKENS } from "../../oracle/agent/run-limits.ts";
import { REPORT_RETRY_MS } from "../../oracle/runs/after-run.ts";
import { UNSEEN_TOKENS_PER_SECOND, UNSTORED_SIZE } from "../../oracle/runs/run-usage.ts";
import { estimateTokens } from "../../oracle/runs/step-store.ts";
import { FIRST_REPORT_PAUSE_MS } from "../../oracle/runs/run-reports.ts";
import { used, SILENCE, open, counted } from "../../test/support/oracle/usage-session.ts";

/** The service, or a gateway in front of it, answers with an error. */
const answered = (statusCode: number): Beat => ({ refuse: Object.assign(new Error("no"), { statusCode }) });

/** A prompt of 200,000 tokens. */
const long = "x".repeat(600_000);

describe("a request to a model counts from before it is sent [OR-450]", () => {
  const PROMPT = 200_000;

  test.each([
    ["a stop", (session: SessionInNode) => session.core.abort(OWNER)],
    ["the next message", (session: SessionInNode) => say(session, "next")],
    ["the end of its session", (session: SessionInNode) => session.core.destroy(OWNER)],
  ])("its prompt counts if %s ends it before the first word", async (_, interrupt) => {
    const { session, begin } = await open([[SILENCE], [used(0, 0)]]);
    await begin(long);
    await interrupt(session);
    await session.settled();
    const [tokens = 0] = counted(session);
    expect(tokens).toBeGreaterThan(PROMPT);
    expect(tokens).toBeLessThan(PROMPT * 1.01);
  });

  test("the service's own figures replace the estimate", async () => {
    const { session } = await open([[used(1_000, 20)]]);
    await say(session, long);
    expect(counted(session)).toEqual([1_020]);
  });

  test.each([429, 500, 503])("a request that the service refuses with a %i counts nothing", async (status) => {
    const { session } = await open([[answered(status)]]);
    await say(session, long);
    expect(counted(session)).toEqual([0]);
  });

  test.each([
    ["its connection is lost", { refuse: new TypeError("fetch failed") }],
    ["the service does not respond", { refuse: Object.assign(new Error("silent"), { code: "MODEL_TIMEOUT" }) }],
    ["a gateway answers in place of the service", answered(502)],
  ])("its prompt counts if %s before the first word", async (_, beat) => {
    const { session } = await open([[beat]]);
    await say(session, long);
    const [tokens = 0] = counted(session);
    expect(tokens).toBeGreaterThan(PROMPT);
    expect(tokens).toBeLessThan(PROMPT * 1.01);
  });

  test("a retry counts in addition to an attempt that may have been read, and the time between them does not", async () => {
    const { session } = await open([[answered(504)], ["Hi.", used(1_000, 20)]], [], {}, 1);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn(long)));
    const reader = readFrames(frames);
    await reader.until(({ event }) => event === "error");
    session.clock.advance(FIRST_RETRY_WAIT_MS);
    await reader.rest();
    await session.settled();
    const [tokens = 0] = counted(session);
    expect(tokens).toBeGreaterThan(PROMPT + 1_020);
    expect(tokens).toBeLessThan(PROMPT * 1.01 + 1_020);
  });

  test("an answer that breaks off counts its prompt and the received part", async () => {
    const { session } = await open([["x".repeat(3_000), { fail: new Error("lost") }]]);
    await say(session, long);
    expect(counted(session)[0]).toBeGreaterThan(PROMPT + 1_000);
  });

  test("the input of a tool counts as it arrives, and so does thinking", async () => {
    const input = "y".repeat(30_000);
    const { session, begin } = await open([[{ think: "z".repeat(3_000) }, { call: "look", input }, SILENCE]]);
    await begin("hi");
    await session.core.abort(OWNER);
    await session.settled();
    expect(counted(session)[0]).toBeGreaterThan(estimateTokens(33_000));
  });

  test("a silent model counts as reasoning", async () => {
    const { session, begin } = await open([[SILENCE]]);
    await begin("hi");
    session.clock.advance(60_000);
    await session.core.abort(OWNER);
    await session.settled();
    const [tokens = 0] = counted(session);
    expect(tokens).toBeGreaterThanOrEqual(60 * UNSEEN_TOKENS_PER_SECOND);
    expect(tokens).toBeLessThan(60 * UNSEEN_TOKENS_PER_SECOND + 1_000);
  });

  test("images count, and each letter beyond ASCII counts as a token", async () => {
    const image = {
      type: "file",
      mediaType: "image/png",
      data: { type: "data", data: new Uint8Array(3_000_000) },
    } as const;
    const withImages = plugin("images", {
      getMiddlewares: () => [
        {
          name: "images",
          wrapModelCall: (request, next) =>
            next({ ...request, messages: [...request.messages, { role: "user", content: [image, image, image] }] }),
        },
      ],
    });
    const { session, begin } = await open([[SILENCE]], [withImages]);
    await begin("水".repeat(3_000));
    await session.core.abort(OWNER);
    await session.settled();
    const [tokens = 0] = counted(session);
    expect(tokens).toBeGreaterThan(3_000 + 3 * FILE_TOKENS);
    expect(tokens).toBeLessThan(3_000 + 3 * FILE_TOKENS + 1_000);
  });
});

describe("usage survives the loss of the process [OR-451]", () => {
  test("the prompt of an unanswered request, with the usage of the next attempt", async () => {
    const { session, begin } = await open([[SILENCE], ["Hi.", used(1_000, 20)]]);
    await begin(long);
    session.restart();
    session.core.wake();
    await session.settled();
    expect(counted(session)).toHaveLength(1);
    expect(counted(session)[0]).toBeGreaterThan(200_000 + 1_020);
  });

  test("the received part of the answer, except for its last part", async () => {
    const { session, begin } = await open([
      ["x".repeat(30_000), SILENCE],
      ["Hi.", used(1_000, 20)],
    ]);
    await begin("hi");
    session.restart();
    session.core.wake();
    await session.settled();
    expect(counted(session)[0]).toBeGreaterThan(estimateTokens(30_000 - UNSTORED_SIZE) + 1_020);
  });

  test("the usage of a step counts once", async () => {
    const { session, begin } = await open([[{ call: "look", input: {} }, used(500, 5)], [SILENCE], [used(1_000, 20)]]);
    await begin("hi");
    session.restart();
    session.core.wake();
    await session.settled();
    const [tokens = 0] = counted(session);
    expect(tokens).toBeGreaterThan(1_525);
    expect(tokens).toBeLessThan(1_525 + 1_000);
  });
});

describe("a turn reports when it started, for a user vault that lost it in a kill [OR-451]", () => {
  const since = ({ touches }: SessionInNode) => touches.flatMap(({ spent = [] }) => spent.map((each) => each.since));

  test("at its end", async () => {
    const { session } = await open([["Hi.", used(1_000, 20)]]);
    await say(session, "hi");
    expect(new Set(since(session))).toEqual(new Set([session.clock.now()]));
  });

  test("when its session is deleted, with its own start time", async () => {
    const { session, begin } = await open([[SILENCE]]);
    const started = session.clock.now();
    await begin("hi");
    session.clock.advance(5_000);
    valueOf(await session.core.destroy(OWNER));
    await session.settled();
    expect(since(session)).toEqual([started]);
  });
});

describe("usage survives the deletion of the session [OR-452]", () => {
  test("of a turn whose end was not reported yet", async () => {
    let isDown = true;
    const touch = async () => {
      if (isDown) throw new Error("down");
    };
    const { session } = await open([["Hi.", used(1_000, 20)]], [], { touch });
    await say(session, "hi");
    valueOf(await session.core.destroy(OWNER));
    await session.settled();
    expect(counted(session)).toEqual([]);
    isDown = false;
    session.restart();
    session.clock.advance(FIRST_REPORT_PAUSE_MS + REPORT_RETRY_MS);
    session.core.watch();
    await session.settled();
    expect(counted(session)).toEqual([1_020]);
    expect([filled(session), session.erased]).toEqual([[], 1]);
  });

  test("of the running turn and of waiting ones, for plugins and for the user vault", async () => {
    const { reports, ledger } = reporting();
    const { session, begin } = await open([[SILENCE]], [ledger]);
    await begin(long);
    const waiting = valueOf(await session.core.startRun(OWNER, turn("next", { multitask: "enqueue" })));
    await waiting.frames.cancel();
    valueOf(await session.core.destroy(OWNER));
    await session.settled();
    const charged = reports.map(({ usage }) =>
      usage.reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0),
    );
    expect(new Set(counted(session))).toEqual(new Set(charged));
    expect(Math.max(...charged)).toBeGreaterThan(200_000);
    expect(filled(session)).toEqual([]);
  });

  test("of a turn whose process was lost before the deletion", async () => {
    const { session, begin } = await open([[SILENCE]]);
    await begin(long);
    session.restart();
    valueOf(await session.core.destroy(OWNER));
    await session.settled();
    expect(counted(session)[0]).toBeGreaterThan(200_000);
  });
});
