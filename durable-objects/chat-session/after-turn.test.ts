/**
 * `afterTurn`: every turn is reported to every plugin with the hook, even if the turn fails, its session is deleted or
 * its process is lost.
 */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { faultOf, OWNER, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { calling, openPlay, say } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { filled, reporting } from "../../test/support/plugins/reporting-plugin.ts";
import { startSession, type SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import { admit } from "../../oracle/framework/admission.ts";
import { createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import {
  FIRST_REPORT_PAUSE_MS,
  LONGEST_REPORT_PAUSE_MS,
  REPORT_LIFETIME_MS,
  REPORT_TIME_LIMIT_MS,
} from "../../oracle/runs/run-reports.ts";

const used = { finish: "stop", used: [10, 10] } as const;
const never = () => new Promise<never>(() => undefined);
describe("a turn that has ended is reported [OR-243]", () => {
  test("once, with its answer and usage, and the report is then removed", async () => {
    const { reports, owners, ledger } = reporting();
    const { session } = await openPlay([["Hello ", "there.", used]], [ledger]);
    const frames = await say(session, "go", { metadata: { page: 1 } });
    expect(reports).toEqual([
      {
        runId: frames[0]?.data["runId"],
        sessionId: session.sessionId,
        client: "portal",
        status: "finished",
        endedAt: expect.stringMatching(/Z$/),
        usage: [{ model: "unlisted", inputTokens: 10, outputTokens: 10 }],
        answer: "Hello there.",
        metadata: { page: 1 },
      },
    ]);
    expect(owners).toEqual([OWNER]);
    expect(filled(session)).not.toContain("turn_reports");
    expect(filled(session)).not.toContain("ended_turns");
  });

  test("by every plugin with the hook, independently", async () => {
    const one = reporting();
    const other = reporting({ name: "other" }, (calls) => {
      if (calls === 1) throw new Error("not now");
    });
    const { session } = await openPlay([["Hi."]], [one.ledger, other.ledger, plugin("without", {})]);
    await say(session, "go");
    session.clock.advance(FIRST_REPORT_PAUSE_MS);
    session.core.watch();
    await session.settled();
    expect([one.reports.length, other.reports.length]).toEqual([1, 2]);
  });

  test("as aborted if it was queued and never began", async () => {
    const { reports, ledger } = reporting();
    const { session } = await openPlay(
      [[calling("wait")]],
      [ledger, plugin("p", { getTools: () => [tool("wait", never)] })],
    );
    const first = await start(session, "go");
    const second = await start(session, "go", { multitask: "enqueue" });
    expect(valueOf(await session.core.abort(OWNER))).toBe(true);
    await session.settled();
    expect(reports.map(({ runId, status }) => [runId, status])).toEqual([
      [second, "aborted"],
      [first, "aborted"],
    ]);
  });

  test("as failed, with the message for the user", async () => {
    const { reports, ledger } = reporting();
    const failing = plugin("p", {
      getMiddlewares: () => [
        {
          name: "m",
          afterModel: () => ({
            jumpTo: "end",
            failure: { kind: "unknown", code: "no_more", message: "No more.", retryable: false },
          }),
        },
      ],
    });
    const { session } = await openPlay([["Said.", used]], [ledger, failing]);
    await say(session, "go");
    expect(reports).toMatchObject([{ status: "failed", failure: "No more.", answer: "Said." }]);
    expect(reports[0]?.usage).toEqual([{ model: "unlisted", inputTokens: 10, outputTokens: 10 }]);
  });

  test("as given up after it was lost too often", async () => {
    const { reports, ledger } = reporting();
    const hanging = plugin("p", { getSharedState: never });
    const { session } = await openPlay([["Hi."]], [ledger, hanging]);
    const runId = await start(session, "go");
    for (let lost = 0; lost < 4; lost += 1) {
      session.restart();
      session.core.watch();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await follow(session, runId);
    await expect.poll(() => reports).toMatchObject([{ runId, status: "interrupted" }]);
  });

  test("and not stored for a plugin that wants only turns of other clients", async () => {
    const { reports, ledger } = reporting();
    const own = reporting({ name: "own" });
    const { session } = await openPlay([["Hi."]], [{ ...ledger, afterTurnClients: ["slack"] }]);
    await say(session, "go");
    expect(session.database.prepare("SELECT reporters FROM runs").get()?.["reporters"]).toBeNull();
    const both = await openPlay(
      [["Hi."]],
      [
        { ...ledger, afterTurnClients: ["slack"] },
        { ...own.ledger, afterTurnClients: ["portal"] },
      ],
    );
    await say(both.session, "go");
    expect([reports.length, own.reports.length]).toEqual([0, 1]);
  });

  test("and not stored in an oracle without such a plugin", async () => {
    const { session } = await openPlay([["Hi."]], [plugin("p", { getRequestAdmission: admit })]);
    await say(session, "go");
    const row = session.database.prepare("SELECT reporters FROM runs").get();
    expect(row?.["reporters"]).toBeNull();
    expect(session.wokenBy).toBeGreaterThan(FIRST_REPORT_PAUSE_MS);
  });
});

describe("the report survives [OR-244]", () => {
  test("after a kill between the end of the turn and the end of `afterTurn`, with equal content", async () => {
    const { reports, ledger } = reporting({}, (calls) => (calls === 1 ? never() : undefined));
    const { session } = await openPlay([["Hi."]], [ledger]);
    const runId = await start(session, "go");
    await expect.poll(() => reports.length).toBe(1);
    session.restart();
    session.clock.advance(FIRST_REPORT_PAUSE_MS);
    expect(session.core.watch()).toBeGreaterThan(session.clock.now());
    await session.settled();
    expect(reports.map((each) => each.runId)).toEqual([runId, runId]);
    expect(reports[1]).toEqual(reports[0]);
    expect(filled(session)).not.toContain("turn_reports");
  });

  test("after a kill at any point of a turn: at least once, with one end and the usage of all its models", async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { reports, ledger } = reporting();
      const model = createScriptedModel();
      const look = { ...tool("look", async () => "seen"), effect: "read" as const };
      // A step whose process is lost is requested again, so the script has more steps than a turn needs.
      model.plays(
        ["One ", calling("look"), used],
        ["two ", calling("look", { again: true }), used],
        ["three.", used],
        ["four.", used],
      );
      const session = await startSession({
        settings: { models: chatModels(model), plugins: [ledger, plugin("p", { getTools: () => [look] })] },
      });
      const runId = await start(session, "go");
      for (let ticks = seed * 3; ticks > 0; ticks -= 1) await Promise.resolve();
      session.restart();
      session.clock.advance(FIRST_REPORT_PAUSE_MS);
      session.core.watch();
      await follow(session, runId);
      await session.settled();
      session.clock.advance(FIRST_REPORT_PAUSE_MS);
      session.core.watch();
      await session.settled();
      expect(reports.length, `seed ${seed}`).toBeGreaterThanOrEqual(1);
      const run = session.database.prepare("SELECT status, input_tokens, output_tokens FROM runs").get();
      const answer = (await transcript(session)).at(-1)?.content;
      for (const each of reports) {
        expect(each, `seed ${seed}`).toMatchObject({ runId, status: run?.["status"], answer });
        expect(each.usage).toEqual([
          { model: "unlisted", inputTokens: run?.["input_tokens"], outputTokens: run?.["output_tokens"] },
        ]);
      }
      expect(filled(session)).not.toContain("turn_reports");
    }
  });

  test("while a plugin fails: after 5 s, doubling to an hour, for 7 days; then it is dropped and logged with the turn's usage [OR-602]", async () => {
    expect([FIRST_REPORT_PAUSE_MS, LONGEST_REPORT_PAUSE_MS, REPORT_LIFETIME_MS, REPORT_TIME_LIMIT_MS]).toEqual([
      5_000, 3_600_000, 604_800_000, 30_000,
    ]);
    const { reports, ledger } = reporting({}, () => {
      throw new Error("no ledger");
    });
    const { session } = await openPlay([["Hi.", used]], [ledger]);
    await say(session, "go");
    const pauses: number[] = [];
    for (let due = dueOf(session); due !== undefined; due = dueOf(session)) {
      pauses.push(due - session.clock.now());
      session.clock.advance(due - session.clock.now() - 1);
      session.core.watch();
      await session.settled();
      const before = reports.length;
      session.clock.advance(1);
      session.core.watch();
      await session.settled();
      expect(reports.length).toBe(before + 1);
    }
    expect(pauses.slice(0, 12)).toEqual([
      5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_280_000, 2_560_000, 3_600_000, 3_600_000,
    ]);
    const total = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(total).toBeGreaterThanOrEqual(REPORT_LIFETIME_MS);
    expect(total).toBeLessThan(REPORT_LIFETIME_MS + LONGEST_REPORT_PAUSE_MS);
    const given = session.logged.filter(({ event }) => event === "after-turn-given-up");
    const usage = [{ model: "unlisted", inputTokens: 10, outputTokens: 10 }];
    expect(given).toMatchObject([{ plugin: "ledger", reason: expect.stringContaining("no ledger"), usage }]);
    expect(filled(session)).not.toContain("ended_turns");
  });

  test("while a plugin hangs: its call is cancelled after 30 s and repeated", async () => {
    const { reports, ledger } = reporting({}, (calls) => (calls === 1 ? never() : undefined));
    const { session } = await openPlay([["Hi."]], [ledger]);
    await start(session, "go");
    await expect.poll(() => reports.length).toBe(1);
    session.clock.advance(REPORT_TIME_LIMIT_MS);
    await session.settled();
    session.clock.advance(FIRST_REPORT_PAUSE_MS);
    session.core.watch();
    await session.settled();
    expect(reports.length).toBe(2);
  });
});

function dueOf({ database }: SessionInNode): number | undefined {
  const row = database.prepare("SELECT MIN(due) AS due FROM turn_reports").get();
  return typeof row?.["due"] === "number" ? row["due"] : undefined;
}

describe("the session is deleted [OR-245]", () => {
  test("while its turns run and wait: each is reported as aborted with its usage, then everything is erased", async () => {
    const isReady = Promise.withResolvers<void>();
    const { reports, ledger } = reporting({}, () => isReady.promise);
    const reached = Promise.withResolvers<void>();
    const wait = tool("wait", () => (reached.resolve(), never()));
    const { session } = await openPlay(
      [["Let me see.", calling("wait"), used]],
      [ledger, plugin("p", { getTools: () => [wait] })],
    );
    const first = await start(session, "go");
    const second = await start(session, "go", { multitask: "enqueue" });
    await reached.promise;
    valueOf(await session.core.destroy(OWNER));
    expect(faultOf(await session.core.describe(OWNER)).code).toBe("not_found");
    expect(filled(session).toSorted()).toEqual(["ended_turns", "turn_reports"]);
    isReady.resolve();
    await session.settled();
    expect(reports).toMatchObject([
      {
        runId: first,
        status: "aborted",
        answer: "Let me see.",
        usage: [{ model: "unlisted", inputTokens: 10, outputTokens: 10 }],
      },
      { runId: second, status: "aborted", answer: "", usage: [] },
    ]);
    expect([filled(session), session.erased]).toEqual([[], 1]);
  });

  test("and the process is lost before the reports: the alarm sends them", async () => {
    const { reports, ledger } = reporting({}, (calls) => (calls === 1 ? never() : undefined));
    const { session } = await openPlay([["Hi."]], [ledger]);
    const runId = await start(session, "go");
    await expect.poll(() => reports.length).toBe(1);
    valueOf(await session.core.destroy(OWNER));
    session.restart();
    expect(session.core.nextWatch()).toBeDefined();
    session.clock.advance(FIRST_REPORT_PAUSE_MS);
    session.core.watch();
    await session.settled();
    expect(reports.map((each) => each.runId)).toEqual([runId, runId]);
    expect([filled(session), session.erased]).toEqual([[], 1]);
  });

  test("without such a plugin: it is erased at once", async () => {
    const { session } = await openPlay([["Hi."]], [plugin("p", {})]);
    await say(session, "go");
    valueOf(await session.core.destroy(OWNER));
    expect(session.database.prepare("SELECT name FROM sqlite_master WHERE name = 'runs'").get()).toBeUndefined();
  });
});

test("usage is counted by model: the main agent's, a model that middleware selects, a sub-agent's, and across a kill [OR-247]", async () => {
  const { reports, ledger } = reporting();
  const reached = Promise.withResolvers<void>();
  let isFirst = true;
  const hang = {
    ...tool("hang", () => {
      if (!isFirst) return "done";
      isFirst = false;
      reached.resolve();
      return never();
    }),
    effect: "read" as const,
  };
  const helper = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: false, model: "large" };
  const parts = plugin("p", {
    getTools: () => [hang],
    getSubAgents: () => [helper],
    getMiddlewares: () => [
      {
        name: "m",
        wrapModelCall: (request, next, { request: { message } }) =>
          next(request.messages.length > 3 && message === "go" ? { ...request, model: "small" } : request),
      },
    ],
  });
  const model = createScriptedModel();
  model.plays(
    [calling("call_helper", { task: "x" }), used],
    ["Helped.", used],
    [calling("hang"), used],
    ["Done.", used],
  );
  const row = (id: string) => ({ id, isDefault: id === "default", vision: false, pricing: {} });
  const models = {
    ...chatModels(model),
    rows: ["default", "large", "small"].map(row) as never,
    defaultModelId: "default",
  };
  const session = await startSession({ settings: { models, plugins: [ledger, parts] } });
  const runId = await start(session, "go");
  await reached.promise;
  session.restart();
  await follow(session, runId);
  await session.settled();
  const usage = Object.fromEntries((reports[0]?.usage ?? []).map(({ model: id, ...tokens }) => [id, tokens]));
  expect(usage).toEqual({
    default: { inputTokens: 20, outputTokens: 20 },
    large: { inputTokens: 10, outputTokens: 10 },
    small: { inputTokens: 10, outputTokens: 10 },
  });
});
