/** Starts an MCP server of `mcp-peers.ts` from a test inside workerd, and controls it. */
import { inject } from "vitest";
import type { McpPeerOptions, McpRequestSeen } from "../peers/mcp-servers.ts";

export interface PeerSeen {
  readonly calls: readonly string[];
  readonly requests: readonly McpRequestSeen[];
}

export interface ControlledPeer {
  /** Its member of `MCP_SERVERS`. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly name: string;
  seen(): Promise<PeerSeen>;
  order(command: "describe" | "add-tool" | "break" | "release" | "hang" | "stop", text?: string): Promise<void>;
}

/** `bearer`: the only accepted token; `*` accepts any. */
export async function startControlledPeer(
  options: Omit<McpPeerOptions, "requireBearer" | "otherRoutes"> & { readonly bearer?: string } = {},
): Promise<ControlledPeer> {
  const control = inject("mcpPeers");
  const response = await fetch(`${control}/start`, { method: "POST", body: JSON.stringify(options) });
  const { index, entry } = await response.json<{ index: number; entry: { name: string } }>();
  return {
    entry,
    name: entry.name,
    async seen() {
      return (await fetch(`${control}/${index}`)).json();
    },
    async order(command, text = "") {
      await (await fetch(`${control}/${index}/${command}`, { method: "POST", body: text })).text();
    },
  };
}
