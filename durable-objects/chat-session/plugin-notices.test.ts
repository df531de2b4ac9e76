/** Notices of a plugin next to the answer, and its work at the end of a turn. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER } from "../../test/support/oracle/chat-turns.ts";
import { follow, received, start } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { RuntimeContext } from "../../oracle/framework/context.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { NOTICE_SIZE, NOTICES_PER_RUN } from "../../oracle/runs/active-run.ts";

const pay: Beat = { call: "pay", input: {} };

async function open(steps: readonly (readonly Beat[])[], parts: Partial<PluginDefinition>) {
  const model = createScriptedModel();
  model.plays(...steps);
  const settings = { models: chatModels(model), plugins: [plugin("bank", parts)] };
  return { model, session: await startSession({ settings }) };
}

const notices = async (session: Awaited<ReturnType<typeof open>>["session"], runId: string) =>
  (await follow(session, runId)).filter(({ event }) => event === "error").map(({ data }) => data["error"]);

describe("a notice [OR-182]", () => {
  const asks = (ctx: Pick<RuntimeContext, "notice">, text: string) => ctx.notice(text, "bank_note");

  test("is sent once, even after a restart", async () => {
    const pays = tool("pay", (_, ctx) => asks(ctx, "Paid."));
    const { session } = await open([[pay], ["Done."]], {
      getTools(ctx) {
        asks(ctx, "You may be asked.");
        return [{ ...pays, needsApproval: true }];
      },
    });
    const runId = await start(session, "pay");
    await received(session, runId, ({ event }) => event === "action_call");
    session.restart();
    const id = String(session.database.prepare("SELECT id FROM approvals").get()?.["id"]);
    await session.core.decideApproval(OWNER, runId, id, true);
    expect(await notices(session, runId)).toEqual(["You may be asked.", "Paid."]);
  });

  test("of failing middleware is sent once, even after a restart", async () => {
    const gate = createGate();
    const { model, session } = await open([[{ wait: gate }], ["Done."]], {
      getMiddlewares: () => [{ name: "bad", beforeModel: () => Promise.reject(new Error("broken")) }],
    });
    const runId = await start(session, "go");
    await model.whenAsked(1);
    session.restart();
    expect(await notices(session, runId)).toEqual(['The extension "bad" failed and was left out of this answer.']);
  });

  test("has at most 500 characters, and a turn has at most 20 of them", async () => {
    expect([NOTICE_SIZE, NOTICES_PER_RUN]).toEqual([500, 20]);
    const { session } = await open([["Done."]], {
      getTools(ctx) {
        for (let index = 10; index < 31; index += 1) asks(ctx, `${index}${"x".repeat(index === 10 ? 499 : 498)}`);
        return [];
      },
    });
    const sent = await notices(session, await start(session, "go"));
    expect(sent.map((text) => String(text).length)).toEqual(Array.from({ length: 20 }, () => 500));
    expect(sent.at(-1)).toMatch(/^29x/);
  });
});

describe("onTurnEnd [OR-183]", () => {
  test("is called at once if it is registered after the turn has ended", async () => {
    const contexts: RuntimeContext[] = [];
    const { session } = await open([["Done."]], {
      getTools(ctx) {
        contexts.push(ctx);
        return [];
      },
    });
    await follow(session, await start(session, "go"));
    const ended: string[] = [];
    contexts[0]?.onTurnEnd(() => void ended.push("called"));
    expect(ended).toEqual(["called"]);
  });

  test("has no owner in a session that is being erased [OR-217]", async () => {
    const owners: unknown[] = [];
    const { model, session } = await open([[{ wait: createGate() }]], {
      getTools(ctx) {
        ctx.onTurnEnd(() => void owners.push(session.core.owner()));
        return [];
      },
    });
    await start(session, "go");
    await model.whenAsked(1);
    await session.core.destroy(OWNER);
    expect(owners).toEqual([undefined]);
  });
});
