import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createWaitingRoom } from "./waiting-room.ts";

/** The part of LiveKit's room that applications use; LiveKit itself needs a browser. */
class RealRoom extends EventEmitter {
  readonly localParticipant = Object.assign(new EventEmitter(), {
    isMicrophoneEnabled: true,
    rpc: new Map<string, unknown>(),
    registerRpcMethod(name: string, handler: unknown) {
      this.rpc.set(name, handler);
    },
  });
  readonly handlers = new Map<string, unknown>();
  state = "connected";
  get numParticipants() {
    return this.handlers.size;
  }
  registerTextStreamHandler(topic: string, handler: unknown) {
    this.handlers.set(topic, handler);
  }
  async switchActiveDevice(kind: string, id: string) {
    return `${kind} ${id} ${this.state}`;
  }
}

function waitingRoom() {
  const real = new RealRoom();
  let loads = 0;
  const waiting = createWaitingRoom(async () => {
    loads += 1;
    waiting.handOver(real as never);
    return real as never;
  });
  return { ...waiting, real, loads: () => loads };
}

test("before the first call, the room is defined, empty and disconnected [SD-178]", async () => {
  const { room, loads } = waitingRoom();
  expect([room.state, room.numParticipants, room.remoteParticipants.size, room.isE2EEEnabled]).toEqual([
    "disconnected",
    0,
    0,
    false,
  ]);
  expect([room.localParticipant.identity, room.localParticipant.isMicrophoneEnabled]).toEqual(["", false]);
  expect(room.localParticipant.getTrackPublications()).toEqual([]);
  expect(room.getParticipantByIdentity("agent")).toBeUndefined();
  await room.disconnect();
  // Awaiting it, rendering it and listing its members are harmless.
  expect(await Promise.resolve(room)).toBe(room);
  expect(Object.keys(room)).toContain("localParticipant");
  expect(loads()).toBe(0);
});

test("listeners added to the stand-in are added to LiveKit's room in order, and can be removed there [SD-178]", async () => {
  const { real, handOver, loads, ...waiting } = waitingRoom();
  // Uses the runtime names of events; the enumeration itself would load LiveKit.
  const room = waiting.room as unknown as RealRoom;
  const heard: string[] = [];
  const leaves = () => heard.push("disconnected");
  const removed = () => heard.push("removed");
  const handler = () => undefined;
  expect(room.on("connected", () => heard.push("connected"))).toBe(room);
  room.on("disconnected", leaves).on("connected", removed).off("connected", removed);
  room.registerTextStreamHandler("chat", handler);
  room.localParticipant.on("trackMuted", () => heard.push("muted"));
  room.localParticipant.registerRpcMethod("ask", handler);
  expect(loads()).toBe(0);
  handOver(real as never);
  real.emit("connected");
  real.emit("disconnected");
  real.localParticipant.emit("trackMuted");
  expect(heard).toEqual(["connected", "disconnected", "muted"]);
  expect([real.handlers.get("chat"), real.localParticipant.rpc.get("ask")]).toEqual([handler, handler]);
  // A caller that kept the first room removes a listener from the second.
  room.off("disconnected", leaves);
  real.emit("disconnected");
  expect(heard).toHaveLength(3);
  expect([room.state, room.numParticipants, room.localParticipant.isMicrophoneEnabled]).toEqual(["connected", 1, true]);
});

test("an operation that needs a real room loads LiveKit and runs there [SD-178]", async () => {
  const { room, loads } = waitingRoom();
  expect(await room.switchActiveDevice("audioinput", "mic")).toBe("audioinput mic connected");
  expect(loads()).toBe(1);
});
