/** A user's list of sockets at its limit, over real SQL; the rest of the vault is tested inside workerd. */
import { SOCKETS_PER_USER } from "./store.ts";
import { describe, expect, test } from "vitest";
import { createSqliteStorage, tablesOf } from "../../test/support/storage/sqlite-storage.ts";
import { migrate } from "../../platform/object-schema.ts";
import { createUserVaultSchema, migrations } from "./schema.ts";
import { createUserVault } from "./store.ts";

const LIMIT = SOCKETS_PER_USER;
const socket = (number: number, connectedAt = number) => ({ socketId: `socket-${number}`, connectedAt });
const place = (sessionId: string, number: number) => ({ sessionId, socketId: `socket-${number}` });

function setUp(limit = LIMIT) {
  const storage = createSqliteStorage();
  const store = createUserVault(storage, createUserVaultSchema(storage));
  return {
    database: storage.database,
    store,
    list: (sessionId: string, ...sockets: readonly ReturnType<typeof socket>[]) =>
      store.listSockets(sessionId, sockets, limit),
    listed: () =>
      storage.database
        .prepare("SELECT session_id, socket_id FROM sockets ORDER BY connected_at, position")
        .all()
        .map((row) => ({ sessionId: row["session_id"], socketId: row["socket_id"] })),
  };
}

/** Sockets `from` to `to`, both included. */
function range(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => socket(from + index));
}

describe("sockets of a user", () => {
  test("32 over several sessions, and no more", () => {
    expect(LIMIT).toBe(32);
    const { list, listed } = setUp();
    for (let session = 0; session < 4; session += 1)
      expect(list(`s${session}`, ...range(session * 8 + 1, session * 8 + 8))).toEqual([]);
    expect(listed()).toHaveLength(32);
    expect(list("s4", socket(33))).toEqual([place("s0", 1)]);
    expect(listed()).toHaveLength(32);
    expect(list("s4", socket(33), socket(34))).toEqual([place("s0", 2)]);
  });

  test("a removed socket is returned once", () => {
    const { list } = setUp(2);
    list("a", socket(1));
    expect(list("b", socket(2), socket(3))).toEqual([place("a", 1)]);
    expect(list("b", socket(2), socket(3))).toEqual([]);
    // Its session still lists it, because it was unreachable.
    expect(list("a", socket(1))).toEqual([place("a", 1)]);
  });

  test("a report replaces the list of its session and affects no other", () => {
    const { list, listed } = setUp(3);
    list("a", socket(1), socket(2));
    list("b", socket(3));
    expect(list("a", socket(2), socket(4))).toEqual([]);
    expect(listed()).toEqual([place("a", 2), place("b", 3), place("a", 4)]);
    list("a");
    expect(listed()).toEqual([place("b", 3)]);
  });

  test("a socket that reconnected counts from then, in one entry", () => {
    const { list, listed } = setUp(2);
    list("a", socket(1));
    list("b", socket(2));
    list("a", socket(1, 3));
    expect(listed()).toEqual([place("b", 2), place("a", 1)]);
    expect(list("c", socket(4))).toEqual([place("b", 2)]);
  });

  test("of sockets of one millisecond, the one listed first is the oldest, however often it is listed again", () => {
    const { list } = setUp(2);
    list("b", socket(1, 7));
    list("a", socket(2, 7));
    list("b", socket(1, 7));
    expect(list("c", socket(3, 7))).toEqual([place("b", 1)]);
  });

  test("removing a session removes its sockets", () => {
    const { store, list, listed } = setUp();
    list("a", socket(1));
    list("b", socket(2));
    store.removeSession("a");
    expect(listed()).toEqual([place("b", 2)]);
  });

  test("an empty report to a vault that was never written to creates nothing", () => {
    const { database, list } = setUp();
    expect(list("a")).toEqual([]);
    expect(tablesOf(database)).toEqual([]);
  });

  test("a vault from before the list gets one", () => {
    const storage = createSqliteStorage();
    migrate(storage, migrations.slice(0, 1));
    const store = createUserVault(storage, createUserVaultSchema(storage));
    expect(store.listSessions({ limit: 1, offset: 0 }).total).toBe(0);
    expect(store.listSockets("a", range(1, 33), LIMIT)).toEqual([place("a", 1)]);
  });
});
