/** Whether the host has a list of sign-ins. Without a server that requires one, a request for it would fail. */
import type { PluginsHealth } from "../api/use-health.ts";

export function hasSignIns({ loaded = [], health }: PluginsHealth = {}): boolean {
  const servers = health?.mcp?.servers;
  return loaded.includes("mcp") && (servers === undefined || servers.some(({ auth }) => auth === "oauth"));
}
