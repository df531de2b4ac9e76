/**
 * The work of a session's alarm for its sockets, inside workerd: it sends pings even if a run is damaged, and
 * disconnects sockets whose delegation has expired or was revoked.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RawSocket } from "../../support/oracle/raw-socket.ts";
import { mintDelegation, mintInvocation, signer } from "../../support/auth/ucan.ts";
import { connect, open, script, stored } from "./channel-under-test.ts";
import { newSession, type ChatSessionUnderTest } from "./session-under-test.ts";

const PING_INTERVAL_MS = 180_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Answers a ping, and waits until the answer has arrived. */
async function answerPing(socket: RawSocket): Promise<void> {
  expect(await socket.next()).toBe("2");
  socket.send("3");
  socket.emit("ping");
  expect(await socket.event("pong")).toMatchObject({ sessionId: expect.any(String) });
}

async function ringAfter({ stub }: ChatSessionUnderTest, milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
}

describe("an unreadable run", () => {
  test("stops neither heartbeats nor responses, even after an eviction", async () => {
    const session = await script([]);
    const socket = await connect(session);
    for (const runId of ["broken while awake", "broken while evicted"]) {
      await runInDurableObject(session.stub, (_, { storage }) => {
        storage.sql.exec(
          `INSERT INTO runs (run_id, request_id, client, status, started_at, updated_at, request)
           VALUES (?, 'r', 'portal', 'no such status', 0, 0, '{')`,
          runId,
        );
      });
      await ringAfter(session, PING_INTERVAL_MS);
      expect(await socket.next()).toBe("2");
      expect(await socket.event("message_cache_invalidation")).toMatchObject({ requestId: "r" });
      socket.send("3");
      socket.emit("ping");
      expect(await socket.event("pong")).toMatchObject({ sessionId: session.id });
      await evictDurableObject(session.stub);
    }
    const late = await connect(session);
    expect(late.unread).toEqual([]);
  });
});

test("a socket with an unreadable authentication does not keep the alarm from the next heartbeat", async () => {
  const session = await script([]);
  const broken = await connect(session);
  const foreign = await connect(session);
  const whole = await connect(session);
  await runInDurableObject(session.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE socketio_sockets SET data = '{' WHERE id = ?", broken.id);
    storage.sql.exec(`UPDATE socketio_sockets SET data = '{"did":7}' WHERE id = ?`, foreign.id);
  });
  await evictDurableObject(session.stub);
  await ringAfter(session, PING_INTERVAL_MS);
  expect(await whole.next()).toBe("2");
  for (const damaged of [broken, foreign]) {
    expect(await damaged.next()).toBe("2");
    expect(await damaged.next()).toBe("41");
    expect((await damaged.closed).code).toBe(1000);
  }
  expect((await stored(session)).alarm).toBeGreaterThan(Date.now());
});

describe("a socket that is authenticated only by a delegation [OR-110]", () => {
  let lastKey = 230;

  async function newUser(delegationSeconds: number) {
    const user = await signer((lastKey += 1));
    const oracle = (await signer(7)).did();
    const now = Math.floor(Date.now() / 1000);
    const ucanDelegation = await mintDelegation(user, oracle, now + delegationSeconds);
    const invocation = await mintInvocation(user, oracle, now + 600);
    const session = await newSession("deployed", user.did());
    return {
      session,
      ucanDelegation,
      invocation,
      vault: env.USER_VAULT.getByName(user.did()),
      async connect(auth: object) {
        const socket = await open(session);
        socket.send(`40${JSON.stringify(auth)}`);
        const { pid } = JSON.parse((await socket.next()).slice(2)) as { pid: string };
        await socket.event("connected");
        return { ...socket, pid };
      },
    };
  }

  test("is disconnected with 41 and 4401 at the first ping after its expiry; one with an invocation stays", async () => {
    const { session, connect: enter, ucanDelegation, invocation } = await newUser(300);
    const resting = await enter({ ucanDelegation });
    const standing = await enter({ ucanDelegation, invocation });
    await ringAfter(session, PING_INTERVAL_MS);
    for (const socket of [resting, standing]) await answerPing(socket);
    await ringAfter(session, PING_INTERVAL_MS);
    expect([await resting.next(), await resting.next()]).toEqual(["2", "41"]);
    expect((await resting.closed).code).toBe(4401);
    expect(await standing.next()).toBe("2");
    expect(standing.unread).toEqual([]);
  });

  test("is disconnected at the first ping after a revocation, wherever it was requested, even after an eviction", async () => {
    const { session, connect: enter, ucanDelegation, invocation, vault } = await newUser(86_000);
    const resting = await enter({ ucanDelegation });
    const standing = await enter({ invocation });
    vi.setSystemTime(Date.now() + 1_000);
    await vault.revokeDelegation(100);
    vi.setSystemTime(Date.now() + 1_000);
    const later = await enter({ ucanDelegation });
    await evictDurableObject(session.stub);
    await ringAfter(session, PING_INTERVAL_MS);
    expect([await resting.next(), await resting.next()]).toEqual(["2", "41"]);
    expect((await resting.closed).code).toBe(4401);
    for (const socket of [standing, later]) expect([await socket.next(), socket.unread]).toEqual(["2", []]);
  });

  test("after a reconnect is authenticated by the tokens of the reconnect", async () => {
    const { session, connect: enter, ucanDelegation, invocation } = await newUser(300);
    const lost = await enter({ ucanDelegation });
    lost.close();
    const back = await enter({ invocation, pid: lost.pid });
    expect(back.pid).toBe(lost.pid);
    for (const _ of [1, 2]) {
      await ringAfter(session, PING_INTERVAL_MS);
      await answerPing(back);
      expect(back.unread).toEqual([]);
    }
  });
});
