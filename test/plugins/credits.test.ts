/** The plugin credits over real objects: the gate before a turn, the operator's grants, what a payer sees. */
import { expect, test } from "vitest";
import { claims } from "../../workers/oracle/plugins/claims/plugin.ts";
import { credits } from "../../workers/oracle/plugins/credits/plugin.ts";
import { testOracle, type TestOracle } from "../../workers/oracle/testing/index.ts";

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

test("credits are off unless they are asked for, and where there is no binding; claims need them and a secret [OR-335]", async () => {
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
])("a wrong setting lets no message in: %j [OR-335]", async (wrong) => {
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

test("a grant is made once per key, by who has the secret; amounts are bounded and exact [OR-341]", async () => {
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

test("messages at the same time hold different credits: as many are answered as there is credit for [OR-336]", async () => {
  const oracle = await testOracle({ plugins: [credits], env: { ...on, CREDITS_INITIAL: "25" } });
  const sessions = await Promise.all(Array.from({ length: 8 }, () => oracle.anotherSession()));
  const turns = await Promise.all(sessions.map((session) => session.say("hello")));
  expect(turns.map(({ status }) => status).toSorted()).toEqual([
    ...Array(3).fill("finished"),
    ...Array(5).fill("refused"),
  ]);
});
