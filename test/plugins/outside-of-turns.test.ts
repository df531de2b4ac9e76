/**
 * What plugins can do outside of a turn, inside workerd: routes and schedules with storage, sealing, turns and
 * background work.
 */
import { expect, test } from "vitest";
import { admit, defineOraclePlugin, refuse, route, tool, z } from "../../workers/oracle/index.ts";
import type { OutsideContext, TurnStart } from "../../workers/oracle/index.ts";
import { createGate, scriptedModel, testOracle } from "../../workers/oracle/testing/index.ts";

const manifest = { title: "Shelf", summary: "A shelf.", whenToUse: ["always"], visibility: "always" } as const;

/** A plugin whose one route does what a test wants. */
function shelf(work: (ctx: OutsideContext, did: string) => Promise<unknown>) {
  return defineOraclePlugin({
    name: "shelf",
    version: "1.0.0",
    manifest,
    tools: [
      tool(
        async (_, ctx) => ({
          texts: (await ctx.texts.search("tea")).map(({ id }) => id),
          kv: (await ctx.kv.get("seen")) ?? null,
          shared: (await ctx.oracleKv.get("seen")) ?? null,
          opened: (await ctx.sealing.open(String(await ctx.oracleKv.get("sealed")), "note")) ?? null,
        }),
        { name: "look", description: "Looks", schema: z.object({}), effect: "read" },
      ),
    ],
    getRoutes: () => [
      route({
        method: "POST",
        path: "/shelf",
        async handler(_request, ctx) {
          return Response.json((await work(ctx, ctx.user?.did ?? "")) ?? null);
        },
      }),
    ],
    onSchedule: async (ctx) => {
      await ctx.oracleKv.set("ran", ctx.scheduledTime);
    },
    getHealth: async ({ oracleKv }) => ({ ran: (await oracleKv.get("ran")) ?? null }),
  });
}

function turnFor(did: string, change: Partial<TurnStart> = {}): TurnStart {
  return { did, session: "thread 1", title: "Thread", message: "hello", messageId: "m1", client: "chat", ...change };
}

test("a route and a turn share the plugin's stored and sealed data of the user and of the oracle [OR-269, OR-270]", async () => {
  const plugin = shelf(async (ctx, did) => {
    const { kv, texts } = ctx.storageOf(did);
    await texts.put("t1", "green tea");
    await kv.set("seen", 1);
    await ctx.oracleKv.set("seen", 2);
    await ctx.oracleKv.set("sealed", await ctx.sealing.seal("secret", "note"));
    return (await texts.list()).texts;
  });
  const oracle = await testOracle({ plugins: [plugin] });
  expect(await (await oracle.fetch("/shelf", { method: "POST" })).json()).toMatchObject([{ text: "green tea" }]);
  const { toolCalls } = await oracle.say("/tool look {}");
  expect(toolCalls[0]?.output).toEqual({ texts: ["t1"], kv: 1, shared: 2, opened: "secret" });
  const other = await (await oracle.anotherUser()).say("/tool look {}");
  expect(other.toolCalls[0]?.output).toEqual({ texts: [], kv: null, shared: 2, opened: "secret" });
});

test("a schedule runs with its time; health shows the plugin's report [OR-271, OR-272]", async () => {
  const oracle = await testOracle({ plugins: [shelf(async () => null)] });
  await oracle.schedule(60_000);
  const health = await (await oracle.fetch("/health", { anonymous: true })).json();
  expect(health).toMatchObject({ plugins: { loaded: ["shelf"], health: { shelf: { ran: 60_000 } } } });
});

test("background work continues after the response [OR-270]", async () => {
  const gate = createGate();
  const done = createGate();
  const plugin = shelf(async (ctx) => {
    ctx.background(gate.opened.then(() => ctx.oracleKv.set("ran", 1)).then(() => done.open()));
    ctx.background(Promise.reject(new Error("lost")));
  });
  const oracle = await testOracle({ plugins: [plugin] });
  expect((await oracle.fetch("/shelf", { method: "POST" })).status).toBe(200);
  gate.open();
  await done.opened;
  expect(await (await oracle.fetch("/health", { anonymous: true })).json()).toMatchObject({
    plugins: { health: { shelf: { ran: 1 } } },
  });
});

async function startBy(oracle: Awaited<ReturnType<typeof testOracle>>): Promise<Record<string, unknown>> {
  const response = await oracle.fetch("/shelf", { method: "POST" });
  return response.json();
}

test("a turn runs in its own session, which the user finds; a repeated message is one turn [OR-273]", async () => {
  const clients: string[] = [];
  const plugin = defineOraclePlugin({
    ...shelf(async (ctx, did) => {
      const first = await ctx.turns.start(turnFor(did));
      const again = await ctx.turns.start(turnFor(did));
      const next = await ctx.turns.start(turnFor(did, { messageId: "m2", message: "and you" }));
      const elsewhere = await ctx.turns.start(turnFor(did, { session: "thread 2" }));
      return { first, again, next, elsewhere };
    }),
    getRequestAdmission: ({ session }) => {
      clients.push(session.client);
      return admit();
    },
  });
  const oracle = await testOracle({ plugins: [plugin], model: scriptedModel(["one"], ["two"], ["three"]) });
  const { first, again, next, elsewhere } = (await startBy(oracle)) as Record<string, { ok: boolean; value: Started }>;
  expect(first).toMatchObject({ ok: true, value: { repeated: false } });
  expect(again?.value).toEqual({ ...first?.value, repeated: true });
  expect(next?.value.sessionId).toBe(first?.value.sessionId);
  expect(elsewhere?.value.sessionId).not.toBe(first?.value.sessionId);
  for (const started of [first, next, elsewhere])
    await (await oracle.fetch(`/runs/${started?.value.runId}?after=0`)).text();
  const transcript = await (await oracle.fetch(`/messages/${first?.value.sessionId}`)).json<{ messages: Said[] }>();
  expect(transcript.messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
  expect(transcript.messages.map(({ content }) => content).slice(0, 3)).toEqual(["hello", "one", "and you"]);
  expect(clients).toEqual(["chat", "chat", "chat"]);
  const { sessions } = await (await oracle.fetch("/sessions")).json<{ sessions: { title: string }[] }>();
  expect(sessions.filter(({ title }) => title === "Thread")).toHaveLength(2);
});

interface Started {
  readonly sessionId: string;
  readonly runId: string;
  readonly repeated: boolean;
}
interface Said {
  readonly type: string;
  readonly content: string;
}

test("a plugin's turn with others' words contains foreign text, and one without does not [OR-632]", async () => {
  const held: boolean[] = [];
  const plugin = defineOraclePlugin({
    ...shelf(async (ctx, did) => ({
      own: await ctx.turns.start(turnFor(did)),
      forwarded: await ctx.turns.start(turnFor(did, { messageId: "m2", foreign: true })),
    })),
    getMiddlewares: (ctx) => {
      held.push(ctx.holdsForeignText());
      return [];
    },
  });
  const oracle = await testOracle({ plugins: [plugin], model: scriptedModel(["one"], ["two"]) });
  const started = (await startBy(oracle)) as Record<string, { value: Started }>;
  for (const { value } of Object.values(started)) await (await oracle.fetch(`/runs/${value.runId}?after=0`)).text();
  expect(held).toEqual([false, true]);
});

test("a gate refuses a plugin's turn as it refuses a message [OR-274]", async () => {
  const plugin = defineOraclePlugin({
    ...shelf((ctx, did) => ctx.turns.start(turnFor(did))),
    getRequestAdmission: () => refuse("payment_required", "Please top up"),
  });
  const oracle = await testOracle({ plugins: [plugin] });
  expect(await startBy(oracle)).toEqual({ ok: false, error: { code: "payment_required", message: "Please top up" } });
});

test("the day's limit refuses a plugin's turn, but not a repeated one; a refused turn counts nothing [OR-274]", async () => {
  const plugin = shelf(async (ctx, did) => [
    await ctx.turns.start(turnFor(did, { client: "No" })),
    await ctx.turns.start(turnFor(did)),
    await ctx.turns.start(turnFor(did, { messageId: "m2" })),
    await ctx.turns.start(turnFor(did)),
  ]);
  const oracle = await testOracle({ plugins: [plugin], env: { ORACLE_USER_TURNS_PER_DAY: "1" } });
  expect(await startBy(oracle)).toMatchObject([
    { ok: false, error: { code: "invalid_request" } },
    { ok: true, value: { repeated: false } },
    { ok: false, error: { code: "rate_limited", reason: "daily_turn_limit" } },
    { ok: true, value: { repeated: true } },
  ]);
});

/** A plugin with that one route. */
function withRoute(declared: Parameters<typeof route>[0]) {
  return defineOraclePlugin({ name: "seats", version: "1.0.0", manifest, getRoutes: () => [declared] });
}

test("a route refuses in the oracle's error format, with additional members [OR-430]", async () => {
  const handler = () => refuse("conflict", "The seat is taken", { reason: "seat_taken", members: { seat: "4A" } });
  const oracle = await testOracle({ plugins: [withRoute({ method: "GET", path: "/seat", handler })] });
  const refused = await oracle.fetch("/seat");
  expect(refused.status).toBe(409);
  expect(refused.headers.get("Cache-Control")).toBe("no-store");
  expect(await refused.json()).toEqual({
    statusCode: 409,
    message: "The seat is taken",
    error: "Conflict",
    code: "seat_taken",
    retryable: false,
    seat: "4A",
    requestId: refused.headers.get("x-request-id"),
  });
});

test("a route that returns nothing, or admits, is a 500 [OR-430]", async () => {
  for (const answer of [undefined, admit(), { ok: false, error: { code: "none" } }]) {
    const plugin = withRoute({ method: "GET", path: "/seat", handler: () => answer as unknown as Response });
    expect((await (await testOracle({ plugins: [plugin] })).fetch("/seat")).status).toBe(500);
  }
});

test("a route with an operator's secret accepts only requests with it [OR-431]", async () => {
  const plugin = withRoute({
    method: "POST",
    path: "/seats",
    operatorSecret: "the secret of operators",
    body: z.object({ seats: z.int() }),
    handler: (_request, { body, user, kv }) => Response.json({ ...Object(body), known: [user ?? null, kv ?? null] }),
  });
  const oracle = await testOracle({ plugins: [plugin], authExcludedRoutes: [{ path: "/seats" }] });
  const send = (body: string, authorization?: string) =>
    oracle.fetch("/seats", {
      method: "POST",
      anonymous: authorization !== undefined,
      headers: { "Content-Type": "application/json", ...(authorization && { Authorization: authorization }) },
      body,
    });
  for (const authorization of [undefined, "", "Bearer ", "Bearer the secret", "the secret of operators", "Basic x"])
    for (const body of ['{"seats":1}', "{"]) expect((await send(body, authorization)).status).toBe(401);
  expect(await (await send("{", "Bearer wrong")).json()).toMatchObject({ code: "unauthenticated", retryable: false });
  expect((await send("{", "Bearer the secret of operators")).status).toBe(400);
  const answered = await send('{"seats":1}', "bearer the secret of operators");
  expect(await answered.json()).toEqual({ seats: 1, known: [null, null] });
  expect(answered.headers.get("Cache-Control")).toBe("no-store");
});

test("an empty secret of operators opens nothing [OR-431]", async () => {
  const handler = () => Response.json({});
  const oracle = await testOracle({
    plugins: [withRoute({ method: "GET", path: "/seat", operatorSecret: "", handler })],
  });
  for (const Authorization of ["", "Bearer ", "Bearer"])
    expect((await oracle.fetch("/seat", { anonymous: true, headers: { Authorization } })).status).toBe(401);
});
