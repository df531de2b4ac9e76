/** An Engine.IO server in Node that echoes each message, and a polling session on it. */
import type { EngineOptions } from "../../durable-objects/socketio/options.ts";
import { createEchoEngine } from "./socketio-fixture/echo.ts";
import { suiteSettings } from "./socketio-fixture/settings.ts";
import { createRig, sidOf } from "./socketio-in-node.ts";

export function createEngineRig(options: Partial<EngineOptions> = {}) {
  return createRig((ports) => createEchoEngine(ports, { ...suiteSettings, ...options }));
}

export type EngineRig = ReturnType<typeof createEngineRig>;

export async function pollingSession(rig: EngineRig) {
  const sid = sidOf(await (await rig.request("transport=polling")).text());
  const query = `transport=polling&sid=${sid}`;
  return {
    sid,
    poll: (init?: RequestInit) => rig.request(query, init),
    post: (body: string, headers?: HeadersInit) =>
      rig.request(query, { method: "POST", body, ...(headers && { headers }) }),
  };
}
