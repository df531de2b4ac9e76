/**
 * A user's sockets over several sessions, inside workerd: the deployed classes, a real invocation, and a manual clock,
 * so that no two sockets are equally old.
 */
import { SOCKETS_PER_USER } from "../../../durable-objects/user-vault/store.ts";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { STRANGER, valueOf } from "../../support/oracle/chat-turns.ts";
import type { RawSocket } from "../../support/oracle/raw-socket.ts";
import { mintInvocation, signer } from "../../support/auth/ucan.ts";
import { open } from "./channel-under-test.ts";
import { newSession, type ChatSessionUnderTest } from "./session-under-test.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Each test has its own key, because the list belongs to the user. */
let lastKey = 180;

async function newUser() {
  const user = await signer((lastKey += 1));
  const invocation = await mintInvocation(user, (await signer(7)).did(), Math.floor(Date.now() / 1000) + 600);
  const vault = () => env.USER_VAULT.getByName(user.did());
  return {
    did: user.did(),
    vault,
    sessions: (count: number) => Promise.all(Array.from({ length: count }, () => newSession("deployed", user.did()))),
    async connect(session: ChatSessionUnderTest, auth: object = {}): Promise<UsersSocket> {
      vi.setSystemTime(Date.now() + 1_000);
      const socket = await open(session);
      socket.send(`40${JSON.stringify({ invocation, ...auth })}`);
      const { sid, pid } = JSON.parse((await socket.next()).slice(2)) as { sid: string; pid: string };
      await socket.event("connected");
      return { ...socket, id: sid, pid };
    },
    /** The vault's list, oldest first. */
    listed: () =>
      runInDurableObject(vault(), (_, { storage }) =>
        storage.sql
          .exec<{ socket_id: string }>("SELECT socket_id FROM sockets ORDER BY connected_at")
          .toArray()
          .map(({ socket_id }) => socket_id),
      ),
  };
}

interface UsersSocket extends RawSocket {
  readonly id: string;
  /** The id with which a lost socket is recovered. */
  readonly pid: string;
}

test("32 sockets over five sessions; one more disconnects the oldest, with 41 and a close, whichever objects are evicted meanwhile", async () => {
  expect(SOCKETS_PER_USER).toBe(32);
  const user = await newUser();
  const sessions = await user.sessions(5);
  const sockets: UsersSocket[] = [];
  for (let count = 0; count < SOCKETS_PER_USER; count += 1) {
    const session = sessions[count % sessions.length];
    if (session !== undefined) sockets.push(await user.connect(session));
  }
  const ids = sockets.map(({ id }) => id);
  await expect.poll(user.listed).toEqual(ids);
  expect(sockets.flatMap(({ unread }) => unread)).toEqual([]);
  for (const { stub } of sessions) await evictDurableObject(stub);
  const [oldest, second] = sockets;
  const [first, , third] = sessions;
  if (third === undefined || first === undefined) throw new Error("no session");
  const newest = await user.connect(third);
  expect(await oldest?.next()).toBe("41");
  expect(await oldest?.closed).toMatchObject({ code: 1000 });
  await expect.poll(user.listed).toEqual([...ids.slice(1), newest.id]);
  // The others stay connected, and get the events of their session.
  expect(sockets.slice(1).flatMap(({ unread }) => unread)).toEqual([]);
  second?.emit("ping");
  await second?.event("pong");
});

test("a socket that disconnects is removed, one that reconnects has one entry, and a deleted session has none", async () => {
  const user = await newUser();
  const [a, b] = await user.sessions(2);
  if (a === undefined || b === undefined) throw new Error("no session");
  const [left, lost, stays] = [await user.connect(a), await user.connect(a), await user.connect(b)];
  left.send("41");
  await left.closed;
  lost.close();
  await expect.poll(user.listed).toEqual([stays.id]);
  const back = await user.connect(a, { pid: lost.pid });
  expect(back.id).toBe(lost.id);
  await expect.poll(user.listed).toEqual([stays.id, back.id]);
  const later = await user.connect(b);
  await expect.poll(user.listed).toEqual([stays.id, back.id, later.id]);
  // Back before its loss was noticed, and so the newest.
  await user.connect(a, { pid: lost.pid });
  await expect.poll(user.listed).toEqual([stays.id, later.id, back.id]);
  valueOf(await b.chat.destroy(user.did));
  expect(await stays.next()).toBe("41");
  await expect.poll(user.listed).toEqual([back.id]);
});

test("a failing user vault closes no socket", async () => {
  const user = await newUser();
  const [session] = await user.sessions(1);
  if (session === undefined) throw new Error("no session");
  await user.connect(session);
  await expect.poll(user.listed).toHaveLength(1);
  await runInDurableObject(user.vault(), (_, { storage }) => void storage.sql.exec("DROP TABLE sockets"));
  const socket = await user.connect(session);
  await evictDurableObject(session.stub);
  socket.emit("status");
  expect(await socket.event("status")).toMatchObject({ totalConnections: 2 });
});

test("a dismissal works only for the user's own sockets; for an unknown socket or session it does nothing", async () => {
  const user = await newUser();
  const [session] = await user.sessions(1);
  if (session === undefined) throw new Error("no session");
  const socket = await user.connect(session);
  await session.chat.dismissSocket(STRANGER, socket.id);
  await session.chat.dismissSocket(user.did, "unknown");
  socket.emit("ping");
  await socket.event("pong");
  await session.chat.dismissSocket(user.did, socket.id);
  expect(await socket.next()).toBe("41");
  await session.chat.dismissSocket(user.did, socket.id);
});
