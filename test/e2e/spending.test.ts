/**
 * A model that costs money, with users who stop, delete and flood, a service that fails after it has billed, and a server that is
 * killed: the bill exceeds a limit by one request at most. The limits are a user's, the whole oracle's, and a balance of credits.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { startBillingModel, type Behaviour, type BillingModel } from "../support/oracle/billing-service.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { mintInvocation, signer } from "../support/auth/ucan.ts";

/** Tokens per day. */
const OF_USER = 60_000;
const OF_ALL = 240_000;
/** Together they may use more than the limit of all users. */
const USERS = 6;
/** Each user may have 10 turns at once. */
const SESSIONS_OF_A_USER = 10;
/** About 3,000 tokens of a question. */
const LONG = "some words of a long question ".repeat(400);
const SECRET = "the operator's own secret";

/** A limit is used up, or its rest is reserved, for example for a lost title. */
const OUT_OF_TOKENS = ["daily_token_limit", "daily_tokens_reserved", "daily_budget_exhausted", "daily_budget_reserved"];

const started = disposeAfterTests();

interface Place {
  readonly model: BillingModel;
  readonly server: RunningServer;
}

async function start(variables: Readonly<Record<string, string>>): Promise<Place> {
  const model = await startBillingModel();
  started({ dispose: () => model.close() });
  const server = started(
    await startRunningServer({
      LLM_PROVIDER: "openai-compatible",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-of-the-test",
      DEFAULT_MODEL: "m",
      LLM_MAX_RETRIES: "1",
      ORACLE_MAX_OUTPUT_TOKENS: "512",
      ORACLE_RATE_LIMIT_PER_MINUTE: "100000",
      ORACLE_SESSIONS_PER_USER: "0",
      ...variables,
    }),
  );
  return { model, server };
}

async function userOf({ server: { url } }: Place, seed: number) {
  const key = await signer(seed);
  const { id: oracle } = await (await fetch(`${url}/.well-known/did.json`)).json<{ id: string }>();
  const token = await mintInvocation(key, oracle, Math.floor(Date.now() / 1000) + 3_600);
  const headers = {
    Authorization: `Bearer ${token}`,
    "X-Auth-Type": "ucan",
    "Content-Type": "application/json",
  };
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return {
    did: key.did(),
    call,
    open: async () => (await (await call("POST", "/sessions")).json<{ sessionId: string }>()).sessionId,
    say: (sessionId: string, message: string) =>
      call("POST", `/messages/${sessionId}`, { message: `${message} ${LONG}`, stream: true }),
    abort: (sessionId: string) => call("POST", "/messages/abort", { sessionId }),
    remove: (sessionId: string) => call("DELETE", `/sessions/${sessionId}`),
  };
}

type User = Awaited<ReturnType<typeof userOf>>;

/** How the service answers, and how the user ends the turn. */
const WAYS: readonly { readonly model: Behaviour; readonly end?: "stop" | "interrupt" | "delete" }[] = [
  { model: "answers" },
  { model: "hangs", end: "stop" },
  { model: "silent", end: "interrupt" },
  { model: "silent", end: "delete" },
  { model: "breaks" },
  { model: "answers", end: "stop" },
  { model: "hangs", end: "delete" },
  { model: "gateway" },
  { model: "untitled" },
  { model: "silent", end: "stop" },
];

/** One turn in a separate session. Returns the code of its refusal; undefined when it was accepted. */
async function play({ model }: Place, user: User, way: number): Promise<string | undefined> {
  const { model: behaviour, end } = WAYS[way % WAYS.length] ?? { model: "answers" };
  const sessionId = await user.open();
  const response = await user.say(sessionId, `${sessionId} model ${behaviour}`);
  if (response.status !== 200) return (await response.json<{ code: string }>()).code;
  const ended = response.text();
  // A turn without any tokens left ends without a request.
  if (end !== undefined) await Promise.race([model.asked(sessionId), ended]);
  if (end === "stop") await user.abort(sessionId);
  if (end === "delete") await user.remove(sessionId);
  if (end === "interrupt") {
    const next = await user.say(sessionId, "model answers");
    await next.text();
    if (next.status !== 200) await user.abort(sessionId);
  }
  await ended;
  return undefined;
}

/** More rounds than any limit of these tests lasts; the duration of a round depends on the machine. */
const ROUNDS = 100;

/** Runs all of these users concurrently, each in separate sessions, until every one is refused for one of these reasons. */
async function crowd(place: Place, users: readonly User[], reasons: readonly string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = users.flatMap((user) =>
      Array.from({ length: SESSIONS_OF_A_USER }, (_, way) => play(place, user, way)),
    );
    const refusals = await Promise.all(turns);
    if (refusals.every((refusal) => refusal !== undefined && reasons.includes(refusal))) return;
  }
  throw new Error(`after ${ROUNDS} rounds there is still something to spend`);
}

/** This many of the user's requests are unanswered at the service when the server is killed. The turns are stopped afterwards. */
async function killedInMidCall({ model, server }: Place, user: User, count: number): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: count }, () => user.open()));
  const responses = await Promise.all(sessions.map((sessionId) => user.say(sessionId, `${sessionId} model silent`)));
  expect(responses.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  await Promise.all(sessions.map((sessionId) => model.asked(sessionId)));
  await server.kill();
  await Promise.allSettled(responses.map((response) => response.text()));
  await server.startAgain();
  await Promise.all(sessions.map((sessionId) => user.abort(sessionId)));
}

describe("the bill is at most the limit and one request", () => {
  describe("of a day", () => {
    let place: Place;
    let users: readonly User[];
    beforeAll(async () => {
      place = await start({
        ORACLE_USER_TOKENS_PER_DAY: String(OF_USER),
        ORACLE_TOTAL_TOKENS_PER_DAY: String(OF_ALL),
      });
      users = await Promise.all(Array.from({ length: USERS }, (_, index) => userOf(place, 300 + index)));
    });

    test("of one user, who stops, deletes and floods, with a kill during calls [OR-450, OR-451, OR-452, OR-453, OR-550]", async () => {
      const { model } = place;
      const [first] = users;
      if (first === undefined) throw new Error("no user");
      await killedInMidCall(place, first, 3);
      await crowd(place, [first], OUT_OF_TOKENS);
      expect(model.billed()).toBeGreaterThan(OF_USER / 2);
      expect(model.billed()).toBeLessThanOrEqual(OF_USER + model.dearest());
    });

    test("of the whole oracle, whose users may use more together, titles included [OR-453, OR-459]", async () => {
      const { model } = place;
      await crowd(place, users.slice(1), OUT_OF_TOKENS);
      expect(model.billed()).toBeGreaterThan(OF_ALL / 2);
      expect(model.billed()).toBeLessThanOrEqual(OF_ALL + model.dearest());
    });

    test("and each request had a maximum answer length [OR-454]", () => {
      expect(place.model.unbounded()).toBe(0);
    });
  });

  test("of a balance of credits [OR-336, OR-338, OR-339, OR-460, OR-605]", async () => {
    /** Credits; a token costs 0.01 of them. */
    const granted = 1_000;
    const tokensPaid = granted * 100;
    const place = await start({
      CREDITS_ENABLED: "true",
      CRON_SECRET: SECRET,
      CREDITS_PER_USD: "10000",
      CREDITS_MARKUP: "1",
      // More than a prompt and the shortest answer cost, so that the last message is refused.
      CREDITS_MINIMUM: "100",
      MODELS: JSON.stringify([{ id: "m", pricing: { inputPerMillion: 1, outputPerMillion: 1 } }]),
    });
    const { model, server } = place;
    const user = await userOf(place, 400);
    const answer = await fetch(`${server.url}/credits/grants`, {
      method: "POST",
      headers: { Authorization: `Bearer ${SECRET}` },
      body: JSON.stringify({ did: user.did, amount: granted, key: "first" }),
    });
    expect(answer.status).toBe(200);
    await killedInMidCall(place, user, 3);
    await crowd(place, [user], ["payment_required"]);
    expect(model.billed()).toBeGreaterThan(tokensPaid / 2);
    expect(model.billedForTitles()).toBeGreaterThan(0);
    expect(model.billed()).toBeLessThanOrEqual(tokensPaid + model.dearest());
    expect(model.unbounded()).toBe(0);
  });
});
