/** Engine.IO over the rig: the websocket transport, the upgrade to it, and the heartbeat of both, across evictions. */
import { describe, expect, test } from "vitest";
import { createEngineRig, pollingSession, type EngineRig } from "../../../test/support/engine-rig.ts";

/** No heartbeat comes in between. */
const patient = { pingIntervalMs: 1_000_000, pingTimeoutMs: 1_000_000 };

describe("websocket", () => {
  test("handshake, text, binary, close", async () => {
    const rig = createEngineRig();
    const peer = await rig.connect();
    expect(JSON.parse((peer.read()[0] ?? "").slice(1))).toEqual({
      sid: "id-1",
      upgrades: [],
      pingInterval: 300,
      pingTimeout: 200,
      maxPayload: 1_000_000,
    });
    peer.send("4hello");
    rig.evict();
    peer.send(Uint8Array.from([1, 2, 3, 4]).buffer);
    expect(peer.read()).toEqual(["4hello", "bAQIDBA=="]);
    peer.send("1");
    expect(peer.closed?.code).toBe(1000);
    expect(rig.rows()["sessions"]).toBe(0);
  });

  test.each([
    ["abc", 4400],
    ["", 4400],
    ["2", 4400],
    [`4${"é".repeat(5)}`, 1009],
    [new ArrayBuffer(11), 1009],
  ])("%j closes it with %i", async (message, code) => {
    const peer = await createEngineRig({ maxPayload: 10 }).connect();
    peer.send(message);
    expect(peer.closed?.code).toBe(code);
  });

  test("messages of maxPayload bytes are taken", async () => {
    const peer = await createEngineRig({ maxPayload: 10 }).connect();
    peer.read();
    peer.send("4éééé1");
    peer.send(new ArrayBuffer(10));
    expect(peer.read()).toEqual(["4éééé1", "bAAAAAAAAAAAAAA=="]);
  });

  test("a client that confirms nothing for 10 s is given up above maxBufferedBytes", async () => {
    const rig = createEngineRig({ ...patient, maxBufferedBytes: 1000 });
    const peer = await rig.connect();
    peer.read();
    peer.send(`4${"x".repeat(1000)}`);
    expect(peer.read()).toContain("2");
    rig.advance(9_999);
    peer.send("4a");
    expect(peer.closed).toBe(undefined);
    rig.advance(1);
    peer.send("4b");
    expect(peer.closed?.code).toBe(4413);
  });

  test("a burst that leaves no time for a pong closes no healthy client, three times maxBufferedBytes at once does", async () => {
    const rig = createEngineRig({ ...patient, maxBufferedBytes: 1000 });
    const peer = await rig.connect();
    peer.read();
    for (let event = 0; event < 3; event += 1) peer.send(`4${"x".repeat(899)}`);
    expect(peer.closed).toBe(undefined);
    expect(peer.read().filter((frame) => frame === "2")).toHaveLength(1);
    // Its pong confirms the first event; the ping that follows asks for the other two.
    peer.send("3");
    expect(peer.read()).toEqual(["2"]);
    peer.send("3");
    rig.advance(60_000);
    for (let event = 0; event < 3; event += 1) peer.send(`4${"x".repeat(999)}`);
    expect(peer.closed).toBe(undefined);
    peer.send("4");
    expect(peer.closed?.code).toBe(4413);
  });

  test("a client may send packetRate and not one packet more; the next connection begins anew", async () => {
    const rig = createEngineRig({ ...patient, packetRate: { burst: 3, perSecond: 2 } });
    const peer = await rig.connect();
    for (const packet of ["4a", "3", "4b"]) peer.send(packet);
    rig.advance(500);
    peer.send("4c");
    rig.advance(60_000);
    for (const packet of ["4d", "6", "4e"]) peer.send(packet);
    expect(peer.closed).toBe(undefined);
    peer.send("4f");
    expect(peer.closed?.code).toBe(4429);
    expect(peer.read().slice(1)).toEqual(["4a", "4b", "4c", "4d", "4e"]);
    const other = await rig.connect();
    other.send("4a");
    expect(other.read().at(-1)).toBe("4a");
  });

  test("and no more probes either", async () => {
    const rig = createEngineRig({ ...patient, packetRate: { burst: 2, perSecond: 1 } });
    const { sid, poll } = await pollingSession(rig);
    const probe = await rig.connect(`transport=websocket&sid=${sid}`);
    for (let times = 0; times < 3; times += 1) probe.send("2probe");
    expect(probe.read()).toEqual(["3probe", "3probe"]);
    expect(probe.closed?.code).toBe(1000);
    expect(await (await poll()).text()).toBe("1");
  });
});

describe("upgrade", () => {
  async function upgraded(rig: EngineRig, between: () => void = () => undefined) {
    const session = await pollingSession(rig);
    await session.post("4before");
    between();
    const peer = await rig.connect(`transport=websocket&sid=${session.sid}`);
    between();
    peer.send("2probe");
    expect(peer.read()).toEqual(["3probe"]);
    between();
    peer.send("5");
    return { ...session, peer };
  }

  test("hands over what waits, and refuses polling and other websockets from then on", async () => {
    const rig = createEngineRig();
    const { sid, peer, poll } = await upgraded(rig);
    peer.send("4after");
    expect(peer.read()).toEqual(["4before", "4after"]);
    expect((await poll()).status).toBe(400);
    await expect(rig.connect(`transport=websocket&sid=${sid}`)).rejects.toThrow("1008");
    expect(peer.closed).toBe(undefined);
  });

  test("is the same with the object evicted between any two steps", async () => {
    const rig = createEngineRig();
    const { peer } = await upgraded(rig, rig.evict);
    rig.evict();
    peer.send("4after");
    expect(peer.read()).toEqual(["4before", "4after"]);
  });

  test("a poll that waits is let go 100 ms after the probe, later ones at once", async () => {
    const rig = createEngineRig({ pingIntervalMs: 10_000 });
    const { sid, poll } = await pollingSession(rig);
    const waiting = poll();
    const peer = await rig.connect(`transport=websocket&sid=${sid}`);
    peer.send("2probe");
    rig.advance(100);
    expect(await (await waiting).text()).toBe("6");
    expect(await (await poll()).text()).toBe("6");
  });

  test("a poll that waits while the session is handed over comes too late", async () => {
    const rig = createEngineRig();
    const { sid, poll } = await pollingSession(rig);
    const waiting = poll();
    const peer = await rig.connect(`transport=websocket&sid=${sid}`);
    peer.send("2probe");
    peer.send("5");
    expect((await waiting).status).toBe(400);
  });

  test.each([["5"], ["4hello"], ["2"], ["abc"]])(
    "%j instead of the probe ends it; the session polls on",
    async (frame) => {
      const rig = createEngineRig();
      const { sid, poll, post } = await pollingSession(rig);
      const peer = await rig.connect(`transport=websocket&sid=${sid}`);
      peer.send(frame);
      expect(peer.closed?.code).toBe(1000);
      await post("4on");
      expect(await (await poll()).text()).toBe("4on");
    },
  );

  test("a session that is closed meanwhile tells a client that has changed over, and one that has not", async () => {
    const rig = createEngineRig();
    const { sid, poll, post } = await pollingSession(rig);
    const early = await rig.connect(`transport=websocket&sid=${sid}`);
    await post("4last");
    early.send("2probe");
    rig.server.close(sid, "forced server close");
    expect(early.read()).toEqual(["3probe", "4last"]);
    expect(early.closed?.code).toBe(1000);
    expect(await (await poll()).text()).toBe("4last");
    expect(await (await poll()).text()).toBe("1");
  });

  test("is given up after its time-out, and a second one is refused meanwhile", async () => {
    const rig = createEngineRig({ pingIntervalMs: 100_000 });
    const { sid } = await pollingSession(rig);
    const peer = await rig.connect(`transport=websocket&sid=${sid}`);
    await expect(rig.connect(`transport=websocket&sid=${sid}`)).rejects.toThrow("1008");
    rig.advance(9_999);
    expect(peer.closed).toBe(undefined);
    rig.advance(1);
    expect(peer.closed?.code).toBe(1000);
    expect(rig.rows()["sessions"]).toBe(1);
  });
});

describe("heartbeat", () => {
  test("a websocket is pinged each interval, and closed when it does not answer", async () => {
    const rig = createEngineRig();
    const peer = await rig.connect();
    peer.read();
    for (let round = 0; round < 3; round += 1) {
      rig.advance(300);
      expect(peer.read()).toEqual(["2"]);
      rig.evict();
      peer.send("3");
    }
    rig.advance(499);
    expect(peer.closed).toBe(undefined);
    rig.advance(1);
    expect(peer.closed).toEqual({ code: 4408, reason: "ping timeout" });
    expect(rig.rows()["sessions"]).toBe(0);
  });

  test("a polling client is pinged through its poll, and over when it does not answer, alarm or not", async () => {
    const rig = createEngineRig();
    const { poll, post } = await pollingSession(rig);
    for (let round = 0; round < 3; round += 1) {
      const waiting = poll();
      rig.advance(300);
      expect(await (await waiting).text()).toBe("2");
      await post("3");
    }
    rig.advance(500);
    expect((await poll()).status).toBe(400);
  });

  test("a pong that is outstanding wakes the object once, pongs that have come do not", async () => {
    const rig = createEngineRig({ pingIntervalMs: 180_000, pingTimeoutMs: 60_000, pingTogetherMs: 45_000 });
    const peers = [];
    // They come one after the other, over the whole interval.
    for (let count = 0; count < 40; count += 1) {
      peers.push(await rig.connect());
      rig.advance(4_500);
      answerPings(peers);
    }
    const before = rig.alarms;
    for (let second = 0; second < 36_000; second += 10) {
      rig.advance(10_000);
      answerPings(peers);
    }
    const hours = 36_000 / 3_600;
    const perHour = (rig.alarms - before) / hours;
    // One socket alone costs 20 an hour; forty of them, which came at any time, no more than four times that.
    expect(perHour).toBeGreaterThanOrEqual(20);
    expect(perHour).toBeLessThanOrEqual(80);
    expect(peers.filter(({ closed }) => closed !== undefined)).toEqual([]);
  });

  function answerPings(peers: readonly { read(): string[]; send(message: string): void }[]): void {
    for (const peer of peers) if (peer.read().includes("2")) peer.send("3");
  }

  test("after a kill the lost websockets are forgotten", async () => {
    const rig = createEngineRig();
    await rig.connect();
    await rig.connect();
    rig.kill();
    rig.advance(1);
    rig.server.alarm();
    expect(rig.rows()["sessions"]).toBe(0);
  });
});
