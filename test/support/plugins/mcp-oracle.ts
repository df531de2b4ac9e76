/** Oracles with the plugin mcp and the servers of a test. */
import { createMcp, mcp, platform } from "../../../oracle/plugins/mcp/plugin.ts";
import { MAX_LIST_TTL_MS } from "../../../oracle/plugins/mcp/tool-lists.ts";
import { testOracle, type TestOracle, type TestTurn } from "../../../workers/oracle/testing/index.ts";
import type { ControlledPeer } from "./mcp-peer-control.ts";

export const eras = ["new", "old"] as const;

export function oracleWith(
  peers: readonly Pick<ControlledPeer, "entry">[],
  env: Readonly<Record<string, string>> = {},
  plugin = mcp,
): Promise<TestOracle> {
  const MCP_SERVERS = JSON.stringify(peers.map(({ entry }) => entry));
  return testOracle({ plugins: [plugin], env: { ENVIRONMENT: "development", MCP_SERVERS, ...env } });
}

/** `later()`: advances the clock by this many milliseconds; by default, so far that every list is old. */
export function mcpWithClock() {
  let now = Date.now();
  const plugin = createMcp({ ...platform, clock: () => now });
  return { plugin, later: (milliseconds = MAX_LIST_TTL_MS) => void (now += milliseconds) };
}

export function noticesOf({ notices }: TestTurn): readonly string[] {
  return notices.map((notice) => String((notice as { readonly error?: unknown }).error));
}
