/** The plugin credits over real objects: the gate before a turn, the operator's grants, the payer's view. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { HoldRequest } from "../../oracle/plugins/credits/ledger-rpc.ts";
import { admit, refuse } from "../../oracle/framework/admission.ts";
import { claims } from "../../oracle/plugins/claims/plugin.ts";
import { credits } from "../../oracle/plugins/credits/plugin.ts";
import { scriptedModel, testOracle, type TestOracle } from "../../workers/oracle/testing/index.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { plugin } from "../support/plugins/small-plugins.ts";

const SECRET = "an operator's secret";
const on = { CREDITS_ENABLED: "true", CRON_SECRET: SECRET };

function grant(oracle: TestOracle, amount: number, key = "first", secret = SECRET): Promise<Response> {
  return oracle.fetch("/credits/grants", {
    method: "POST",
    anonymous: true,
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ did: oracle.user.did, amount, key }),
  });
}

async function balance(oracle: TestOracle): Promise<unknown> {
  return (await oracle.fetch("/credits")).json();
}

async function loaded(oracle: TestOracle): Promise<unknown> {
  const health = await oracle.fetch("/health", { anonymous: true });
  return (await health.json<{ plugins: { loaded: string[] } }>()).plugins;
}

test("credits are off unless they are enabled and bound; claims require them and a secret [OR-335]", async () => {
  const plugins = [credits, claims];
  const off = await testOracle({ plugins, env: { CRON_SECRET: SECRET } });
  expect(await loaded(off)).toMatchObject({
    loaded: [],
    excluded: [
      { plugin: "credits", reason: "not_configured", missing: ["CREDITS_ENABLED"] },
      { plugin: "claims", reason: "cascaded_off", missing: ["credits"] },
    ],
  });
  expect((await off.say("hello")).text).toBe("You said: hello");
  expect((await off.fetch("/credits")).status).toBe(404);
  const forced = await testOracle({ plugins, features: { credits: true } });
  expect(await loaded(forced)).toMatchObject({ loaded: ["credits"], excluded: [{ plugin: "claims" }] });
  const unbound = await testOracle({ plugins, env: { ...on, CREDIT_LEDGER: undefined } });
  expect(await loaded(unbound)).toMatchObject({ excluded: [{ plugin: "credits", missing: ["CREDIT_LEDGER"] }, {}] });
  expect(await loaded(await testOracle({ plugins, env: on }))).toMatchObject({ loaded: ["credits", "claims"] });
});

test.each([
  { CREDITS_HOLD: "five" },
  { CREDITS_MARKUP: "-1" },
  { CREDITS_BACKEND: "remote" },
  { CREDITS_BACKEND: "none" },
])("a wrong setting refuses every message: %j [OR-335]", async (wrong) => {
  const oracle = await testOracle({ plugins: [credits], env: { ...on, ...wrong } });
  expect(await oracle.say("hello")).toMatchObject({ status: "refused", error: { statusCode: 503 } });
});

test("without credits a message is a 402 before the stream opens, and leaves no trace [OR-336, OR-337]", async () => {
  const oracle = await testOracle({ plugins: [credits], env: on });
  const { status, error } = await oracle.say("hello");
  expect(status).toBe("refused");
  expect(error).toEqual({
    statusCode: 402,
    message: "No subscription for this account",
    error: "Payment Required",
    requestId: expect.any(String) as string,
    claims: [],
    outstandingClaims: [],
    code: "payment_required",
    retryable: false,
  });
  expect(await (await oracle.fetch(`/messages/${oracle.sessionId}`)).json()).toEqual({ messages: [] });
  expect(oracle.modelRequests).toEqual([]);

  await grant(oracle, 10);
  expect((await oracle.say("hello")).error).toMatchObject({ statusCode: 402, message: "10 credits or fewer left" });
  await grant(oracle, 0.000_001, "second");
  expect(await oracle.say("hello")).toMatchObject({ status: "finished", text: "You said: hello" });
});

test("a grant is made once per key, with the secret; amounts are limited and exact [OR-341]", async () => {
  const oracle = await testOracle({ plugins: [credits], env: on });
  expect((await grant(oracle, 12.5, "k", "another secret")).status).toBe(401);
  expect(await (await grant(oracle, 12.5, "k")).json()).toEqual({ granted: true, balance: 12.5 });
  expect(await (await grant(oracle, 12.5, "k")).json()).toEqual({ granted: false, balance: 12.5 });
  expect((await grant(oracle, 13, "k")).status).toBe(409);
  for (const amount of [0, -1, 1_000_001, 0.000_000_5, Number.NaN])
    expect((await grant(oracle, amount, "other")).status).toBe(400);
  expect((await grant(oracle, 1_000_000, "large")).status).toBe(200);
  expect(await balance(oracle)).toEqual({ balance: 1_000_012.5, held: 0 });
  expect((await oracle.fetch("/credits", { anonymous: true })).status).toBe(401);
  const open = await testOracle({ plugins: [credits], env: { CREDITS_ENABLED: "true" } });
  expect((await grant(open, 1)).status).toBe(404);
  const remote = { ...on, CREDITS_BACKEND: "remote", SUBSCRIPTION_URL: "http://localhost:1" };
  expect((await grant(await testOracle({ plugins: [credits], env: remote }), 1)).status).toBe(404);
});

test("concurrent messages hold different credits: as many are answered as there are credits for [OR-336]", async () => {
  const model = createScriptedModel();
  const gate = createGate();
  model.plays(...Array.from({ length: 3 }, () => ["Yes.", { wait: gate }] as const));
  const oracle = await testOracle({ plugins: [credits], model, env: { ...on, CREDITS_INITIAL: "25" } });
  const sessions = await Promise.all(Array.from({ length: 8 }, () => oracle.anotherSession()));
  const ended: string[] = [];
  const turns = sessions.map(async (session) => {
    const { status } = await session.say("hello");
    ended.push(status);
  });
  // No turn ends and frees its credits before all messages were decided.
  await expect.poll(() => ended).toEqual(Array(5).fill("refused"));
  gate.open();
  await Promise.all(turns);
  expect(ended.slice(5)).toEqual(Array(3).fill("finished"));
});

/** At this price per million output tokens, 500 tokens cost 8 credits and the shortest answer costs 4.096. */
const dear = JSON.stringify([{ id: "local", pricing: { outputPerMillion: 10 } }]);

async function claimsOf(oracle: TestOracle): Promise<readonly { readonly amount: number; readonly status: string }[]> {
  const page = await (await oracle.fetch("/claims")).json<{ claims: { amount: number; status: string }[] }>();
  return page.claims;
}

test("a turn whose credits run out ends after the step; its text is kept, and charged once [OR-338, OR-339]", async () => {
  const model = scriptedModel(
    ["Half of it. ", { call: "nothing", input: {} }, { finish: "tool-calls", used: [0, 500] }],
    ["never"],
  );
  const oracle = await testOracle({ plugins: [credits], model, env: { ...on, MODELS: dear, CREDITS_INITIAL: "11" } });
  const turn = await oracle.say("hello");
  expect(turn).toMatchObject({ status: "failed", text: "Half of it. " });
  expect(turn.frames.find(({ event }) => event === "error")?.data).toMatchObject({
    kind: "budget_exhausted",
    limit: "credits",
    code: "budget_exhausted",
    retryable: false,
  });
  expect(oracle.modelRequests).toHaveLength(1);
  await expect.poll(() => claimsOf(oracle)).toMatchObject([{ amount: 8, status: "open" }]);
  expect(await balance(oracle)).toEqual({ balance: 3, held: 0 });
  const { messages } = await (await oracle.fetch(`/messages/${oracle.sessionId}`)).json<{ messages: object[] }>();
  expect(messages).toMatchObject([{ content: "hello" }, { content: "Half of it. " }]);
});

test("an answer is as long as the credits allow; usage beyond them is logged, and the balance stays at zero [OR-460, OR-461]", async () => {
  const model = scriptedModel(["Hi.", { finish: "stop", used: [0, 5_000] }]);
  const oracle = await testOracle({ plugins: [credits], model, env: { ...on, MODELS: dear, CREDITS_INITIAL: "11" } });
  const warned = vi.spyOn(console, "warn");
  await oracle.say("hello");
  await expect.poll(() => claimsOf(oracle)).toMatchObject([{ amount: 11, status: "open" }]);
  // 687 tokens are 10.992 credits.
  expect(oracle.modelRequests).toMatchObject([{ maxOutputTokens: 687 }]);
  expect(await balance(oracle)).toEqual({ balance: 0, held: 0 });
  const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string });
  expect(lines.filter(({ event }) => event === "credits-shortfall")).toMatchObject([
    { level: "warn", cost: 80_000_000, charged: 11_000_000 },
  ]);
  warned.mockRestore();
});

test("an operator's secret has at least 16 characters [OR-463]", async () => {
  const short = await testOracle({ plugins: [credits, claims], env: { ...on, CRON_SECRET: "x".repeat(15) } });
  expect(await short.say("hello")).toMatchObject({ status: "refused", error: { statusCode: 503 } });
  expect(await loaded(short)).toMatchObject({ loaded: ["credits"] });
  const long = await testOracle({ plugins: [credits, claims], env: { ...on, CRON_SECRET: "x".repeat(16) } });
  expect(await loaded(long)).toMatchObject({ loaded: ["credits", "claims"] });
  expect((await grant(long, 1, "k", "x".repeat(16))).status).toBe(200);
});

test("a grant together with a batch of claims requires a key, and is made once for it [OR-464]", async () => {
  const oracle = await testOracle({ plugins: [credits, claims], env: on });
  const send = (order: object) =>
    oracle.fetch("/cron/claims", {
      method: "POST",
      anonymous: true,
      headers: { Authorization: `Bearer ${SECRET}`, "Content-Type": "application/json" },
      body: JSON.stringify({ credits: { did: oracle.user.did, amount: 7, ...order } }),
    });
  expect((await send({})).status).toBe(400);
  expect([(await send({ key: "k" })).status, (await send({ key: "k" })).status]).toEqual([200, 200]);
  expect(await balance(oracle)).toEqual({ balance: 7, held: 0 });
});

test("a turn calls the ledger once before it is accepted, and once for a model that its hold covers [OR-336, OR-338]", async () => {
  const calls: string[] = [];
  const ledgerOf = (did: string) => env.CREDIT_LEDGER.getByName(did);
  const CREDIT_LEDGER = {
    getByName: (did: string) => ({
      hold: (request: HoldRequest) => (calls.push("hold"), ledgerOf(did).hold(request)),
      cover: (runId: string, least: number, most?: number) => (
        calls.push("cover"),
        ledgerOf(did).cover(runId, least, most)
      ),
      settle: (runId: string, cost: number) => (calls.push("settle"), ledgerOf(did).settle(runId, cost)),
    }),
  };
  const oracle = await testOracle({ plugins: [credits], env: { ...on, CREDITS_INITIAL: "100", CREDIT_LEDGER } });
  await oracle.say("hello");
  await expect.poll(() => calls).toEqual(["hold", "cover", "settle"]);
});

test("a killed turn continues, and is charged once; one that a later gate refuses costs nothing [OR-339]", async () => {
  const more = { members: { hint: "another one", statusCode: 200 } };
  const refuses = plugin("refuses", {
    getRequestAdmission: ({ request }) =>
      request.message === "no" ? refuse("forbidden", "not this one", more) : admit(),
  });
  const model = createScriptedModel();
  model.plays(["One ", { wait: createGate() }], ["Two", { finish: "stop", used: [0, 10] }]);
  const settings = { ...on, MODELS: dear, CREDITS_INITIAL: "100" };
  const oracle = await testOracle({ plugins: [credits, refuses], model, env: settings });
  const saying = oracle.say("count");
  await model.whenAsked(1);
  await oracle.kill();
  expect((await saying).status).toBe("finished");
  await expect.poll(() => claimsOf(oracle)).toHaveLength(1);
  const [claim] = await claimsOf(oracle);
  expect(await balance(oracle)).toEqual({ balance: 100 - (claim?.amount ?? 0), held: 0 });
  expect(await oracle.say("no")).toMatchObject({
    status: "refused",
    error: { statusCode: 403, hint: "another one" },
  });
  await expect.poll(() => balance(oracle)).toMatchObject({ held: 0 });
  expect(await claimsOf(oracle)).toHaveLength(1);
});

test("a model without a price costs nothing, and the log names it once [OR-342, OR-343]", async () => {
  const warned = vi.spyOn(console, "warn");
  const MODELS = JSON.stringify([{ id: "free-of-charge" }]);
  const oracle = await testOracle({ plugins: [credits], env: { ...on, MODELS, CREDITS_INITIAL: "50" } });
  await oracle.say("hello");
  await oracle.say("again");
  await expect.poll(() => claimsOf(oracle)).toMatchObject([{ amount: 0 }, { amount: 0 }]);
  expect(await balance(oracle)).toEqual({ balance: 50, held: 0 });
  const lines = warned.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("model-unpriced"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("free-of-charge");
  warned.mockRestore();
});

test("the schedule submits claims; erasing a user leaves the accounts unchanged [OR-348, OR-351]", async () => {
  const oracle = await testOracle({ plugins: [credits, claims], env: { ...on, MODELS: dear, CREDITS_INITIAL: "50" } });
  await oracle.say("hello");
  await expect.poll(() => claimsOf(oracle)).toMatchObject([{ status: "open" }]);
  await oracle.schedule();
  const [claim] = await claimsOf(oracle);
  expect(claim?.status).toBe("submitted");
  await env.USER_VAULT.getByName(oracle.user.did).eraseUser();
  expect(await balance(oracle)).toEqual({ balance: 50 - (claim?.amount ?? 0), held: 0 });
  expect(await claimsOf(oracle)).toEqual([claim]);
});

test("an erased user's settled claims lose their payer; the rest is kept and named [OR-675]", async () => {
  const oracle = await testOracle({ plugins: [credits, claims], env: { ...on, MODELS: dear, CREDITS_INITIAL: "50" } });
  await oracle.say("hello");
  await oracle.say("again");
  await expect.poll(() => claimsOf(oracle)).toHaveLength(2);
  const settled = await env.DATABASE.prepare(
    `UPDATE claims SET status = 'settled' WHERE id = (SELECT MIN(id) FROM claims WHERE payer = ?1) RETURNING id`,
  )
    .bind(oracle.user.did)
    .first<{ readonly id: string }>();
  const response = await oracle.fetch("/me", { method: "DELETE" });
  const { kept } = await response.json<{ kept: readonly object[] }>();
  expect(kept.slice(0, 2)).toMatchObject([
    { what: expect.stringContaining("ledger") },
    { what: "usage claims that are not settled: 1" },
  ]);
  expect(await claimsOf(oracle)).toMatchObject([{ status: "open" }]);
  const row = await env.DATABASE.prepare("SELECT payer, run_id FROM claims WHERE id = ?1").bind(settled?.id).first();
  expect(row).toEqual({ payer: "erased", run_id: "" });
});
