/** Connection state recovery: lost sockets get their id, rooms, data and missed events back, once and in order. */
import { describe, expect, test } from "vitest";
import { createSocketObject, type Peer } from "../../test/support/socketio/object-in-node.ts";
import type { SocketServerOptions } from "../options.ts";

function createNews(options: Partial<SocketServerOptions> = {}) {
  const events: unknown[] = [];
  const object = createSocketObject<{ readonly visits: number }>(
    () => ({
      authenticate: ({ auth }) => ({
        ok: true,
        data: { visits: 0 },
        rooms: ["news"],
        ...(typeof auth["user"] === "string" && { identity: auth["user"] }),
      }),
      onConnect: ({ id, data }, recovered) => void events.push([id, data.visits, recovered]),
    }),
    { pingIntervalMs: 180_000, pingTimeoutMs: 60_000, ...options },
  );

  async function enter(auth: object = {}): Promise<Client> {
    const peer = await object.connect();
    peer.send(`40${JSON.stringify(auth)}`);
    await object.settle();
    const [, connected = "", ...missed] = peer.read();
    return {
      peer,
      missed: missed.map(textAndOffset),
      ...(JSON.parse(connected.slice(2)) as { sid: string; pid: string }),
    };
  }

  return { object, events, enter };
}

interface Client {
  readonly peer: Peer;
  readonly sid: string;
  readonly pid: string;
  /** The event right after CONNECT: its first argument and its offset. */
  readonly missed: readonly (readonly [unknown, string])[];
}

function textAndOffset(frame: string): readonly [unknown, string] {
  const [, text, offset] = JSON.parse(frame.slice(2)) as [string, unknown, string];
  return [text, offset];
}

/** The offset of the last event in the inbox. */
function lastOffset(peer: Peer): string {
  return textAndOffset(peer.read().at(-1) ?? "")[1];
}

describe("a client that comes back in time [OR-112]", () => {
  test("gets its id, rooms and data, then the events that it missed, once and in order", async () => {
    const { object, events, enter } = createNews();
    const { peer, sid, pid } = await enter();
    object.server.join(sid, "sport");
    object.server.setData(sid, { visits: 3 });
    object.server.emit({ rooms: ["news"] }, "news", ["seen"]);
    const offset = lastOffset(peer);
    peer.drop();
    object.evict();
    for (const text of ["one", "two"]) object.server.emit({ rooms: ["news"] }, "news", [text]);
    object.server.emit({ rooms: ["sport"] }, "news", ["three"]);
    object.server.emit({ rooms: [sid] }, "news", ["four"]);
    object.server.emit({ rooms: ["elsewhere"] }, "news", ["for others"]);
    object.server.emit({ except: ["sport"] }, "news", ["for others"]);
    object.evict();

    const back = await enter({ pid, offset });
    expect([back.sid, back.pid]).toEqual([sid, pid]);
    expect(back.missed.map(([text]) => text)).toEqual(["one", "two", "three", "four"]);
    expect(events.at(-1)).toEqual([sid, 3, true]);
    expect(object.server.roomsOf(sid).toSorted()).toEqual(["news", "sport"]);

    back.peer.drop();
    const again = await enter({ pid, offset: back.missed.at(-1)?.[1] });
    expect(again.missed).toEqual([]);
  });

  test("is recovered after the process was killed", async () => {
    const { object, enter } = createNews();
    const { peer, sid, pid } = await enter();
    object.server.emit({}, "news", ["seen"]);
    const offset = lastOffset(peer);
    object.server.emit({}, "news", ["written, but lost with the connection"]);
    object.kill();
    const back = await enter({ pid, offset });
    expect(back.sid).toBe(sid);
    expect(back.missed.map(([text]) => text)).toEqual(["written, but lost with the connection"]);
  });

  test("before it received any event, gets all since its connect", async () => {
    const { object, enter } = createNews();
    await enter();
    object.server.emit({}, "news", ["before its time"]);
    const { peer, sid, pid } = await enter();
    peer.drop();
    object.server.emit({}, "news", ["missed"]);
    const back = await enter({ pid });
    expect(back.sid).toBe(sid);
    expect(back.missed.map(([text]) => text)).toEqual(["missed"]);
  });

  test("before its old connection was seen to be dead, replaces it", async () => {
    const { object, enter } = createNews();
    const { peer, sid, pid } = await enter();
    const back = await enter({ pid });
    expect(back.sid).toBe(sid);
    expect(peer.closed?.code).toBe(1000);
    expect(object.server.counts()).toEqual({ sessions: 1, sockets: 1 });
  });

  test("gets binary events too", async () => {
    const { object, enter } = createNews();
    const { peer, pid } = await enter();
    peer.drop();
    object.server.emit({}, "news", [Uint8Array.from([1, 2, 3])]);
    const raw = await object.connect();
    raw.send(`40${JSON.stringify({ pid })}`);
    await object.settle();
    const [, , header, attachment] = raw.read();
    expect(header).toMatch(/^451-\["news",\{"_placeholder":true,"num":0\},"[0-9a-z]+"\]$/);
    expect(attachment).toBe("bAQID");
  });
});

describe("is not stored:", () => {
  test.each([
    ["a volatile event", { volatile: true }],
    ["an event with recover: false", { recover: false }],
  ])("%s, and it carries no offset", async (_name, options) => {
    const { object, enter } = createNews();
    const { peer, pid } = await enter();
    object.server.emit({}, "news", ["now"], options);
    expect(peer.read()).toEqual(['42["news","now"]']);
    peer.drop();
    object.server.emit({}, "news", ["missed"], options);
    expect((await enter({ pid })).missed).toEqual([]);
  });

  test("any event, without a socket that could miss it", async () => {
    const { object, enter } = createNews();
    const { peer } = await enter();
    object.server.emit({}, "news", ["now"]);
    expect(object.rows()["events"]).toBe(1);
    peer.send("41");
    expect(object.rows()["events"]).toBe(0);
    object.server.emit({}, "news", ["without sockets"]);
    expect(object.rows()["events"]).toBe(0);
  });
});

describe("is not recovered [OR-112]:", () => {
  test.each([
    ["after two minutes", 120_000, {}],
    ["with another identity", 1, { user: "other" }],
    ["with an invalid offset", 1, { offset: "no offset!" }],
    ["with an offset of the future", 1, { offset: "zzzzzzzzzz" }],
    ["with an unknown private id", 1, { pid: "unknown" }],
    ["with a private id that is not a string", 1, { pid: 7 }],
  ])("a client %s", async (_name, wait, auth) => {
    const { object, enter } = createNews();
    const { peer, sid, pid } = await enter();
    peer.drop();
    object.server.emit({}, "news", ["missed"]);
    object.advance(wait);
    const back = await enter({ pid, ...auth });
    expect(back.sid).not.toBe(sid);
    expect(back.missed).toEqual([]);
  });

  test("one that is back in the last millisecond is recovered", async () => {
    const { object, enter } = createNews();
    const { peer, sid, pid } = await enter();
    peer.drop();
    object.advance(119_999);
    expect((await enter({ pid })).sid).toBe(sid);
  });

  test.each([
    ["maxEvents", { maxEvents: 8, maxBytes: 1_000_000 }],
    ["maxBytes", { maxEvents: 1_000, maxBytes: 400 }],
  ])("a client that needs an event dropped for %s", async (_name, bounds) => {
    const { object, enter } = createNews({ recovery: { windowMs: 120_000, ...bounds } });
    const { peer, sid, pid } = await enter();
    peer.drop();
    for (let count = 0; count < 7; count += 1) object.server.emit({}, "news", ["x".repeat(20)]);
    const inTime = await enter({ pid });
    expect([inTime.sid, inTime.missed.length]).toEqual([sid, 7]);
    inTime.peer.drop();
    for (let count = 0; count < 3; count += 1) object.server.emit({}, "news", ["x".repeat(60)]);
    expect((await enter({ pid })).sid).not.toBe(sid);
  });
});

test("a lost socket leaves nothing behind after the window", async () => {
  const { object, enter } = createNews();
  const { peer } = await enter();
  object.server.emit({}, "news", ["one"]);
  peer.drop();
  object.advance(120_000);
  expect(Object.values(object.rows()).reduce((sum, rows) => sum + rows, 0)).toBe(1);
});

test("an idle client is recovered with an old offset, though other events have expired", async () => {
  const { object, enter } = createNews();
  const { peer, sid, pid } = await enter();
  const other = await enter();
  object.server.emit({ rooms: ["news"] }, "news", ["seen"]);
  const offset = lastOffset(peer);
  for (let minute = 0; minute < 30; minute += 1) {
    object.advance(60_000);
    for (const each of [peer, other.peer]) if (each.read().includes("2")) each.send("3");
    object.server.emit({ rooms: [other.sid] }, "news", ["for another"]);
  }
  peer.drop();
  object.server.emit({ rooms: ["news"] }, "news", ["missed"]);
  const back = await enter({ pid, offset });
  expect([back.sid, back.missed.map(([text]) => text)]).toEqual([sid, ["missed"]]);
  expect(object.rows()["events"]).toBeLessThan(10);
});
