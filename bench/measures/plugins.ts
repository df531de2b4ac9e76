/**
 * The cost of plugins for a turn that uses none of them: an oracle with every plugin on, compared with one without any. Credits are
 * measured separately, since they hold and settle every turn.
 */
import { startMcpPeer } from "../../test/support/peers/mcp-servers.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Aim } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import type { Bench, Measure } from "./measure.ts";
import { turnsOf } from "./turn.ts";

/** At most a tenth more CPU. */
const AIM: Aim = { ratio: 1 / 1.1 };

/** Turns on plugins that need more than a binding; none of these services is called, except for the list of the MCP server. */
const settings = {
  SLACK_BOT_TOKEN: "xoxb-bench-token",
  SLACK_SIGNING_SECRET: "bench-signing-secret",
  LIVEKIT_URL: "wss://livekit.invalid",
  LIVEKIT_API_KEY: "bench-key",
  LIVEKIT_API_SECRET: "bench-secret-of-thirty-two-letters",
  LIVE_AGENT_AUTH_API_KEY: "bench-live-agent-key-of-some-length",
  REGISTRY_URL: "https://registry.invalid",
  CRON_SECRET: "bench-cron-secret-of-some-length",
};

export const plugins: Measure = {
  name: "plugins",
  about: "a turn with every plugin on and none used, beside one of an oracle without plugins",
  async take(bench) {
    const peer = await startMcpPeer({ ttlMs: 3_600_000 });
    try {
      const runtime = await startRuntime(bench.bundles, bench.makeFolder(), {
        plugins: { ...settings, ...peer.variables },
      });
      try {
        return await rows({ ...bench, runtime });
      } finally {
        await runtime.kill();
      }
    } finally {
      await peer.stop();
    }
  },
};

async function rows(bench: Bench) {
  const { withPlugins, withCredits, withoutPlugins } = bench.runtime;
  const taken = await inTurns(bench.options.rounds, {
    loaded: () => turnsOf(bench, withPlugins),
    credits: () => turnsOf(bench, withCredits),
    none: () => turnsOf(bench, withoutPlugins),
  });
  const cost = (side: keyof typeof taken) => taken[side].map(({ micros }) => micros);
  const row = { unit: "µs CPU", scale: "time", baseline: { name: "no plugin", samples: cost("none") } } as const;
  return [
    rowOf({ ...row, what: "turn with all plugins, none used", samples: cost("loaded"), aim: AIM }),
    rowOf({ ...row, what: "the same with credits held and settled", samples: cost("credits") }),
  ];
}
