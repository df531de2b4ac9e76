/** Limits of one turn: tokens, tool calls and identical calls, at their edges and across restarts. */
import { describe, expect, test } from "vitest";
import { chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { setUp, calls, errorsOf } from "../../test/support/oracle/calling-session.ts";

const exhausted = (limit: string) => ({ kind: "budget_exhausted", limit, retryable: false, source: "platform" });

describe("tool calls of a turn [OR-172]", () => {
  test("have default limits", () => {
    expect(chatSettings().limits).toEqual({
      maxTokens: 500_000,
      maxToolCalls: 120,
      maxSteps: 16,
      timeoutMs: 600_000,
      maxIdenticalWrites: 1,
      maxIdenticalReads: 5,
    });
  });

  test.each([
    [119, 119, "finished"],
    [120, 120, "finished"],
    [121, 120, "failed"],
  ])("if %d calls are wanted, %d are made, and the turn is %s", async (wanted, made, status) => {
    const set = await setUp([
      ["I look. ", ...calls("look", wanted - 60)],
      calls("look", 60, (index) => ({ more: index })),
      ["Done."],
    ]);
    const runId = await start(set.session, "go");
    const frames = await follow(set.session, runId);
    expect(set.made).toHaveLength(made);
    expect(frames.at(-1)?.data).toMatchObject({ status });
    if (status === "finished") return;
    expect(frames.at(-2)).toMatchObject({ event: "error", data: exhausted("tools") });
    expect(frames.at(-1)?.data).toMatchObject({ failed: true, partialText: "I look. " });
    expect((await transcript(set.session))[1]?.content).toBe("I look. ");
    expect((await errorsOf(set.session)).at(-1)).toBe("look was not run: the turn has reached its limit of tool calls");
  });

  test("are not increased by a restart", async () => {
    const gate = createGate();
    const set = await setUp([calls("look", 2), [{ wait: gate }], calls("look", 2, (index) => ({ more: index }))], {
      maxToolCalls: 3,
    });
    const runId = await start(set.session, "go");
    await set.model.whenAsked(2);
    set.session.restart();
    const frames = await follow(set.session, runId);
    expect(set.made).toHaveLength(3);
    expect(frames.at(-2)?.data).toMatchObject(exhausted("tools"));
  });
});

describe("model steps of an agent [OR-511]", () => {
  test.each([1, 20])("an answer in step %d, the last allowed one, is accepted", async (maxSteps) => {
    const looks = Array.from({ length: maxSteps - 1 }, (_, index) => calls("look", 1, () => ({ index })));
    const { session, model } = await setUp([...looks, ["Done."]], { maxSteps });
    const frames = await follow(session, await start(session, "go"));
    expect(model.asked).toHaveLength(maxSteps);
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  });

  test("one step more is not requested: the turn fails and reports its number of steps", async () => {
    const { session, model } = await setUp([["I look. ", ...calls("look", 1)], ["Done."]], { maxSteps: 1 });
    const frames = await follow(session, await start(session, "go"));
    expect(model.asked).toHaveLength(1);
    const error = "The answer took more than 1 step. Please ask for less at a time.";
    expect(frames.slice(-2).map(({ data }) => data)).toMatchObject([{ error }, { status: "failed" }]);
    expect((await transcript(session))[1]?.content).toBe("I look. ");
  });
});

describe("tokens of a turn [OR-172]", () => {
  const using = (tokens: number): Beat => ({ finish: "tool-calls", used: [tokens - 1, 1] });

  test.each([
    [999, "finished", "I look. Done."],
    [1_000, "failed", "I look. "],
    [1_001, "failed", "I look. "],
  ])("after %d of 1000 tokens it is %s", async (tokens, status, content) => {
    const { session } = await setUp([["I look. ", ...calls("look", 1), using(tokens)], ["Done."]], {
      maxTokens: 1_000,
    });
    const frames = await follow(session, await start(session, "go"));
    expect(frames.at(-1)?.data).toMatchObject({ status });
    expect((await transcript(session))[1]?.content).toBe(content);
    const errors = frames.filter(({ event }) => event === "error").map(({ data }) => data);
    expect(errors).toMatchObject(status === "failed" ? [exhausted("tokens")] : []);
  });

  test("a complete answer is never cut because of its usage", async () => {
    const { session } = await setUp([["All of it.", { finish: "stop", used: [5_000, 5_000] }]], { maxTokens: 1_000 });
    expect(valueOf(await session.core.completeRun(OWNER, turn("go")))).toMatchObject({ status: "finished" });
  });

  test("count across a restart", async () => {
    const gate = createGate();
    const steps = [
      [...calls("look", 1), using(600)],
      [{ wait: gate }],
      [...calls("look", 1, () => ({ more: 1 })), using(400)],
      ["never asked"],
    ];
    const { session, model } = await setUp(steps, { maxTokens: 1_000 });
    const runId = await start(session, "go");
    await model.whenAsked(2);
    session.restart();
    expect((await follow(session, runId)).at(-2)?.data).toMatchObject(exhausted("tokens"));
    expect(model.asked).toHaveLength(3);
  });
});

test("a short time limit ends the turn at that time, even if nothing else would wake the object [OR-142]", async () => {
  const stuck = createGate();
  const set = await setUp([[{ wait: stuck }]], { timeoutMs: 1_000 });
  const begun = set.session.clock.now();
  const runId = await start(set.session, "go");
  await set.model.whenAsked(1);
  expect(set.session.wokenBy).toBe(begun + 1_000);
  set.session.clock.advance(999);
  expect(set.session.core.watch()).toBe(begun + 1_000);
  set.session.clock.advance(1);
  set.session.core.watch();
  const frames = await follow(set.session, runId);
  expect(frames.at(-2)?.data).toMatchObject(exhausted("time"));
});
