/**
 * A user's sockets over several sessions, reported to their store: real lists, and sessions that hold their sockets in
 * memory.
 */
import { expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import { createSqliteStorage } from "../../../test/support/storage/sqlite-storage.ts";
import { createUserVaultSchema } from "../../user-vault/schema.ts";
import { createUserVault } from "../../user-vault/store.ts";
import type { ConnectedSocket, SocketPlace } from "../../../oracle/user-vault-rpc.ts";
import { createUserSockets } from "./user-sockets.ts";

const OWNER = "did:key:z6MkOwner";
const LIMIT = 3;

function setUp() {
  const storage = createSqliteStorage();
  const store = createUserVault(storage, createUserVaultSchema(storage));
  const state = { isVaultLost: false, lostSession: "", clock: 0, reports: 0, atOnce: 0, mostAtOnce: 0 };
  const logged: unknown[] = [];
  const log = createLogger({}, (_, line) => void logged.push((JSON.parse(line) as { event: string }).event));
  const working = new Set<Promise<unknown>>();
  const sessions = new Map<string, ReturnType<typeof openSession>>();

  function background(work: Promise<unknown>): void {
    working.add(work);
    void work.finally(() => working.delete(work));
  }

  async function listSockets(sessionId: string, list: readonly ConnectedSocket[]): Promise<readonly SocketPlace[]> {
    state.reports += 1;
    state.atOnce += 1;
    state.mostAtOnce = Math.max(state.mostAtOnce, state.atOnce);
    await new Promise((resolve) => void setImmediate(resolve));
    state.atOnce -= 1;
    if (state.isVaultLost) throw new Error("the vault is lost");
    return store.listSockets(sessionId, list, LIMIT);
  }

  function openSession(sessionId: string) {
    const connected: ConnectedSocket[] = [];
    const userSockets = createUserSockets({
      sockets: {
        listOf: (did) => (did === OWNER ? [...connected] : []),
        dismiss: (_, socketId) => leave(socketId),
      },
      userVault: () => ({ listSockets }),
      session: (other) => ({
        async dismissSocket(did, socketId) {
          if (other === state.lostSession) throw new Error("the session is lost");
          expect(did).toBe(OWNER);
          sessions.get(other)?.leave(socketId);
        },
      }),
      background,
      log,
    });

    function leave(socketId: string): void {
      const index = connected.findIndex((each) => each.socketId === socketId);
      if (index === -1) return;
      connected.splice(index, 1);
      userSockets.changed(OWNER, sessionId);
    }

    return {
      leave,
      join(socketId: string): void {
        connected.push({ socketId, connectedAt: (state.clock += 1) });
        userSockets.changed(OWNER, sessionId);
      },
      get ids() {
        return connected.map(({ socketId }) => socketId);
      },
    };
  }

  return {
    state,
    logged,
    session(sessionId: string) {
      const session = openSession(sessionId);
      sessions.set(sessionId, session);
      return session;
    },
    async settled() {
      while (working.size > 0) await Promise.all(working);
    },
  };
}

test("disconnects the oldest socket of all sessions, in this session or another", async () => {
  const { session, settled } = setUp();
  const [a, b] = [session("a"), session("b")];
  for (const [where, id] of [
    [a, "1"],
    [b, "2"],
    [b, "3"],
  ] as const)
    where.join(id);
  await settled();
  expect([a.ids, b.ids]).toEqual([["1"], ["2", "3"]]);
  b.join("4");
  await settled();
  expect([a.ids, b.ids]).toEqual([[], ["2", "3", "4"]]);
  b.join("5");
  await settled();
  expect(b.ids).toEqual(["3", "4", "5"]);
});

test("a socket that disconnected makes room", async () => {
  const { session, settled } = setUp();
  const [a, b] = [session("a"), session("b")];
  for (const id of ["1", "2", "3"]) a.join(id);
  await settled();
  a.leave("2");
  await settled();
  b.join("4");
  await settled();
  expect([a.ids, b.ids]).toEqual([["1", "3"], ["4"]]);
});

test("sends one report at a time, and one for all changes meanwhile", async () => {
  const { state, session, settled } = setUp();
  const a = session("a");
  a.join("1");
  await Promise.resolve();
  for (const id of ["2", "3", "4"]) a.join(id);
  await settled();
  expect(a.ids).toEqual(["2", "3", "4"]);
  // The first, the three that connected meanwhile, and the one that disconnected.
  expect([state.reports, state.mostAtOnce]).toEqual([3, 1]);
});

test("a lost vault closes no socket; the next report restores its list", async () => {
  const { state, logged, session, settled } = setUp();
  const [a, b] = [session("a"), session("b")];
  state.isVaultLost = true;
  for (const id of ["1", "2"]) a.join(id);
  await settled();
  b.join("3");
  b.join("4");
  await settled();
  expect([a.ids, b.ids]).toEqual([
    ["1", "2"],
    ["3", "4"],
  ]);
  expect(logged).toEqual(["sockets-not-listed", "sockets-not-listed"]);
  state.isVaultLost = false;
  a.join("5");
  await settled();
  b.join("6");
  await settled();
  expect([a.ids, b.ids]).toEqual([["5"], ["4", "6"]]);
});

test("a socket that could not be disconnected is disconnected at its session's next report", async () => {
  const { state, logged, session, settled } = setUp();
  const [a, b] = [session("a"), session("b")];
  a.join("1");
  await settled();
  state.lostSession = "a";
  for (const id of ["2", "3", "4"]) b.join(id);
  await settled();
  expect([a.ids, logged]).toEqual([["1"], ["socket-not-dismissed"]]);
  a.join("5");
  await settled();
  expect([a.ids, b.ids]).toEqual([["5"], ["3", "4"]]);
});
