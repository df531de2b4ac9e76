/** Rules that depend on a client's capabilities and on whether its user is one person, never on the client's name. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, received, start } from "../../test/support/oracle/lost-runs.ts";
import { calling, openPlay, playTurn, say } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import type { RequestContext } from "../../oracle/framework/context.ts";
import type { EndedTurn } from "../../oracle/framework/ended-turn.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import type { RunRequest } from "../../oracle/run-request.ts";

const CHANNEL: Partial<RunRequest> = {
  capabilities: { approve: false, openLinks: false, page: false },
  endsQuestions: true,
  multitask: "enqueue",
};
const ASKING: Partial<RunRequest> = {
  ...CHANNEL,
  capabilities: { approve: true, openLinks: false, page: false },
};
const pay: Beat = { call: "pay", input: { amount: 5 } };

/** A plugin whose tool `pay` needs approval, and the payments that it made. */
function bank() {
  const paid: unknown[] = [];
  const declared = { ...tool("pay", (args) => (paid.push(args), "paid")), needsApproval: true };
  return { paid, plugins: [plugin("bank", { getTools: () => [declared] })] };
}

/** The result of its last tool call that the model received. */
function lastOutput(asked: readonly { readonly prompt: readonly { readonly content: unknown }[] }[], at = -1): unknown {
  const [part] = (asked.at(at)?.prompt.at(-1)?.content ?? []) as { output?: { value?: unknown } }[];
  return part?.output?.value;
}

async function secondAnswer(session: SessionInNode, change: Partial<RunRequest>): Promise<string> {
  const { runId } = valueOf(await session.core.acceptRun(OWNER, turn("anything else", change)));
  const frames = await follow(session, runId);
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  return frames.flatMap(({ event, data }) => (event === "message" ? [String(data["content"])] : [])).join("");
}

describe("a client whose user cannot approve [OR-476]", () => {
  test("has the call denied at once, with a message that says where to ask", async () => {
    const { paid, plugins } = bank();
    const { model, session, done, frames } = await playTurn([[pay], ["Ask on the web."]], plugins, CHANNEL);
    expect(done).toMatchObject({ status: "finished" });
    expect(lastOutput(model.asked)).toBe(
      "pay was not run: it needs the user's approval, which they cannot give here. Tell them to ask for this in the web application.",
    );
    expect(paid).toEqual([]);
    expect(frames.filter(({ event }) => event === "action_call")).toEqual([]);
    expect(session.database.prepare("SELECT id FROM approvals").all()).toEqual([]);
  });

  test("can still make a call whose rule needs no approval", async () => {
    const paid: unknown[] = [];
    const declared = { ...tool("pay", (args) => (paid.push(args), "paid")), needsApproval: () => false };
    await playTurn([[pay], ["Done."]], [plugin("bank", { getTools: () => [declared] })], CHANNEL);
    expect(paid).toEqual([{ amount: 5 }]);
  });

  test("is asked as before if the request comes from an earlier version, without capabilities", async () => {
    const { plugins, paid } = bank();
    const { session } = await openPlay([[pay], ["Done."]], plugins);
    const runId = await start(session, "pay");
    await received(session, runId, ({ event }) => event === "action_call");
    const id = String(session.database.prepare("SELECT id FROM approvals").get()?.["id"]);
    valueOf(await session.core.decideApproval(OWNER, runId, id, true));
    await follow(session, runId);
    expect(paid).toHaveLength(1);
  });
});

describe("a message of a channel ends open questions [OR-477]", () => {
  test.each(["in the same process", "after the loss of the process"])("%s, and is answered", async (where) => {
    const { paid, plugins } = bank();
    const { model, session } = await openPlay([[pay], ["Not paid."], ["Yes?"]], plugins);
    const { runId } = valueOf(await session.core.acceptRun(OWNER, turn("pay", ASKING)));
    await received(session, runId, ({ event }) => event === "action_call");
    if (where !== "in the same process") session.restart();
    expect(await secondAnswer(session, ASKING)).toBe("Yes?");
    expect(lastOutput(model.asked, 1)).toBe(
      "pay was not run: it was not approved: the user wrote another message instead",
    );
    const questions = (await follow(session, runId)).filter(({ event }) => event === "action_call");
    expect(questions.map(({ data }) => data["status"])).toEqual(["isRunning", "error"]);
    expect(paid).toEqual([]);
  });

  test("prevents a question that would begin while the message waits", async () => {
    const gate = createGate();
    const { paid, plugins } = bank();
    const { model, session } = await openPlay([[{ wait: gate }, pay], ["Not paid."], ["Yes?"]], plugins);
    valueOf(await session.core.acceptRun(OWNER, turn("pay", ASKING)));
    await model.whenAsked(1);
    const second = secondAnswer(session, ASKING);
    await expect.poll(() => session.database.prepare("SELECT ordinal FROM runs").all()).toHaveLength(2);
    gate.open();
    expect(await second).toBe("Yes?");
    expect(session.database.prepare("SELECT id FROM approvals").all()).toEqual([]);
    expect(paid).toEqual([]);
  });

  test("a message of the web that chooses to wait leaves the question open", async () => {
    const { paid, plugins } = bank();
    const { session } = await openPlay([[pay], ["Paid."], ["Yes?"]], plugins);
    const runId = await start(session, "pay");
    await received(session, runId, ({ event }) => event === "action_call");
    const second = valueOf(await session.core.acceptRun(OWNER, turn("then", { multitask: "enqueue" })));
    const id = String(session.database.prepare("SELECT id FROM approvals").get()?.["id"]);
    valueOf(await session.core.decideApproval(OWNER, runId, id, true));
    await follow(session, second.runId);
    expect(paid).toHaveLength(1);
  });
});

describe("a client without a page [OR-478]", () => {
  test("is not offered the tools of its request, and shows no question of a plugin", async () => {
    const outcome = Promise.withResolvers<string>();
    const ask = tool("ask", async (_args, ctx) => {
      await ctx.askUser("form", {}, { timeoutMs: 60_000 }).then(
        () => outcome.resolve("asked"),
        (thrown: unknown) => outcome.resolve((thrown as Error).message),
      );
      return "done";
    });
    const tools = [{ name: "scroll", description: "scrolls", schema: { type: "object" } }];
    const plugins = [plugin("p", { getTools: () => [ask] }), portal, agui];
    const { model } = await playTurn([[calling("ask")], ["Done."]], plugins, { ...CHANNEL, tools, agActions: tools });
    expect(await outcome.promise).toBe("The client has no page that shows questions");
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["ask"]);
  });
});

test("the prompt states the longest answer that a client can show [OR-475]", async () => {
  const capabilities = { approve: false, openLinks: false, page: false, longestAnswer: 400 };
  const { prompts } = await playTurn([["Hi."]], [], { capabilities });
  expect(prompts[0]).toContain("- The user can be shown at most 400 characters.");
});

describe("a shared place, whose speaker pays [OR-479]", () => {
  const SPEAKER = "did:slack:T1:U2";
  const shared: Partial<RunRequest> = { ...CHANNEL, isShared: true, payer: SPEAKER };

  test("gives plugins the payer and the fact that nothing is personal, before, in and after the turn", async () => {
    const seen: unknown[] = [];
    const note = ({ user }: Pick<RequestContext, "user">): void =>
      void seen.push([user.did, user.isPersonal, user.payer]);
    const watching: PluginDefinition = plugin("watching", {
      async getRequestAdmission(ctx) {
        note(ctx);
        return { ok: true, value: null };
      },
      getTools(ctx) {
        note(ctx);
        return [];
      },
      async afterTurn(ended: EndedTurn, { user }) {
        seen.push([user.did, ended.payer, user.payer]);
      },
    });
    const { prompts } = await playTurn([["Hi."]], [watching], shared);
    expect(seen).toEqual([
      [OWNER, false, SPEAKER],
      [OWNER, false, SPEAKER],
      [OWNER, SPEAKER, SPEAKER],
    ]);
    expect(prompts[0]).toContain("- Several people speak in this conversation; all of them read your answers.");
  });

  test("reports usage for the speaker, even from a process that did not run the turn", async () => {
    const { session } = await openPlay([["Hi."], ["Hi."]], []);
    await say(session, "hello", shared);
    const before = session.touches.flatMap(({ spent = [] }) => spent);
    expect(before.map(({ payer }) => payer)).toEqual(before.map(() => SPEAKER));
    expect(before).not.toEqual([]);
    session.database.exec("UPDATE runs SET unreported = 1");
    session.restart();
    session.core.watch();
    await session.settled();
    const after = session.touches.flatMap(({ spent = [] }) => spent);
    expect(after.length).toBeGreaterThan(before.length);
    expect(after.at(-1)).toMatchObject({ payer: SPEAKER });
    await say(session, "hello");
    expect(session.touches.flatMap(({ spent = [] }) => spent).at(-1)).not.toHaveProperty("payer");
  });
});
