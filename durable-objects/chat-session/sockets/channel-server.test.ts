/** The chat's settings of its socket server: limits at their edges, and how often many idle tabs wake the object. */
import { expect, test } from "vitest";
import { createObject, type Peer } from "../../../test/support/socketio/object-in-node.ts";
import { createChannelServer } from "./channel-server.ts";
import { SOCKETS_PER_SESSION } from "./chat-channel.ts";

const settings = { pingIntervalMs: 180_000, pingTimeoutMs: 60_000, origins: "*" } as const;

function createChannelRig() {
  return createObject((ports) =>
    createChannelServer(
      { authenticate: () => ({ ok: true, data: { provenAt: 0, did: "did:key:z6Mk" } }) },
      settings,
      ports,
    ),
  );
}

test("tabs that connect at any time wake their session at most four times per ping interval", async () => {
  const rig = createChannelRig();
  const peers: Peer[] = [];
  for (let tab = 0; tab < SOCKETS_PER_SESSION; tab += 1) {
    const peer = await rig.connect();
    peers.push(peer);
    peer.send("40");
    await rig.settle();
    rig.advance(settings.pingIntervalMs / SOCKETS_PER_SESSION);
    answerPings();
  }
  const before = rig.alarms;
  const intervals = 20;
  for (let second = 0; second < (intervals * settings.pingIntervalMs) / 1000; second += 5) {
    rig.advance(5_000);
    answerPings();
  }
  expect(rig.alarms - before).toBeGreaterThanOrEqual(intervals);
  expect(rig.alarms - before).toBeLessThanOrEqual(4 * intervals);
  expect(peers.filter(({ closed }) => closed !== undefined)).toEqual([]);

  function answerPings(): void {
    for (const peer of peers) if (peer.read().includes("2")) peer.send("3");
  }
});

test("a connection sends 200 packets at once and 50 a second; one more disconnects it [OR-115]", async () => {
  const rig = createChannelRig();
  const peer = await rig.connect();
  const ping = (times: number): void => {
    for (let count = 0; count < times; count += 1) peer.send('42["ping"]');
  };
  peer.send("40");
  await rig.settle();
  ping(199);
  rig.advance(1_000);
  ping(50);
  expect(peer.closed).toBe(undefined);
  ping(1);
  expect(peer.closed?.code).toBe(4429);
});

test("an object has 128 connections; one more replaces the oldest unauthenticated one [OR-114]", async () => {
  const rig = createChannelRig();
  const first = await rig.connect();
  rig.advance(1);
  for (let count = 1; count < 128; count += 1) await rig.connect();
  expect(first.closed).toBe(undefined);
  expect((await rig.request("transport=polling")).status).toBe(200);
  expect(first.closed?.code).toBe(4408);
});

test("a connection has 10 s to authenticate [OR-115]", async () => {
  const rig = createChannelRig();
  const peer = await rig.connect();
  rig.advance(9_999);
  expect(peer.closed).toBe(undefined);
  rig.advance(1);
  expect(peer.closed?.code).toBe(4408);
});
