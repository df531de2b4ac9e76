/** The plugin calls, on by default: records of calls, their keys for the agent that joins, and LiveKit tokens (docs/plugins/calls.md). */
import { defineOraclePlugin } from "../../framework/plugin.ts";
import { callRoutes } from "./call-routes.ts";
import { createCallStore } from "./call-store.ts";
import { callSettings, type CallSettings } from "./settings.ts";
import { sfuRoute } from "./sfu-route.ts";

export const calls = defineOraclePlugin<CallSettings>({
  name: "calls",
  version: "1.0.0",
  manifest: {
    title: "Calls",
    summary: "Stores voice and video calls with the oracle.",
    whenToUse: [],
    category: "communication",
    visibility: "silent",
  },
  configSchema: callSettings,

  getRoutes: ({ config: settings }) => [
    ...callRoutes({
      settings,
      send: (address, init) => fetch(address, init),
      now: () => new Date().toISOString(),
    }),
    sfuRoute({ settings, fetch: (address, init) => fetch(address, init), clock: () => Date.now() }),
  ],

  async userErased(did, { storageOf }) {
    await createCallStore(storageOf).disown(did);
    return [];
  },

  getHealth: ({ config: { agentKey, liveKit, matrix } }) => ({
    keyRoute: agentKey !== undefined,
    liveKit: liveKit !== undefined,
    matrix: matrix !== undefined,
  }),
});
