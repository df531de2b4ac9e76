/** Calls that wait for their client: which socket gets them, and how they are settled. */
import type { ClientCall } from "./client-calls.ts";
import { describe, expect, test } from "vitest";
import { clientCallsOverTabs as setUp } from "../../test/support/oracle/client-calls-over-tabs.ts";
import type { Tab } from "../../test/support/oracle/tabs.ts";
import type { JsonValue } from "../../platform/json.ts";
import { CONNECTION_TIME_LIMIT_MS, RESULT_TIME_LIMIT_MS, RETURN_TIME_LIMIT_MS } from "./client-calls.ts";
import { RESULT_DEPTH, RESULT_SIZE, type CallOutcome } from "./call-outcomes.ts";

const RUN = 1;

/** Sets up calls with one tab connected. */
async function setUpWithTab() {
  const parts = setUp();
  return { ...parts, tab: await parts.tabs.connect() };
}

function call(toolCallId: string, change: Partial<ClientCall> = {}): ClientCall {
  const described = { sessionId: "S", name: "pageTitle", args: { a: 1 }, requestId: "req-1" };
  return { toolCallId, kind: "browser", ...described, ...change };
}

/** The call in the form that a client gets. */
function sent(toolCallId: string, change: Partial<ClientCall> = {}): ClientCall {
  return call(`${toolCallId}:u`, change);
}

function result(tab: Tab, toolCallId: string, outcome: CallOutcome, kind: ClientCall["kind"] = "browser") {
  return { kind, invocationId: `${toolCallId}:u`, socketId: tab.socketId, outcome } as const;
}

function unknown(toolCallId: string, reason: string, name = "pageTitle") {
  return {
    output: {
      success: false,
      code: "FRONTEND_OUTCOME_UNKNOWN",
      outcome: "unknown",
      invocationId: `${toolCallId}:u`,
      message: `The outcome of ${name} is unknown: ${reason}. It may have been done.`,
    },
  };
}

const LATE = "the client returned no result in time";
const GONE = "the client was disconnected before it returned a result";
const ok = { output: "Stoves" };

test("a call goes only to the newest socket, and its result settles it", async () => {
  const { tabs, tab, calls } = await setUpWithTab();
  const newest = await tabs.connect();
  const outcome = calls.make(RUN, call("bt_1"));
  expect(tabs.written).toEqual([{ socketId: newest.socketId, call: sent("bt_1") }]);
  expect(tab.heard.map(({ name }) => name)).toEqual(["connected"]);
  newest.answer(sent("bt_1"), "Stoves");
  expect(await outcome).toEqual(ok);
});

test("a call goes to the tab that the request named, while it is connected", async () => {
  const { tabs, tab, calls } = await setUpWithTab();
  const newest = await tabs.connect();
  void calls.make(RUN, call("bt_1", { socketId: tab.socketId }));
  void calls.make(RUN, call("bt_2", { socketId: "gone" }));
  expect(tabs.written.map(({ socketId }) => socketId)).toEqual([tab.socketId, newest.socketId]);
});

test("a call falls over to another socket when the first has stopped reading and is closed", async () => {
  const { tabs, tab, clock, calls } = await setUpWithTab();
  const stalled = await tabs.connect();
  stalled.stall();
  const step = "x".repeat(1_000_000);
  for (let events = 0; events < 5; events += 1)
    tabs.sockets.publish("router_update", { sessionId: "S", requestId: "req-1", step });
  clock.advance(10_000);
  const outcome = calls.make(RUN, call("bt_1", { socketId: stalled.socketId }));
  expect(tabs.sockets.presence(stalled.socketId)).toEqual({ lostAt: clock.now() });
  expect(tabs.written.map(({ socketId }) => socketId)).toEqual([tab.socketId]);
  tab.answer(sent("bt_1"), "Stoves");
  expect(await outcome).toEqual(ok);
  // Messages sent before the end still arrive; the call is not among them.
  stalled.readOn();
  expect(stalled.heard.at(-1)?.name).toBe("router_update");
  expect(tabs.written).toHaveLength(1);
});

test("a result for a settled or unknown call, of the other kind or from another socket is refused [OR-102, OR-186]", async () => {
  const { calls, tab, tabs } = await setUpWithTab();
  const outcome = calls.make(RUN, call("bt_1", { socketId: tab.socketId }));
  const other = await tabs.connect();
  expect(calls.finish(result(tab, "bt_1", ok, "action"))).toBe("other kind");
  expect(calls.finish(result(tab, "bt_2", ok))).toBe("unknown call");
  expect(calls.finish({ ...result(tab, "bt_1", ok), invocationId: "bt_1" })).toBe("unknown call");
  expect(calls.finish(result(other, "bt_1", { output: "stolen" }))).toBe("other socket");
  expect(calls.finish(result(tab, "bt_1", ok))).toBeUndefined();
  expect(calls.finish(result(tab, "bt_1", { output: "again" }))).toBe("ended before");
  expect(await outcome).toEqual(ok);
});

test("a call without a connected socket waits 5 s for one, to the millisecond [OR-99]", async () => {
  const { tabs, clock, calls, wanted } = setUp();
  const start = clock.now();
  const outcome = calls.make(RUN, call("bt_1"));
  expect([wanted, calls.due()]).toEqual([[start + CONNECTION_TIME_LIMIT_MS], start + CONNECTION_TIME_LIMIT_MS]);
  expect(CONNECTION_TIME_LIMIT_MS).toBe(5_000);
  expect(calls.finish({ kind: "browser", invocationId: "bt_1:u", socketId: "any", outcome: ok })).toBe("not sent");
  clock.advance(CONNECTION_TIME_LIMIT_MS - 1);
  calls.expire();
  expect(calls.due()).toBe(start + CONNECTION_TIME_LIMIT_MS);
  clock.advance(1);
  calls.expire();
  expect(await outcome).toEqual({ error: "No browser is connected" });
  await tabs.connect();
  expect(tabs.written).toEqual([]);
});

test("a socket that joins in time gets the call, with the whole time to answer [OR-99]", async () => {
  const { tabs, clock, calls } = setUp();
  const outcome = calls.make(RUN, call("bt_1"));
  clock.advance(CONNECTION_TIME_LIMIT_MS - 1);
  const first = await tabs.connect();
  await tabs.connect();
  expect(tabs.written).toEqual([{ socketId: first.socketId, call: sent("bt_1") }]);
  expect(calls.due()).toBe(clock.now() + RESULT_TIME_LIMIT_MS);
  first.answer(sent("bt_1"), "Stoves");
  expect(await outcome).toEqual(ok);
});

test("a call without a result within 15 s has an unknown outcome, and a later result is late [OR-100, OR-187]", async () => {
  const { clock, calls, tab } = await setUpWithTab();
  const outcomes = [calls.make(RUN, call("bt_1")), calls.make(RUN, call("ag_1", { kind: "action", name: "open" }))];
  clock.advance(RESULT_TIME_LIMIT_MS - 1);
  calls.expire();
  expect(calls.due()).toBe(clock.now() + 1);
  clock.advance(1);
  calls.expire();
  expect(await Promise.all(outcomes)).toEqual([unknown("bt_1", LATE), unknown("ag_1", LATE, "open")]);
  expect([calls.finish(result(tab, "bt_1", ok)), calls.due()]).toEqual(["ended before", undefined]);
});

test("the last millisecond is in time and the deadline is not, whether or not the alarm has fired [OR-100, OR-186]", async () => {
  const { clock, calls, tab } = await setUpWithTab();
  const outcomes = [calls.make(RUN, call("bt_1")), calls.make(RUN, call("bt_2"))];
  clock.advance(RESULT_TIME_LIMIT_MS - 1);
  expect(calls.finish(result(tab, "bt_1", ok))).toBeUndefined();
  clock.advance(1);
  expect(calls.finish(result(tab, "bt_2", ok))).toBe("ended before");
  expect(await Promise.all(outcomes)).toEqual([ok, unknown("bt_2", LATE)]);
});

test("when its socket goes first, the outcome is unknown and no other socket gets the call [OR-101, OR-187]", async () => {
  const { tabs, tab, calls } = await setUpWithTab();
  await tabs.connect();
  const asked = await tabs.connect();
  const outcome = calls.make(RUN, call("ag_1", { kind: "action", name: "open" }));
  tab.leave();
  expect(calls.due()).toBeDefined();
  asked.leave();
  await tabs.connect();
  expect(await outcome).toEqual(unknown("ag_1", GONE, "open"));
  expect(tabs.written.map(({ socketId }) => socketId)).toEqual([asked.socketId]);
});

describe("a socket that is briefly lost [OR-101]", () => {
  test("keeps its call: back within 5 s it can answer, before the first deadline", async () => {
    const { tabs, tab, calls, clock, wanted } = await setUpWithTab();
    const { socketId } = tab;
    const outcome = calls.make(RUN, call("bt_1"));
    const deadline = clock.now() + RESULT_TIME_LIMIT_MS;
    tab.drop();
    expect(RETURN_TIME_LIMIT_MS).toBe(5_000);
    expect([wanted.at(-1), calls.due()]).toEqual([clock.now() + 5_000, clock.now() + 5_000]);
    clock.advance(4_999);
    calls.expire();
    await tab.comeBack();
    expect([tab.socketId, calls.due()]).toEqual([socketId, deadline]);
    tab.answer(sent("bt_1"), "Stoves");
    expect(await outcome).toEqual(ok);
    expect(tabs.written).toHaveLength(1);
  });

  test("leaves the outcome unknown when it is not back within 5 s, or by the deadline", async () => {
    for (const [lostAfter, waits] of [
      [0, 5_000],
      [12_000, 3_000],
    ] as const) {
      const { tab, calls, clock } = await setUpWithTab();
      const outcome = calls.make(RUN, call("bt_1"));
      clock.advance(lostAfter);
      tab.drop();
      clock.advance(waits - 1);
      calls.expire();
      expect(calls.due()).toBe(clock.now() + 1);
      clock.advance(1);
      calls.expire();
      expect(await outcome).toEqual(unknown("bt_1", GONE));
    }
  });

  test("is awaited after an eviction too", async () => {
    const { tab, calls, reopen } = await setUpWithTab();
    void calls.make(RUN, call("bt_1"));
    tab.drop();
    const outcome = reopen().resume("bt_1");
    await tab.comeBack();
    tab.answer(sent("bt_1"), "Stoves");
    expect(await outcome).toEqual(ok);
  });
});

test("an unreadable stored call or outcome is unknown once it was sent, and the others continue", async () => {
  const { calls, reopen, sql, tab } = await setUpWithTab();
  for (const id of ["bt_1", "bt_2", "bt_3"]) void calls.make(RUN, call(id));
  calls.finish(result(tab, "bt_2", ok));
  sql.exec("UPDATE client_calls SET call = '{' WHERE tool_call_id = 'bt_1'");
  sql.exec(`UPDATE client_calls SET outcome = '{"what":1}' WHERE tool_call_id = 'bt_2'`);
  const resumed = reopen();
  const outcomes = ["bt_1", "bt_2", "bt_3"].map(async (id) => resumed.resume(id));
  expect(resumed.finish(result(tab, "bt_1", ok))).toBe("ended before");
  resumed.finish(result(tab, "bt_3", ok));
  const reason = "its stored data can no longer be read";
  expect(await Promise.all(outcomes)).toEqual([
    unknown("bt_1", reason, "the call"),
    unknown("bt_2", reason, "the call"),
    ok,
  ]);
});

test("an unreadable stored call that was never sent fails", async () => {
  const { calls, reopen, sql } = setUp();
  void calls.make(RUN, call("bt_1"));
  sql.exec("UPDATE client_calls SET call = '{' WHERE tool_call_id = 'bt_1'");
  expect(await reopen().resume("bt_1")).toEqual({ error: "The call can no longer be read" });
});

test("a call of an earlier version is settled by its own id, from its socket only [OR-186]", async () => {
  const { calls, sql, tab, tabs } = await setUpWithTab();
  const outcome = calls.make(RUN, call("bt_1"));
  sql.exec("UPDATE client_calls SET invocation = NULL");
  const other = await tabs.connect();
  const old = { ...result(tab, "bt_1", ok), invocationId: "bt_1" };
  expect(calls.finish({ ...old, socketId: other.socketId })).toBe("other socket");
  expect(calls.finish(old)).toBeUndefined();
  expect(await outcome).toEqual(ok);
});

test("several open calls are independent", async () => {
  const { calls, tab } = await setUpWithTab();
  const outcomes = ["bt_1", "bt_2", "bt_3"].map((id) => calls.make(RUN, call(id)));
  for (const id of ["bt_3", "bt_1", "bt_2"]) calls.finish(result(tab, id, { output: id }));
  expect(await Promise.all(outcomes)).toEqual([{ output: "bt_1" }, { output: "bt_2" }, { output: "bt_3" }]);
});

test.each<[string, (depth: number) => JsonValue]>([
  ["size", () => "x".repeat(RESULT_SIZE - 2)],
  ["depth", () => nested(RESULT_DEPTH)],
])("a result has a maximum %s [OR-144]", async (bound, atTheEdge) => {
  const { calls, tab } = await setUpWithTab();
  const fitting = calls.make(RUN, call("bt_1"));
  calls.finish(result(tab, "bt_1", { output: atTheEdge(0) }));
  expect(await fitting).toEqual({ output: atTheEdge(0) });
  const beyond = calls.make(RUN, call("bt_2"));
  const tooMuch = bound === "size" ? "x".repeat(RESULT_SIZE - 1) : nested(RESULT_DEPTH + 1);
  calls.finish(result(tab, "bt_2", { output: tooMuch }));
  expect(await beyond).toEqual({ error: "The result of pageTitle is too large" });
});

function nested(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

test("a resumed call is found settled, or continues while its socket is attached and its time is not up", async () => {
  const { reopen, calls, tab } = await setUpWithTab();
  for (const id of ["bt_1", "bt_2"]) void calls.make(RUN, call(id));
  calls.finish(result(tab, "bt_1", ok));
  const resumed = reopen();
  expect(resumed.resume("bt_9")).toBeUndefined();
  expect(await resumed.resume("bt_1")).toEqual(ok);
  const second = resumed.resume("bt_2");
  resumed.finish(result(tab, "bt_2", { output: 2 }));
  expect(await second).toEqual({ output: 2 });
});

test("a resumed call without its socket or past its time has an unknown outcome [OR-187]", async () => {
  const { tabs, tab, reopen, clock, calls } = await setUpWithTab();
  void calls.make(RUN, call("bt_1"));
  clock.advance(RESULT_TIME_LIMIT_MS);
  const second = reopen();
  expect(await second.resume("bt_1")).toEqual(unknown("bt_1", LATE));
  void second.make(RUN, call("bt_2"));
  tab.leave();
  await tabs.connect();
  expect(await reopen().resume("bt_2")).toEqual(unknown("bt_2", GONE));
  expect(tabs.written).toHaveLength(2);
});

test("a call that is resumed before it was sent still finds a socket", async () => {
  const { tabs, reopen, calls } = setUp();
  void calls.make(RUN, call("bt_1"));
  const resumed = reopen();
  const outcome = resumed.resume("bt_1");
  const tab = await tabs.connect();
  tab.answer(sent("bt_1"), "Stoves");
  expect(await outcome).toEqual(ok);
});

test("the calls of an ended run are dropped; another run keeps waiting", async () => {
  const { tab, calls } = await setUpWithTab();
  const ended: string[] = [];
  void calls.make(RUN, call("bt_1")).then(() => ended.push("bt_1"));
  const other = calls.make(RUN + 1, call("bt_2"));
  calls.runEnded(RUN);
  tab.answer(sent("bt_1"), "Stoves");
  tab.answer(sent("bt_2"), "Stoves");
  expect(await other).toEqual(ok);
  expect(ended).toEqual([]);
});
