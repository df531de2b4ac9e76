/** The request context of plugins, which is equal before a message is accepted and in its turn. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { openPlay, say } from "../../test/support/oracle/played-turn.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { admit } from "../../oracle/framework/admission.ts";
import type { RequestContext } from "../../oracle/framework/context.ts";
import { follow, start } from "../../test/support/oracle/lost-runs.ts";

/** Records the context of a plugin at each of the two times. */
function noting<Value>(look: (ctx: RequestContext) => Value | Promise<Value>) {
  const seen: { readonly admission: Awaited<Value>[]; readonly turn: Awaited<Value>[] } = { admission: [], turn: [] };
  const noted = plugin("noting", {
    async getRequestAdmission(ctx) {
      seen.admission.push(await look(ctx));
      return admit();
    },
    async getSharedState(ctx) {
      seen.turn.push(await look(ctx));
      return {};
    },
  });
  return { seen, noted };
}

describe("ctx.session.runId is the turn's, before and in it [OR-238]", () => {
  test.each([{}, { runKey: "b1a2" }])("of a request with %j", async (change) => {
    const { seen, noted } = noting((ctx) => ctx.session.runId);
    const { session } = await openPlay([["Hi."]], [noted]);
    const frames = await say(session, "go", change);
    const runId = frames[0]?.data["runId"];
    expect([seen.admission, seen.turn]).toEqual([[runId], [runId]]);
    expect(runId).toMatch(/^[^.]+\.[^.]+$/);
  });

  test("a message that is sent twice at once is checked once, with the id of its turn", async () => {
    const { seen, noted } = noting((ctx) => ctx.session.runId);
    const { session } = await openPlay([["Hi."]], [noted]);
    const sent = () => session.core.acceptRun(OWNER, turn("go", { clientMessageId: "m-1" }));
    const [one, other] = (await Promise.all([sent(), sent()])).map(valueOf);
    await session.settled();
    expect([one?.runId, other?.runId]).toEqual([...seen.admission, ...seen.admission]);
  });
});

describe("the Matrix token of a request [OR-239]", () => {
  const TOKEN = "syt_of-this-user";

  test("is in ctx.request before and in the turn, is not stored or logged, and belongs to that turn alone", async () => {
    const { seen, noted } = noting((ctx) => ctx.request.matrixAccessToken);
    const { session } = await openPlay([["Hi."], ["Hi again."]], [noted]);
    const started = await session.core.startRun(OWNER, turn("go"), 0, { matrixAccessToken: TOKEN });
    await readFrames(valueOf(started).frames).rest();
    await session.settled();
    await say(session, "again");
    expect(seen).toEqual({ admission: [TOKEN, undefined], turn: [TOKEN, undefined] });
    const tables = session.database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const rows = tables.map(({ name }) => session.database.prepare(`SELECT * FROM ${String(name)}`).all());
    expect(JSON.stringify([rows, session.logged])).not.toContain(TOKEN);
  });

  test("is gone after a restart", async () => {
    const asked = Promise.withResolvers<void>();
    const tokens: unknown[] = [];
    const hanging = plugin("hanging", {
      getSharedState(ctx) {
        tokens.push(ctx.request.matrixAccessToken);
        asked.resolve();
        return tokens.length === 1 ? new Promise<never>(() => undefined) : {};
      },
    });
    const { session } = await openPlay([["Hi."]], [hanging]);
    const started = await session.core.startRun(OWNER, turn("go"), 0, { matrixAccessToken: TOKEN });
    await valueOf(started).frames.cancel();
    await asked.promise;
    session.restart();
    await follow(session, valueOf(started).runId);
    expect(tokens).toEqual([TOKEN, undefined]);
  });
});

describe("the user's delegation before a message is accepted [OR-240]", () => {
  const memory = { can: "memory/*", with: "ixo:memory" };
  const given = (token: string) => ({ token, expiration: null, capabilities: [memory] });

  test("is the request's, otherwise the stored one", async () => {
    const { seen, noted } = noting(async (ctx) => {
      const minted = await ctx.ucan.mintInvocation("https://memory.test", { can: "memory/read", with: "ixo:memory" });
      return [await ctx.ucan.hasCapability("memory/read", "ixo:memory"), minted.ok && minted.value];
    });
    const session = await startSession({
      settings: { plugins: [noted], mint: async (_, __, { token }) => ({ ok: true, value: `by ${token}` }) },
      storedDelegation: given("stored"),
    });
    await say(session, "go", { delegation: given("brought") });
    await say(session, "go");
    expect(seen.admission).toEqual([
      [true, "by brought"],
      [true, "by stored"],
    ]);
    expect(seen.turn).toEqual(seen.admission);
  });

  test("a missing delegation causes no prompt there: the prompt belongs to a turn", async () => {
    let prompts = 0;
    const asking = plugin("asking", {
      async getRequestAdmission(ctx) {
        expect(await ctx.ucan.requireCapability("memory/read", "ixo:memory")).toMatchObject({ ok: false });
        return admit();
      },
    });
    const session = await startSession({
      settings: { plugins: [asking] },
      mayPrompt: async () => (prompts += 1) > 0,
    });
    const frames = await say(session, "go");
    expect([prompts, frames.some(({ event }) => event === "error")]).toEqual([0, false]);
    expect(frames.at(-1)?.data).not.toHaveProperty("delegationRequired");
  });
});

test("ctx.model is the answering model, ctx.modelOf any other; an unknown id selects the default [OR-241]", async () => {
  const row = (id: string, vision: boolean) => ({
    id,
    label: id,
    family: "test",
    tier: "everyday" as const,
    costLabel: "$" as const,
    badge: "Fast" as const,
    blurb: "",
    vision,
    pricing: { inputPerMillion: 1, outputPerMillion: 2, currency: "USD" as const, unit: "per_million_tokens" as const },
    isDefault: id === "small",
  });
  const { seen, noted } = noting(({ model, modelOf }) => [
    model.id,
    model.vision,
    modelOf("large").vision,
    modelOf("no such").id,
  ]);
  const play = await openPlay([["Hi."], ["Hi."]], [noted]);
  const models = {
    ...chatModels(play.model, 8_000),
    rows: [row("small", false), row("large", true)],
    defaultModelId: "small",
  };
  const { session } = await openPlay([], [noted], { models });
  await say(session, "go");
  await say(session, "go", { model: "large" });
  expect(seen.turn).toEqual([
    ["small", false, true, "small"],
    ["large", true, true, "small"],
  ]);
  expect(seen.admission).toEqual(seen.turn);
});

test("an attachment has one id before and in the turn, and another in each turn [OR-248]", async () => {
  const { seen, noted } = noting((ctx) => ctx.request.attachments.map(({ id }) => id));
  const { session } = await openPlay([["Hi."], ["Hi."]], [noted]);
  const file = (filename: string) => ({ filename, mimetype: "text/plain", mxcUri: "mxc://matrix.test/a" });
  await say(session, "go", { attachments: [file("a"), file("b")] });
  await start(session, "go", { attachments: [file("c")] });
  await session.settled();
  expect(seen.admission).toEqual([["a1_1", "a1_2"], ["a2_1"]]);
  expect(seen.turn).toEqual(seen.admission);
});
