/**
 * Credits on a real server: concurrent messages, turns that end in every way, the subscription service and the receiver of claims,
 * and a server that is killed.
 */
import { beforeAll, expect, test } from "vitest";
import { startClaimsReceiver, type ClaimsReceiver } from "../support/peers/claims-receiver.ts";
import { startSubscriptionService, type SubscriptionService } from "../support/peers/subscription-service.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { mintDelegation, mintInvocation, signer } from "../support/auth/ucan.ts";

const SECRET = "the operator's own secret";
const MODELS = JSON.stringify([{ id: "local", pricing: { inputPerMillion: 0.1, outputPerMillion: 0.5 } }]);
const variables = {
  CREDITS_ENABLED: "true",
  CRON_SECRET: SECRET,
  MODELS,
  ORACLE_RATE_LIMIT_PER_MINUTE: "100000",
  // 200 turns of one user begin at once, and the hold of each pays its longest answer.
  ORACLE_USER_RUNNING_TURNS: "0",
  ORACLE_USER_TOKENS_PER_DAY: "0",
  ORACLE_MAX_OUTPUT_TOKENS: "4096",
};

let server: RunningServer;
let receiver: ClaimsReceiver;
const started = disposeAfterTests();
beforeAll(async () => {
  receiver = await startClaimsReceiver();
  started({ dispose: () => receiver.stop() });
  server = started(await startRunningServer({ ...variables, ...receiver.variables }));
});

interface Claim {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
}

async function userOf(seed: number, url = server.url, capabilities?: Parameters<typeof mintDelegation>[3]) {
  const key = await signer(seed);
  const { id: oracle } = await (await fetch(`${url}/.well-known/did.json`)).json<{ id: string }>();
  const expiration = Math.floor(Date.now() / 1000) + 3_600;
  const headers: Record<string, string> = {
    Authorization: `Bearer ${await mintInvocation(key, oracle, expiration)}`,
    "X-Auth-Type": "ucan",
    "Content-Type": "application/json",
    ...(capabilities === undefined
      ? {}
      : { "x-ucan-delegation": await mintDelegation(key, oracle, expiration, capabilities) }),
  };
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const read = async <Body>(path: string) => (await call("GET", path)).json<Body>();
  const newSession = async () => (await (await call("POST", "/sessions")).json<{ sessionId: string }>()).sessionId;

  async function claims(): Promise<readonly Claim[]> {
    const all: Claim[] = [];
    let next: string | undefined;
    do {
      const cursor = next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`;
      const page = await read<{ claims: Claim[]; next?: string }>(`/claims?limit=100${cursor}`);
      all.push(...page.claims);
      next = page.next;
    } while (next !== undefined);
    return all;
  }

  return {
    did: key.did(),
    call,
    newSession,
    claims,
    credits: () => read<{ balance: number; held: number }>("/credits"),
    say: async (message: string, sessionId?: string) =>
      call("POST", `/messages/${sessionId ?? (await newSession())}`, { message, stream: true }),
    /** All turns with this many claims are settled: nothing is on hold, and the balance has fallen by the claimed sum. */
    async settled(granted: number, count: number) {
      await expect.poll(async () => (await claims()).length, { interval: 200 }).toBe(count);
      const claimed = (await claims()).reduce((sum, { amount }) => sum + Math.round(amount * 1e6), 0);
      const { balance, held } = await read<{ balance: number; held: number }>("/credits");
      expect({ held, sum: Math.round(balance * 1e6) + claimed }).toEqual({ held: 0, sum: granted * 1e6 });
      return claimed;
    },
  };
}

function operate(path: string, body?: object, url = server.url) {
  const headers = { Authorization: `Bearer ${SECRET}` };
  return fetch(`${url}${path}`, {
    method: "POST",
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Waits until the model has sent some text; the rest is not read. */
async function begun(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  let seen = "";
  while (!seen.includes("part 2")) seen += new TextDecoder().decode((await reader?.read())?.value);
}

const grant = (did: string, amount: number) => operate("/credits/grants", { did, amount, key: "first" });

test("of 200 concurrent messages with credits for 50, 50 are answered and 150 refused with 402, with exact sums [OR-336, OR-337, OR-339]", async () => {
  const user = await userOf(201);
  // Ten stay in reserve, and each message holds five.
  await grant(user.did, 260);
  const sessions: string[] = [];
  for (let index = 0; index < 200; index += 1) sessions.push(await user.newSession());
  // Half a minute each: the last message arrives before the first turn ends and frees its unused credits.
  const responses = await Promise.all(sessions.map((sessionId) => user.say("/slow 60 500", sessionId)));
  expect(await user.credits()).toEqual({ balance: 10, held: 250 });
  const refused = responses.filter(({ status }) => status === 402);
  expect(refused).toHaveLength(150);
  for (const response of refused)
    expect(await response.json()).toMatchObject({ code: "payment_required", message: "10 credits or fewer left" });
  const answered = responses.filter(({ status }) => status === 200);
  expect(answered).toHaveLength(50);
  const streams = await Promise.all(answered.map((response) => response.text()));
  expect(streams.filter((stream) => stream.includes("part 60"))).toHaveLength(50);
  expect(await user.settled(260, 50)).toBeGreaterThan(0);
});

test("a turn is settled once however it ends: answered, failed, aborted, interrupted, its session deleted [OR-339]", async () => {
  const user = await userOf(202);
  await grant(user.did, 1_000);
  await (await user.say("hello")).text();
  await (await user.say("/fail server")).text();
  const aborted = await user.newSession();
  await begun(await user.say("/slow 100 100", aborted));
  await user.call("POST", "/messages/abort", { sessionId: aborted });
  const interrupted = await user.newSession();
  await begun(await user.say("/slow 100 100", interrupted));
  await (await user.say("hello", interrupted)).text();
  const deleted = await user.newSession();
  await begun(await user.say("/slow 100 100", deleted));
  await user.call("DELETE", `/sessions/${deleted}`);
  expect(await user.settled(1_000, 6)).toBeGreaterThan(0);
});

test("after a kill during an answer, the turn continues after the restart and is charged once [OR-339]", async () => {
  const user = await userOf(203);
  await grant(user.did, 100);
  // Longer than a start of the server takes: its credits are on hold until it ends.
  await begun(await user.say("/slow 120 100"));
  await server.kill();
  await server.startAgain();
  expect((await user.credits()).held).toBeGreaterThan(0);
  expect(await user.settled(100, 1)).toBeGreaterThan(0);
});

test("claims reach a receiver that refuses, is slow and loses answers, each once by its key [OR-352, OR-353, OR-354]", async () => {
  // No older claims may be left, since they would be sent first; then the receiver accepts and its answers are lost.
  await expect
    .poll(async () => (await (await operate("/cron/claims")).json<{ remaining: number }>()).remaining, {
      interval: 500,
    })
    .toBe(0);
  receiver.mode = "taken-and-lost";
  const user = await userOf(204);
  await grant(user.did, 100);
  for (let index = 0; index < 3; index += 1) await (await user.say("hello")).text();
  await user.settled(100, 3);
  expect((await fetch(`${server.url}/cron/claims`, { method: "POST" })).status).toBe(401);

  // The server dies when the receiver has accepted them and has not answered.
  const batch = operate("/cron/claims").catch(() => undefined);
  await expect.poll(() => [...receiver.claims.values()].filter(({ payer }) => payer === user.did).length).toBe(3);
  await server.kill();
  await batch;
  await server.startAgain();
  receiver.mode = "takes";
  receiver.delayMs = 300;
  // After their lease, by the minute's schedule or by this call.
  await expect
    .poll(
      async () => {
        await operate("/cron/claims");
        return (await user.claims()).map(({ status }) => status);
      },
      { interval: 2_000 },
    )
    .toEqual(Array(3).fill("submitted"));
  const own = receiver.requests.filter(({ payer }) => payer === user.did);
  expect(own.length).toBeGreaterThan(3);
  expect(new Set(own.map(({ key }) => key)).size).toBe(3);
  const sent = [...receiver.claims.values()].filter(({ payer }) => payer === user.did);
  const amounts = new Map(sent.map(({ key, amount }) => [key, amount]));
  expect(amounts).toEqual(new Map((await user.claims()).toReversed().map(({ id, amount }) => [id, amount])));

  const [one, ...others] = (await user.claims()).map(({ id }) => id);
  expect(
    (await operate("/cron/claims", { settled: [one], credits: { did: user.did, amount: 7, key: "k" } })).status,
  ).toBe(200);
  expect((await user.claims()).filter(({ status }) => status === "settled")).toHaveLength(1);
  const broke = await userOf(205);
  expect(await (await broke.say("hello")).json()).toMatchObject({ claims: [], outstandingClaims: [] });
  expect((await operate("/cron/claims", { settled: ["x"] })).status).toBe(400);
  expect(others).toHaveLength(2);
});

test("the subscription service decides with the ledger: active, inactive, missing, low, broken and silent [OR-345, OR-346]", async () => {
  const service: SubscriptionService = await startSubscriptionService();
  started({ dispose: () => service.stop() });
  const remote = started(await startRunningServer({ ...variables, CREDITS_BACKEND: "remote", ...service.variables }));
  const permits = [{ can: "subscriptions/read", with: "ixo:subscriptions" }];
  const asked = async (seed: number, answer: SubscriptionService["answer"]) => {
    service.answer = answer;
    const user = await userOf(seed, remote.url, permits);
    const response = await user.say("hello");
    const text = await response.text();
    return response.status === 200 ? 200 : (JSON.parse(text) as { message: string }).message;
  };
  expect(await asked(211, { status: "active", totalCredits: 100 })).toBe(200);
  expect(service.payers).toEqual([(await signer(211)).did()]);
  expect(await asked(212, { status: "inactive", totalCredits: 100 })).toBe("The subscription is not active");
  expect(await asked(213, "none")).toBe("No subscription for this account");
  expect(await asked(214, { status: "active", totalCredits: 10 })).toBe("10 credits or fewer left");
  expect(await asked(215, { status: 500 })).toBe("The subscription could not be checked");
  expect(await asked(216, { silentMs: 60_000 })).toBe("The subscription could not be checked");
  const silent = await userOf(217, remote.url);
  expect(await (await silent.say("hello")).json()).toMatchObject({ message: "The subscription could not be checked" });
  expect(service.refused).toBe(0);
  // Its turns are not reported yet, so the service's balance does not include them.
  const payer = await userOf(211, remote.url, permits);
  await expect.poll(async () => (await payer.claims()).length, { interval: 200 }).toBe(1);
  const [claim] = await payer.claims();
  expect(await payer.credits()).toEqual({ balance: 100 - (claim?.amount ?? 0), held: 0 });
  expect((await operate("/credits/grants", { did: payer.did, amount: 1, key: "k" }, remote.url)).status).toBe(404);
});
