/** A homeserver for tests of calls, stopped when the test ends. */
import { onTestFinished } from "vitest";
import { startHomeserver, type HomeserverPeer } from "../peers/homeserver.ts";

export async function startPeer(): Promise<HomeserverPeer> {
  const peer = await startHomeserver();
  onTestFinished(() => peer.stop());
  return peer;
}
