/** Calls that wait for their client: to whom they go, and what settles them (contract/oracle.md section 8.5, decisions 3.6). */
import { describe, expect, test } from "vitest";
import { createManualClock } from "../../test/support/manual-clock.ts";
import { createSqliteStorage } from "../../test/support/sqlite-storage.ts";
import { createTabs, type Tabs } from "../../test/support/tabs.ts";
import type { JsonValue } from "../../workers/platform/json.ts";
import { createLogger } from "../../workers/platform/log.ts";
import { migrate } from "../schema.ts";
import {
  CONNECTION_TIME_LIMIT_MS,
  createClientCalls,
  RESULT_DEPTH,
  RESULT_SIZE,
  RESULT_TIME_LIMIT_MS,
  RETURN_TIME_LIMIT_MS,
  type ClientCalls,
} from "./client-calls.ts";
import type { ClientCall } from "./client-call-records.ts";
import { migrations } from "./schema.ts";

const RUN = 1;

function setUp(tabs: Tabs = createTabs("s1")) {
  const storage = createSqliteStorage();
  migrate(storage, migrations);
  const clock = createManualClock();
  const wanted: number[] = [];
  const log = createLogger({}, () => undefined);
  const open = (): ClientCalls =>
    createClientCalls({ sql: storage.sql, sockets: tabs, now: clock.now, wakeAt: (at) => void wanted.push(at), log });
  return { tabs, clock, wanted, open, sql: storage.sql, calls: open() };
}

function call(toolCallId: string, change: Partial<ClientCall> = {}): ClientCall {
  const described = { sessionId: "S", name: "pageTitle", args: { a: 1 }, requestId: "req-1" };
  return { toolCallId, kind: "browser", ...described, ...change };
}

const ok = { output: "Stoves" };

test("a call goes to the newest socket alone, and its result settles it", async () => {
  const { tabs, calls } = setUp(createTabs("s1", "s2"));
  const outcome = calls.make(RUN, call("bt_1"));
  expect(tabs.written).toEqual([{ socketId: "s2", call: call("bt_1") }]);
  expect(calls.settle("browser", "bt_1", ok)).toBeUndefined();
  expect(await outcome).toEqual(ok);
});

test("to the tab that the request named, while it is connected", () => {
  const { tabs, calls } = setUp(createTabs("s1", "s2"));
  void calls.make(RUN, call("bt_1", { socketId: "s1" }));
  void calls.make(RUN, call("bt_2", { socketId: "gone" }));
  expect(tabs.written.map(({ socketId }) => socketId)).toEqual(["s1", "s2"]);
});

test("it falls over to another socket while it is not yet written to one", () => {
  const { tabs, calls } = setUp(createTabs("s1", "s2"));
  tabs.broken.add("s2");
  void calls.make(RUN, call("bt_1", { socketId: "s2" }));
  expect(tabs.written.map(({ socketId }) => socketId)).toEqual(["s1"]);
});

test("what is settled once, foreign, unknown or of the other kind is refused", async () => {
  const { calls } = setUp();
  const outcome = calls.make(RUN, call("bt_1"));
  expect(calls.settle("action", "bt_1", ok)).toBe("unknown call");
  expect(calls.settle("browser", "bt_2", ok)).toBe("unknown call");
  expect(calls.settle("browser", "bt_1", ok)).toBeUndefined();
  expect(calls.settle("browser", "bt_1", { output: "again" })).toBe("settled before");
  expect(await outcome).toEqual(ok);
});

test("nobody connected: it waits 5 s for a socket, to the millisecond", async () => {
  const { tabs, clock, calls, wanted } = setUp(createTabs());
  const start = clock.now();
  const outcome = calls.make(RUN, call("bt_1"));
  expect([wanted, calls.due()]).toEqual([[start + CONNECTION_TIME_LIMIT_MS], start + CONNECTION_TIME_LIMIT_MS]);
  expect(CONNECTION_TIME_LIMIT_MS).toBe(5_000);
  expect(calls.settle("browser", "bt_1", ok)).toBe("not handed over");
  clock.advance(CONNECTION_TIME_LIMIT_MS - 1);
  calls.expire();
  expect(calls.due()).toBe(start + CONNECTION_TIME_LIMIT_MS);
  clock.advance(1);
  calls.expire();
  expect(await outcome).toEqual({ error: "No browser is connected" });
  tabs.connected.push("s1");
  calls.socketJoined();
  expect(tabs.written).toEqual([]);
});

test("a socket that joins in time gets it, with the whole time to answer", async () => {
  const { tabs, clock, calls } = setUp(createTabs());
  const outcome = calls.make(RUN, call("bt_1"));
  clock.advance(CONNECTION_TIME_LIMIT_MS - 1);
  tabs.connected.push("s1", "s2");
  calls.socketJoined();
  calls.socketJoined();
  expect(tabs.written).toEqual([{ socketId: "s2", call: call("bt_1") }]);
  expect(calls.due()).toBe(clock.now() + RESULT_TIME_LIMIT_MS);
  calls.settle("browser", "bt_1", ok);
  expect(await outcome).toEqual(ok);
});

test("no result within 15 s is told in the words of its kind, and comes too late after", async () => {
  const { clock, calls } = setUp();
  const outcomes = [calls.make(RUN, call("bt_1")), calls.make(RUN, call("ag_1", { kind: "action", name: "open" }))];
  clock.advance(RESULT_TIME_LIMIT_MS - 1);
  calls.expire();
  expect(calls.due()).toBe(clock.now() + 1);
  clock.advance(1);
  calls.expire();
  expect(await Promise.all(outcomes)).toEqual([
    { error: "Browser tool pageTitle gave no result within 15000 ms" },
    { error: "AG-UI action open gave no result within 15000 ms" },
  ]);
  expect([calls.settle("browser", "bt_1", ok), calls.due()]).toEqual(["settled before", undefined]);
});

test("the socket goes first: the outcome is unknown and no other socket gets the call", async () => {
  const { tabs, calls } = setUp(createTabs("s1", "s2"));
  const outcome = calls.make(RUN, call("ag_1", { kind: "action", name: "open" }));
  calls.socketLeft("s1");
  tabs.connected.splice(1);
  calls.socketLeft("s2");
  calls.socketJoined();
  expect(await outcome).toEqual({ error: "AG-UI action outcome unknown: open" });
  expect(tabs.written).toHaveLength(1);
});

describe("a socket that is lost for a moment", () => {
  function lose(tabs: Tabs, at: number): void {
    tabs.connected.splice(0);
    tabs.lost.set("s1", at);
  }

  test("keeps its call: back within 5 s it still answers, and the deadline is the first one", async () => {
    const { tabs, calls, clock, wanted } = setUp();
    const outcome = calls.make(RUN, call("bt_1"));
    const deadline = clock.now() + RESULT_TIME_LIMIT_MS;
    lose(tabs, clock.now());
    calls.socketLeft("s1");
    expect(RETURN_TIME_LIMIT_MS).toBe(5_000);
    expect([wanted.at(-1), calls.due()]).toEqual([clock.now() + 5_000, clock.now() + 5_000]);
    clock.advance(4_999);
    calls.expire();
    tabs.lost.clear();
    tabs.connected.push("s1");
    calls.socketJoined();
    expect(calls.due()).toBe(deadline);
    calls.settle("browser", "bt_1", ok);
    expect(await outcome).toEqual(ok);
    expect(tabs.written).toHaveLength(1);
  });

  test("leaves the outcome unknown when it is not back within 5 s, or by the deadline", async () => {
    for (const [lostAfter, waits] of [
      [0, 5_000],
      [12_000, 3_000],
    ] as const) {
      const { tabs, calls, clock } = setUp();
      const outcome = calls.make(RUN, call("bt_1"));
      clock.advance(lostAfter);
      lose(tabs, clock.now());
      calls.socketLeft("s1");
      clock.advance(waits - 1);
      calls.expire();
      expect(calls.due()).toBe(clock.now() + 1);
      clock.advance(1);
      calls.expire();
      expect(await outcome).toEqual({ error: "Browser tool outcome unknown: pageTitle" });
    }
  });

  test("is waited for after an eviction too", async () => {
    const { tabs, calls, clock, open } = setUp();
    void calls.make(RUN, call("bt_1"));
    lose(tabs, clock.now());
    const resumed = open();
    const outcome = resumed.resume("bt_1");
    resumed.settle("browser", "bt_1", ok);
    expect(await outcome).toEqual(ok);
  });
});

test("a stored call or outcome that cannot be read any more is told as an error, and the others go on", async () => {
  const { calls, open, sql } = setUp();
  for (const id of ["bt_1", "bt_2", "bt_3"]) void calls.make(RUN, call(id));
  calls.settle("browser", "bt_2", ok);
  sql.exec("UPDATE client_calls SET call = '{' WHERE tool_call_id = 'bt_1'");
  sql.exec(`UPDATE client_calls SET outcome = '{"what":1}' WHERE tool_call_id = 'bt_2'`);
  const resumed = open();
  const outcomes = ["bt_1", "bt_2", "bt_3"].map(async (id) => resumed.resume(id));
  expect(resumed.settle("browser", "bt_1", ok)).toBe("settled before");
  resumed.settle("browser", "bt_3", ok);
  const unreadable = { error: "The call could not be read any more" };
  expect(await Promise.all(outcomes)).toEqual([unreadable, unreadable, ok]);
});

test("several are open at once, each for itself", async () => {
  const { calls } = setUp();
  const outcomes = ["bt_1", "bt_2", "bt_3"].map((id) => calls.make(RUN, call(id)));
  for (const id of ["bt_3", "bt_1", "bt_2"]) calls.settle("browser", id, { output: id });
  expect(await Promise.all(outcomes)).toEqual([{ output: "bt_1" }, { output: "bt_2" }, { output: "bt_3" }]);
});

test.each<[string, (depth: number) => JsonValue]>([
  ["size", () => "x".repeat(RESULT_SIZE - 2)],
  ["depth", () => nested(RESULT_DEPTH)],
])("a result has a bound in %s", async (bound, atTheEdge) => {
  const { calls } = setUp();
  const fitting = calls.make(RUN, call("bt_1"));
  calls.settle("browser", "bt_1", { output: atTheEdge(0) });
  expect(await fitting).toEqual({ output: atTheEdge(0) });
  const beyond = calls.make(RUN, call("bt_2"));
  calls.settle("browser", "bt_2", {
    output: bound === "size" ? "x".repeat(RESULT_SIZE - 1) : nested(RESULT_DEPTH + 1),
  });
  expect(await beyond).toEqual({ error: "The result of pageTitle is too large" });
});

function nested(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

test("resumed, it is found settled, or goes on while its socket is attached and its time not up", async () => {
  const { open, calls } = setUp();
  for (const id of ["bt_1", "bt_2"]) void calls.make(RUN, call(id));
  calls.settle("browser", "bt_1", ok);
  const resumed = open();
  expect(resumed.resume("bt_9")).toBeUndefined();
  expect(await resumed.resume("bt_1")).toEqual(ok);
  const second = resumed.resume("bt_2");
  resumed.settle("browser", "bt_2", { output: 2 });
  expect(await second).toEqual({ output: 2 });
});

test("resumed without its socket the outcome is unknown; past its time there is none", async () => {
  const { tabs, open, clock, calls } = setUp();
  void calls.make(RUN, call("bt_1"));
  clock.advance(RESULT_TIME_LIMIT_MS);
  expect(await open().resume("bt_1")).toEqual({ error: "Browser tool pageTitle gave no result within 15000 ms" });
  void calls.make(RUN, call("bt_2"));
  tabs.connected.splice(0);
  tabs.connected.push("s9");
  expect(await open().resume("bt_2")).toEqual({ error: "Browser tool outcome unknown: pageTitle" });
  expect(tabs.written).toHaveLength(2);
});

test("resumed before it was written it still finds a socket", async () => {
  const { tabs, open, calls } = setUp(createTabs());
  void calls.make(RUN, call("bt_1"));
  const resumed = open();
  const outcome = resumed.resume("bt_1");
  tabs.connected.push("s1");
  resumed.socketJoined();
  resumed.settle("browser", "bt_1", ok);
  expect(await outcome).toEqual(ok);
});
