/**
 * The limits of one identity's storage and spending, and the operator's limits beyond it: over the real objects, at the
 * edge.
 */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createEdge, jsonOf, openSession } from "../support/oracle/oracle-edge.ts";

/** Each test has its own users, because limits belong to them. */
let lastUser = 220;
const newUser = () => (lastUser += 1);
let lastAddress = 0;
const newAddress = () => `203.0.113.${(lastAddress += 1)}`;

async function edgeWith(variables: Record<string, string>) {
  const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS } = env;
  return createEdge({ CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, ...variables });
}

type Edge = Awaited<ReturnType<typeof edgeWith>>;

function sender(edge: Edge, as: number, sessionId: string) {
  return async (body: object = { message: "hi" }, address = "198.51.100.1") => {
    const response = await edge.call("POST", `/messages/${sessionId}`, {
      as,
      body,
      headers: { "CF-Connecting-IP": address },
    });
    return { status: response.status, retryAfter: response.headers.get("Retry-After"), body: await jsonOf(response) };
  };
}

async function count(edge: Edge, as: number): Promise<unknown> {
  return (await jsonOf(await edge.call("GET", "/sessions", { as })))["total"];
}

describe("sessions of a user", () => {
  test("the limit is the configured number; one more is a 409 that says what to do, and leaves nothing [OR-139]", async () => {
    const edge = await edgeWith({ ORACLE_SESSIONS_PER_USER: "2" });
    const user = newUser();
    const first = await openSession(edge, user);
    await openSession(edge, user);
    const refused = await edge.call("POST", "/sessions", { as: user });
    expect([refused.status, await jsonOf(refused)]).toMatchObject([
      409,
      {
        statusCode: 409,
        error: "Conflict",
        message: "You have 2 sessions, which is the limit. Delete one to open another.",
        code: "session_limit",
        retryable: false,
      },
    ]);
    expect(await count(edge, user)).toBe(2);
    await edge.call("DELETE", `/sessions/${first}`, { as: user });
    const both = await Promise.all([1, 2].map(() => edge.call("POST", "/sessions", { as: user })));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await count(edge, user)).toBe(2);
  });
});

describe("messages of a session", () => {
  test("are limited, then a 409 with its code; another session is not affected [OR-139]", async () => {
    const edge = await edgeWith({ ORACLE_MESSAGES_PER_SESSION: "1" });
    const user = newUser();
    const send = sender(edge, user, await openSession(edge, user));
    expect((await send()).status).toBe(200);
    expect(await send()).toMatchObject({ status: 409, body: { code: "message_limit" } });
    expect(await send({ message: "hi", stream: true })).toMatchObject({ status: 409 });
    expect((await sender(edge, user, await openSession(edge, user))()).status).toBe(200);
  });
});

describe("messages of a user in a day", () => {
  test("are counted over all sessions, even concurrently; a run that did not start and a repeated message do not count [OR-140, OR-141]", async () => {
    const edge = await edgeWith({ ORACLE_USER_TURNS_PER_DAY: "3" });
    const user = newUser();
    const send = sender(edge, user, await openSession(edge, user));
    const other = sender(edge, user, await openSession(edge, user));
    const known = { message: "hi", metadata: { clientMessageId: "m-1" } };
    expect((await send(known)).status).toBe(200);
    expect((await send(known)).status).toBe(200);
    expect((await send({})).status).toBe(400);
    expect((await sender(edge, user, crypto.randomUUID())()).status).toBe(404);
    expect((await other()).status).toBe(200);
    const both = await Promise.all([send(), other()]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = await send();
    expect(refused.body).toMatchObject({
      statusCode: 429,
      message: "You have used today's 3 messages. The limit resets at 00:00 UTC.",
      code: "daily_turn_limit",
      retryable: true,
    });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(86_400);
    // Reading still works.
    expect(await count(edge, user)).toBe(2);
  });
});

describe("a repeated message after the limit is reached", () => {
  test.each([false, true])("joins its run, and nothing else does (stream: %s) [OR-51]", async (stream) => {
    const edge = await edgeWith({ ORACLE_USER_TURNS_PER_DAY: "1" });
    const user = newUser();
    const sessionId = await openSession(edge, user);
    const send = async (id: string, as = user) => {
      const body = { message: "hi", stream, metadata: { clientMessageId: id } };
      const response = await edge.call("POST", `/messages/${sessionId}`, { as, body });
      await response.text();
      return [response.status, response.headers.get("x-run-id")];
    };
    const first = await send("m-1");
    expect(first).toEqual([200, expect.any(String)]);
    expect(await send("m-1")).toEqual(first);
    expect(await send("m-2")).toEqual([429, null]);
    const stranger = newUser();
    await sender(edge, stranger, await openSession(edge, stranger))();
    expect(await send("m-1", stranger)).toEqual([429, null]);
  });
});

test("waiting for the reply to a repeated message does not count as a message of the day [OR-51]", async () => {
  const edge = await edgeWith({ ORACLE_USER_TURNS_PER_DAY: "2" });
  const user = newUser();
  const send = sender(edge, user, await openSession(edge, user));
  const other = sender(edge, user, await openSession(edge, user));
  const slow = { message: "/slow 40 50", metadata: { clientMessageId: "m-1" } };
  const ended: number[] = [];
  const first = send(slow).then(() => ended.push(1));
  await new Promise((resolve) => void setTimeout(resolve, 200));
  const joined = send(slow).then(() => ended.push(2));
  await new Promise((resolve) => void setTimeout(resolve, 200));
  expect([(await other()).status, ended]).toEqual([200, []]);
  await Promise.all([first, joined]);
});

describe("tokens of a user in a day", () => {
  test("the run that reaches the limit is answered, the next one does not start [OR-140, OR-141]", async () => {
    const edge = await edgeWith({ ORACLE_USER_TOKENS_PER_DAY: "1" });
    const user = newUser();
    const send = sender(edge, user, await openSession(edge, user));
    expect((await send()).status).toBe(200);
    // The end of a turn is reported after its answer.
    await expect.poll(async () => (await send({})).status).toBe(429);
    expect((await send()).body).toMatchObject({ code: "daily_token_limit" });
  });
});

describe("concurrent turns of a user", () => {
  test("one more than the limit is a 429 that says what to do, over all sessions; one that has ended makes room [OR-455]", async () => {
    const edge = await edgeWith({ ORACLE_USER_RUNNING_TURNS: "1" });
    const user = newUser();
    const sessionId = await openSession(edge, user);
    const send = sender(edge, user, await openSession(edge, user));
    const running = await edge.call("POST", `/messages/${sessionId}`, {
      as: user,
      body: { message: "/slow 10000 50", stream: true },
    });
    expect(running.status).toBe(200);
    expect(await send()).toMatchObject({
      status: 429,
      retryAfter: "10",
      body: {
        code: "running_turn_limit",
        retryable: true,
        message: "The limit of 1 running answers is reached. Send this message when one of them is complete.",
      },
    });
    await edge.call("POST", "/messages/abort", { as: user, body: { sessionId } });
    await running.text();
    // The end of a turn is reported after its answer.
    await expect.poll(async () => (await send()).status).toBe(200);
  });
});

describe("all users together", () => {
  test("from one address: counted over its users; another address is not affected, an IPv6 network is one address [OR-140, ALL-13]", async () => {
    const edge = await edgeWith({ ORACLE_ADDRESS_TURNS_PER_DAY: "2" });
    const address = newAddress();
    const answers: { status: number; code: unknown }[] = [];
    for (const each of [newUser(), newUser(), newUser()]) {
      const { status, body } = await sender(edge, each, await openSession(edge, each))(undefined, address);
      answers.push({ status, code: body["code"] });
    }
    expect(answers).toEqual([{ status: 200 }, { status: 200 }, { status: 429, code: "address_turn_limit" }]);
    const user = newUser();
    const send = sender(edge, user, await openSession(edge, user));
    expect((await send(undefined, newAddress())).status).toBe(200);
    for (const [host, status] of [
      ["::1", 200],
      ["::2", 200],
      ["::3", 429],
    ] as const)
      expect((await send(undefined, `2001:db8:0:${lastAddress}${host}`)).status).toBe(status);
  });

  test("an IPv4 address in the notation of a dual-stack proxy is that address, not a network that all of IPv4 shares", async () => {
    const edge = await edgeWith({ ORACLE_ADDRESS_TURNS_PER_DAY: "1" });
    const user = newUser();
    const send = sender(edge, user, await openSession(edge, user));
    const [one, other] = [newAddress(), newAddress()];
    expect((await send(undefined, `::ffff:${one}`)).status).toBe(200);
    expect((await send(undefined, one)).status).toBe(429);
    expect((await send(undefined, `::ffff:${other}`)).status).toBe(200);
  });

  test("in all: the next message is a 503 with its code, and is not counted for its user [OR-140]", async () => {
    // The budget for all users is one object, so it contains today's counts of other tests.
    const edge = await edgeWith({ ORACLE_TOTAL_TURNS_PER_DAY: "2", ORACLE_USER_TURNS_PER_DAY: "1" });
    const users = [newUser(), newUser(), newUser()];
    const statuses: number[] = [];
    for (const user of users) statuses.push((await sender(edge, user, await openSession(edge, user))()).status);
    expect(statuses).toEqual([200, 200, 503]);
    const [, , third = 0] = users;
    const refused = await sender(edge, third, await openSession(edge, third))();
    expect(refused.body).toMatchObject({ statusCode: 503, code: "daily_budget_exhausted", retryable: true });
    const open = await edgeWith({ ORACLE_USER_TURNS_PER_DAY: "1" });
    expect((await sender(open, third, await openSession(open, third))()).status).toBe(200);
  });
});
