/**
 * The oracle for other surfaces, over real objects: authentication, limits, and that a question is asked once, however
 * often it arrives and whatever is lost meanwhile.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { admit, refuse } from "../../oracle/framework/admission.ts";
import type { OracleAnswer, OraclePort } from "../../platform/ports.ts";
import { createOracleSurface } from "../../workers/oracle/oracle-surface.ts";
import { openOraclePort, QUESTION_LENGTH } from "../../workers/oracle/port.ts";
import { faultOf, valueOf } from "../support/oracle/chat-turns.ts";
import { createEdge, jsonOf, type Edge } from "../support/oracle/oracle-edge.ts";
import { createGate } from "../../workers/oracle/testing/scripted-model.ts";
import { plugin } from "../support/plugins/small-plugins.ts";
import { scriptOracle } from "../support/oracle/scripted-oracle.ts";
import { issue, mintInvocation, signer, tokenOf } from "../support/auth/ucan.ts";
import { newCustomer, newCaller, testAccounts } from "../support/ussd/accounts.ts";
import { createUssdEdge } from "../support/ussd/edge.ts";
import { SCREENS } from "../support/ussd/screens.ts";
import { loseMemory } from "./chat-session/session-under-test.ts";

const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, ORACLE_SIGNING_SEED } = env as typeof env & {
  readonly ORACLE_SIGNING_SEED: string;
};
const bindings = { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, ORACLE_SIGNING_SEED };
const scripted = { CHAT_SESSION: env.SCRIPTED_CHAT_SESSION };

/** Each test has its own key, because limits and sessions belong to the user. */
let lastKey = 120;
let edge: Edge;
beforeAll(async () => {
  edge = await createEdge(bindings);
});

async function invocationOf(key: number, secondsAhead = 300): Promise<string> {
  return mintInvocation(await signer(key), edge.oracleDid, Math.floor(Date.now() / 1000) + secondsAhead);
}

async function newUser() {
  const key = (lastKey += 1);
  return { key, did: (await signer(key)).did(), invocation: await invocationOf(key) };
}

async function clientOver(more: object = {}, answerWaitMs = 5_000): Promise<OraclePort> {
  const complete = { ...bindings, ...more } as unknown as Env;
  const oracle = createOracleSurface({ config: { name: "Test oracle" } });
  const runtime = () => oracle.runtime(complete);
  return valueOf(await openOraclePort({ env: complete, runtime, answerWaitMs })).client;
}

const newJob = (): string => `${crypto.randomUUID().replaceAll("-", "")}-q1.1`;

/** Polls until it has ended, as a phone session does. */
async function ended(client: OraclePort, jobId: string, invocation: string): Promise<OracleAnswer> {
  let answer = valueOf(await client.answer(jobId, invocation));
  for (let looks = 1; answer.state === "running" && looks < 10; looks += 1) {
    answer = valueOf(await client.answer(jobId, invocation));
  }
  return answer;
}

async function phoneSession(key: number) {
  const { sessions } = (await jsonOf(await edge.call("GET", "/sessions", { as: key }))) as {
    sessions: { sessionId: string; title: string }[];
  };
  return sessions;
}

async function questionsOf(key: number): Promise<readonly string[]> {
  const [session] = await phoneSession(key);
  const { messages } = await jsonOf(await edge.call("GET", `/messages/${session?.sessionId}`, { as: key }));
  return (messages as { type: string; content: string }[])
    .filter(({ type }) => type === "human")
    .map(({ content }) => content);
}

test("a question is answered in one listed session of the user, whose id looks like any other [OR-150]", async () => {
  const { key, invocation } = await newUser();
  const client = await clientOver();
  const jobs = [newJob(), newJob()];
  for (const [index, jobId] of jobs.entries()) {
    expect(valueOf(await client.ask({ jobId, invocation, text: `question ${index}` }))).toEqual({ jobId });
    expect(await ended(client, jobId, invocation)).toEqual({ state: "answered", text: `You said: question ${index}` });
  }
  const sessions = await phoneSession(key);
  expect(sessions).toMatchObject([{ title: "Phone questions", oracleName: "Test oracle", oracleDid: edge.oracleDid }]);
  expect(sessions[0]?.sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // The first answer is still there, and repeating the question changes nothing.
  expect(valueOf(await client.ask({ jobId: jobs[0] ?? "", invocation, text: "another text" }))).toEqual({
    jobId: jobs[0],
  });
  expect(await ended(client, jobs[0] ?? "", invocation)).toMatchObject({ text: "You said: question 0" });
  expect(await questionsOf(key)).toEqual(["question 0", "question 1"]);
});

test("eight concurrent copies, of a user who never asked before, are one run [OR-151]", async () => {
  const { key, invocation } = await newUser();
  const client = await clientOver();
  const jobId = newJob();
  const asked = await Promise.all(Array.from({ length: 8 }, () => client.ask({ jobId, invocation, text: "hello" })));
  expect(asked.map(valueOf)).toEqual(Array.from({ length: 8 }, () => ({ jobId })));
  const answers = await Promise.all(Array.from({ length: 8 }, () => ended(client, jobId, invocation)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"state":"answered","text":"You said: hello"}']),
  );
  expect(await questionsOf(key)).toEqual(["hello"]);
  expect(await phoneSession(key)).toHaveLength(1);
});

test("a question that is repeated after the day's limit is reached is not a new one [OR-151]", async () => {
  const { invocation } = await newUser();
  const client = await clientOver({ ORACLE_USER_TURNS_PER_DAY: "1" });
  const jobId = newJob();
  valueOf(await client.ask({ jobId, invocation, text: "hello" }));
  expect(valueOf(await client.ask({ jobId, invocation, text: "hello" }))).toEqual({ jobId });
  expect(faultOf(await client.ask({ jobId: newJob(), invocation, text: "hello" })).code).toBe("rate_limited");
});

test("different concurrent questions each get their own answer [OR-152]", async () => {
  const { invocation } = await newUser();
  const client = await clientOver();
  const jobs = ["a", "b", "c", "d"].map((text) => ({ jobId: newJob(), text }));
  const answers = await Promise.all(
    jobs.map(async ({ jobId, text }) => {
      valueOf(await client.ask({ jobId, invocation, text }));
      return ended(client, jobId, invocation);
    }),
  );
  expect(answers).toEqual(jobs.map(({ text }) => ({ state: "answered", text: `You said: ${text}` })));
});

test("a question continues after every object loses its memory, and is not asked again", async () => {
  const { key, invocation } = await newUser();
  const jobId = newJob();
  valueOf(await (await clientOver()).ask({ jobId, invocation, text: "/slow 20 20" }));
  await loseMemory();
  const client = await clientOver();
  valueOf(await client.ask({ jobId, invocation, text: "/slow 20 20" }));
  expect(await ended(client, jobId, invocation)).toMatchObject({ text: expect.stringMatching(/part 20$/) });
  const [session] = await phoneSession(key);
  await evictDurableObject(env.CHAT_SESSION.getByName(session?.sessionId ?? ""));
  expect(await ended(client, jobId, invocation)).toMatchObject({ state: "answered" });
  expect(await questionsOf(key)).toEqual(["/slow 20 20"]);
});

test("one request waits for the answer, for a limited time [OR-152]", async () => {
  const { invocation } = await newUser();
  const gate = createGate();
  const model = scriptOracle([["At ", { wait: gate }, "last"]]);
  const jobId = newJob();
  const hasty = await clientOver(scripted, 50);
  valueOf(await hasty.ask({ jobId, invocation, text: "hello" }));
  expect(valueOf(await hasty.answer(jobId, invocation))).toEqual({ state: "running" });
  const looking = (await clientOver(scripted)).answer(jobId, invocation);
  gate.open();
  expect(valueOf(await looking)).toEqual({ state: "answered", text: "At last" });
  expect(model.asked).toHaveLength(1);
});

test("a failure of the model and an empty answer are failures with their kind", async () => {
  const { invocation } = await newUser();
  scriptOracle([[], [" \n"], [{ fail: new Error("out of order") }]]);
  const client = await clientOver(scripted);
  const reasons: unknown[] = [];
  for (const text of ["a", "b", "c"]) {
    const jobId = newJob();
    valueOf(await client.ask({ jobId, invocation, text }));
    reasons.push(await ended(client, jobId, invocation));
  }
  expect(reasons).toEqual(["empty", "empty", "unknown"].map((reason) => ({ state: "failed", reason })));
});

test("a question without credits, and one whose credits run out, need payment: the phone has one message for both [OR-347]", async () => {
  const { invocation } = await newUser();
  const failure = {
    kind: "budget_exhausted",
    limit: "credits",
    code: "budget_exhausted",
    message: "used up",
    retryable: false,
  } as const;
  const gate = plugin("gate", {
    getRequestAdmission: ({ request }) =>
      request.message === "no" ? refuse("payment_required", "nothing left") : admit(),
    getMiddlewares: () => [{ name: "gate", required: true, beforeModel: () => ({ jumpTo: "end", failure }) }],
  });
  scriptOracle([], { plugins: [gate] });
  const client = await clientOver(scripted);
  expect(faultOf(await client.ask({ jobId: newJob(), invocation, text: "no" }))).toMatchObject({
    code: "payment_required",
  });
  const jobId = newJob();
  valueOf(await client.ask({ jobId, invocation, text: "yes" }));
  expect(await ended(client, jobId, invocation)).toEqual({ state: "failed", reason: "payment_required" });
});

test("another user's job and an unknown one look alike, and polling one writes nothing [OR-151]", async () => {
  const [user, other] = [await newUser(), await newUser()];
  const client = await clientOver();
  const jobId = newJob();
  valueOf(await client.ask({ jobId, invocation: user.invocation, text: "hello" }));
  const refused = faultOf(await client.answer(jobId, other.invocation));
  expect(refused).toMatchObject({ code: "not_found", message: "Job not found" });
  expect(faultOf(await client.answer(newJob(), other.invocation))).toEqual(refused);
  expect(faultOf(await client.answer(newJob(), user.invocation))).toEqual(refused);
  expect(await phoneSession(other.key)).toEqual([]);

  // The other user's job with this id is a separate job.
  valueOf(await client.ask({ jobId, invocation: other.invocation, text: "mine" }));
  expect(await ended(client, jobId, other.invocation)).toMatchObject({ text: "You said: mine" });
  expect(await ended(client, jobId, user.invocation)).toMatchObject({ text: "You said: hello" });
});

test("the invocation is verified as over HTTP [OR-150]", async () => {
  const { key, did } = await newUser();
  const client = await clientOver();
  const now = Math.floor(Date.now() / 1000);
  const issuer = await signer(key);
  const elsewhere = await mintInvocation(issuer, (await signer(9)).did(), now + 300);
  const tool = { issuer, audience: edge.oracleDid, expiration: now + 300 };
  const bad = [
    "",
    "nonsense",
    await invocationOf(key, -60),
    await invocationOf(key, 90_000),
    elsewhere,
    await tokenOf(await issue({ ...tool, capabilities: [{ can: "mcp/call", with: "ixo:oracle" }] })),
  ];
  for (const invocation of bad) {
    const jobId = newJob();
    expect(faultOf(await client.ask({ jobId, invocation, text: "hello" })).code).toBe("unauthenticated");
    expect(faultOf(await client.answer(jobId, invocation)).code).toBe("unauthenticated");
  }
  expect(await phoneSession(key)).toEqual([]);
  const asked = await tokenOf(await issue({ ...tool, capabilities: [{ can: "oracle/ask", with: did }] }));
  expect((await client.ask({ jobId: newJob(), invocation: asked, text: "hello" })).ok).toBe(true);
});

test("questions and polls count with the user's requests over HTTP [OR-150, OR-152]", async () => {
  const { key, invocation } = await newUser();
  const client = await clientOver({ ORACLE_RATE_LIMIT_PER_MINUTE: "4" });
  const limited = await createEdge({ ...bindings, ORACLE_RATE_LIMIT_PER_MINUTE: "4" });
  const jobId = newJob();
  valueOf(await client.ask({ jobId, invocation, text: "hello" }));
  valueOf(await client.answer(jobId, invocation));
  valueOf(await client.answer(jobId, invocation));
  expect((await limited.call("GET", "/sessions", { as: key })).status).toBe(200);
  const refused = faultOf(await client.ask({ jobId: newJob(), invocation, text: "hello" }));
  expect(refused).toMatchObject({ code: "rate_limited", retryAfter: expect.any(Number) });
  expect(faultOf(await client.answer(jobId, invocation)).code).toBe("rate_limited");
  expect((await limited.call("GET", "/sessions", { as: key })).status).toBe(429);
});

test.each([
  ["a question at its limit", newJob(), "x".repeat(QUESTION_LENGTH), undefined],
  ["one character more", newJob(), "x".repeat(QUESTION_LENGTH + 1), "invalid_request"],
  ["a blank question", newJob(), " \n", "invalid_request"],
  ["an id of 100 characters", "a".repeat(100), "hello", undefined],
  ["an id of 101 characters", "a".repeat(101), "hello", "invalid_request"],
  ["an id with other characters", "a b", "hello", "invalid_request"],
])("%s", async (_, jobId, text, code) => {
  const { invocation } = await newUser();
  const asked = await (await clientOver()).ask({ jobId, invocation, text });
  expect(asked.ok ? undefined : asked.error.code).toBe(code);
});

test("a session that its owner deleted is created again", async () => {
  const { key, invocation } = await newUser();
  const client = await clientOver();
  const [first, second] = [newJob(), newJob()];
  valueOf(await client.ask({ jobId: first, invocation, text: "hello" }));
  await ended(client, first, invocation);
  const [session] = await phoneSession(key);
  expect((await edge.call("DELETE", `/sessions/${session?.sessionId}`, { as: key })).status).toBe(200);
  expect(faultOf(await client.answer(first, invocation)).code).toBe("not_found");
  valueOf(await client.ask({ jobId: second, invocation, text: "again" }));
  expect(await ended(client, second, invocation)).toMatchObject({ text: "You said: again" });
  expect(await phoneSession(key)).toHaveLength(1);
});

test("unreachable objects cause a failure value; nothing is thrown", async () => {
  const { invocation } = await newUser();
  const broken = {
    getByName: () => {
      throw new Error("no object");
    },
  };
  const client = await clientOver({ CHAT_SESSION: broken });
  expect(faultOf(await client.ask({ jobId: newJob(), invocation, text: "hello" })).code).toBe("unavailable");
  expect(faultOf(await client.answer(newJob(), invocation)).code).toBe("unavailable");
});

test("without a configured oracle there is no client", async () => {
  const wrong = { ...bindings, ORACLE_SIGNING_SEED: "wrong" } as unknown as Env;
  const oracle = createOracleSurface({ config: { name: "Test oracle" } });
  expect(faultOf(await openOraclePort({ env: wrong, runtime: () => oracle.runtime(wrong) })).code).toBe("internal");
});

test("a phone's question reaches the deployed oracle in the customer's own name [OR-150]", async () => {
  const caller = newCaller();
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, caller);
  const deployed = createUssdEdge({ ...env, USSD_SESSION: env.DEPLOYED_USSD_SESSION });
  const phone = deployed.phone(caller.phoneNumber);
  let text = "";
  let reply = await phone.send(text);
  for (const input of ["2", "1", customerId, "43219", "1", "3", "3", "hello oracle"]) {
    text = text === "" ? input : `${text}*${input}`;
    reply = await phone.send(text);
  }
  expect(reply).toContain("You said: hello oracle");
  expect(reply).toContain(SCREENS.OA2.slice("1. Ask again\n".length));
  const keyDid = await env.DATABASE.prepare("SELECT key_did FROM customers WHERE customer_id = ?")
    .bind(customerId)
    .first<string>("key_did");
  const { total } = await env.USER_VAULT.getByName(keyDid ?? "")
    .listSessions(100, { limit: 9, offset: 0 })
    .then(({ value }) => value ?? { total: 0 });
  expect(total).toBe(1);
  await runInDurableObject(env.DEPLOYED_USSD_SESSION.getByName(phone.sessionId), (_, { storage }) => {
    const rows = storage.sql.exec("SELECT * FROM session").toArray();
    expect(JSON.stringify(rows)).not.toContain("43219");
  });
});
