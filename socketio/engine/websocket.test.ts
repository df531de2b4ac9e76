/** Engine.IO in Node: the websocket transport, the upgrade to it, and the heartbeat of both, across evictions. */
import { describe, expect, test } from "vitest";
import { createEngineObject, pollingSession } from "../../test/support/socketio/object-in-node.ts";

/** Prevents heartbeats during a test. */
const withoutPings = { pingIntervalMs: 1_000_000, pingTimeoutMs: 1_000_000 };

describe("websocket", () => {
  test("handshake, text, binary, close", async () => {
    const object = createEngineObject();
    const peer = await object.connect();
    expect(JSON.parse((peer.read()[0] ?? "").slice(1))).toEqual({
      sid: "id-1",
      upgrades: [],
      pingInterval: 300,
      pingTimeout: 200,
      maxPayload: 1_000_000,
    });
    peer.send("4hello");
    object.evict();
    peer.send(Uint8Array.from([1, 2, 3, 4]).buffer);
    expect(peer.read()).toEqual(["4hello", "bAQIDBA=="]);
    peer.send("1");
    expect(peer.closed?.code).toBe(1000);
    expect(object.rows()["sessions"]).toBe(0);
  });

  test.each([
    ["abc", 4400],
    ["", 4400],
    ["2", 4400],
    [`4${"é".repeat(5)}`, 1009],
    [new ArrayBuffer(11), 1009],
  ])("%j closes it with %i [OR-116]", async (message, code) => {
    const peer = await createEngineObject({ maxPayload: 10 }).connect();
    peer.send(message);
    expect(peer.closed?.code).toBe(code);
  });

  test("messages of maxPayload bytes are accepted", async () => {
    const peer = await createEngineObject({ maxPayload: 10 }).connect();
    peer.read();
    peer.send("4éééé1");
    peer.send(new ArrayBuffer(10));
    expect(peer.read()).toEqual(["4éééé1", "bAAAAAAAAAAAAAA=="]);
  });

  test("a client that confirms nothing for 10 s is closed over maxBufferedBytes [OR-116]", async () => {
    const object = createEngineObject({ ...withoutPings, maxBufferedBytes: 1000 });
    const peer = await object.connect();
    peer.read();
    peer.send(`4${"x".repeat(1000)}`);
    expect(peer.read()).toContain("2");
    object.advance(9_999);
    peer.send("4a");
    expect(peer.closed).toBe(undefined);
    object.advance(1);
    peer.send("4b");
    expect(peer.closed?.code).toBe(4413);
  });

  test("a burst without time for a pong may have three times maxBufferedBytes, and no more [OR-116]", async () => {
    const object = createEngineObject({ ...withoutPings, maxBufferedBytes: 1000 });
    const peer = await object.connect();
    peer.read();
    for (let event = 0; event < 3; event += 1) peer.send(`4${"x".repeat(899)}`);
    expect(peer.closed).toBe(undefined);
    expect(peer.read().filter((frame) => frame === "2")).toHaveLength(1);
    // Its pong confirms the first event; the next ping is for the other two.
    peer.send("3");
    expect(peer.read()).toEqual(["2"]);
    peer.send("3");
    object.advance(60_000);
    for (let event = 0; event < 3; event += 1) peer.send(`4${"x".repeat(999)}`);
    expect(peer.closed).toBe(undefined);
    peer.send("4");
    expect(peer.closed?.code).toBe(4413);
  });

  test("a client may send exactly packetRate packets; the next connection has a new count [OR-115]", async () => {
    const object = createEngineObject({ ...withoutPings, packetRate: { burst: 3, perSecond: 2 } });
    const peer = await object.connect();
    for (const packet of ["4a", "3", "4b"]) peer.send(packet);
    object.advance(500);
    peer.send("4c");
    object.advance(60_000);
    for (const packet of ["4d", "6", "4e"]) peer.send(packet);
    expect(peer.closed).toBe(undefined);
    peer.send("4f");
    expect(peer.closed?.code).toBe(4429);
    expect(peer.read().slice(1)).toEqual(["4a", "4b", "4c", "4d", "4e"]);
    const other = await object.connect();
    other.send("4a");
    expect(other.read().at(-1)).toBe("4a");
  });

  test("probes count too", async () => {
    const object = createEngineObject({ ...withoutPings, packetRate: { burst: 2, perSecond: 1 } });
    const { sid, poll } = await pollingSession(object);
    const probe = await object.connect(`transport=websocket&sid=${sid}`);
    for (let times = 0; times < 3; times += 1) probe.send("2probe");
    expect(probe.read()).toEqual(["3probe", "3probe"]);
    expect(probe.closed?.code).toBe(1000);
    expect(await (await poll()).text()).toBe("1");
  });
});

describe("upgrade", () => {
  async function upgraded(object: ReturnType<typeof createEngineObject>, between: () => void = () => undefined) {
    const session = await pollingSession(object);
    await session.post("4before");
    between();
    const peer = await object.connect(`transport=websocket&sid=${session.sid}`);
    between();
    peer.send("2probe");
    expect(peer.read()).toEqual(["3probe"]);
    between();
    peer.send("5");
    return { ...session, peer };
  }

  test("moves buffered packets, then rejects polling and other websockets", async () => {
    const object = createEngineObject();
    const { sid, peer, poll } = await upgraded(object);
    peer.send("4after");
    expect(peer.read()).toEqual(["4before", "4after"]);
    expect((await poll()).status).toBe(400);
    await expect(object.connect(`transport=websocket&sid=${sid}`)).rejects.toThrow("1008");
    expect(peer.closed).toBe(undefined);
  });

  test("works with the object evicted between any two steps", async () => {
    const object = createEngineObject();
    const { peer } = await upgraded(object, object.evict);
    object.evict();
    peer.send("4after");
    expect(peer.read()).toEqual(["4before", "4after"]);
  });

  test("a waiting poll gets a noop 100 ms after the probe, later ones at once", async () => {
    const object = createEngineObject({ pingIntervalMs: 10_000 });
    const { sid, poll } = await pollingSession(object);
    const waiting = poll();
    const peer = await object.connect(`transport=websocket&sid=${sid}`);
    peer.send("2probe");
    object.advance(100);
    expect(await (await waiting).text()).toBe("6");
    expect(await (await poll()).text()).toBe("6");
  });

  test("a poll that waits until the end of the upgrade fails", async () => {
    const object = createEngineObject();
    const { sid, poll } = await pollingSession(object);
    const waiting = poll();
    const peer = await object.connect(`transport=websocket&sid=${sid}`);
    peer.send("2probe");
    peer.send("5");
    expect((await waiting).status).toBe(400);
  });

  test.each([["5"], ["4hello"], ["2"], ["abc"]])(
    "%j instead of the probe ends it; the session continues polling",
    async (frame) => {
      const object = createEngineObject();
      const { sid, poll, post } = await pollingSession(object);
      const peer = await object.connect(`transport=websocket&sid=${sid}`);
      peer.send(frame);
      expect(peer.closed?.code).toBe(1000);
      await post("4on");
      expect(await (await poll()).text()).toBe("4on");
    },
  );

  test("a session that is closed during it sends its last packets on both transports", async () => {
    const object = createEngineObject();
    const { sid, poll, post } = await pollingSession(object);
    const early = await object.connect(`transport=websocket&sid=${sid}`);
    await post("4last");
    early.send("2probe");
    object.server.close(sid, "forced server close");
    expect(early.read()).toEqual(["3probe", "4last"]);
    expect(early.closed?.code).toBe(1000);
    expect(await (await poll()).text()).toBe("4last");
    expect(await (await poll()).text()).toBe("1");
  });

  test("ends at its time-out; a second one is rejected until then", async () => {
    const object = createEngineObject({ pingIntervalMs: 100_000 });
    const { sid } = await pollingSession(object);
    const peer = await object.connect(`transport=websocket&sid=${sid}`);
    await expect(object.connect(`transport=websocket&sid=${sid}`)).rejects.toThrow("1008");
    object.advance(9_999);
    expect(peer.closed).toBe(undefined);
    object.advance(1);
    expect(peer.closed?.code).toBe(1000);
    expect(object.rows()["sessions"]).toBe(1);
  });
});

describe("heartbeat", () => {
  test("a websocket is pinged each interval, and closed with 4408 without a pong [OR-113]", async () => {
    const object = createEngineObject();
    const peer = await object.connect();
    peer.read();
    for (let round = 0; round < 3; round += 1) {
      object.advance(300);
      expect(peer.read()).toEqual(["2"]);
      object.evict();
      peer.send("3");
    }
    object.advance(499);
    expect(peer.closed).toBe(undefined);
    object.advance(1);
    expect(peer.closed).toEqual({ code: 4408, reason: "ping timeout" });
    expect(object.rows()["sessions"]).toBe(0);
  });

  test("a polling client is pinged through its poll, and closed without a pong, with or without an alarm [OR-113]", async () => {
    const object = createEngineObject();
    const { poll, post } = await pollingSession(object);
    for (let round = 0; round < 3; round += 1) {
      const waiting = poll();
      object.advance(300);
      expect(await (await waiting).text()).toBe("2");
      await post("3");
    }
    object.advance(500);
    expect((await poll()).status).toBe(400);
  });

  test("sockets share their pings: at most four alarms per interval", async () => {
    const object = createEngineObject({ pingIntervalMs: 180_000, pingTimeoutMs: 60_000, pingTogetherMs: 45_000 });
    const peers = [];
    // They connect in sequence, over the whole interval.
    for (let count = 0; count < 40; count += 1) {
      peers.push(await object.connect());
      object.advance(4_500);
      answerPings(peers);
    }
    const before = object.alarms;
    for (let second = 0; second < 36_000; second += 10) {
      object.advance(10_000);
      answerPings(peers);
    }
    const hours = 36_000 / 3_600;
    const perHour = (object.alarms - before) / hours;
    // One socket costs 20 an hour; forty of them no more than four times that.
    expect(perHour).toBeGreaterThanOrEqual(20);
    expect(perHour).toBeLessThanOrEqual(80);
    expect(peers.filter(({ closed }) => closed !== undefined)).toEqual([]);
  });

  function answerPings(peers: readonly { read(): string[]; send(message: string): void }[]): void {
    for (const peer of peers) if (peer.read().includes("2")) peer.send("3");
  }

  test("after a kill the sessions of lost websockets are deleted", async () => {
    const object = createEngineObject();
    await object.connect();
    await object.connect();
    object.kill();
    object.advance(1);
    object.server.alarm();
    expect(object.rows()["sessions"]).toBe(0);
  });
});
