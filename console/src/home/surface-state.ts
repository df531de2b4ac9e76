/** What `/health` says of one surface, in sentences. */
import type { SurfaceName } from "../api/page-settings.ts";
import type { Health } from "../api/use-health.ts";
import { homeTexts } from "../texts/home.ts";

export interface SurfaceState {
  readonly isWorking: boolean;
  readonly details: readonly string[];
}

export function surfaceState(name: SurfaceName, health: Health): SurfaceState {
  const wrong = [...(health.misconfigured?.shared ?? []), ...(health.misconfigured?.[name] ?? [])];
  const needsDatabase = name !== "query-gateway";
  const details: string[] = [];
  if (wrong.length > 0) details.push(homeTexts.wrongVariables(wrong));
  if (needsDatabase) details.push(`${homeTexts.database}: ${homeTexts.databaseStates[health.database]}`);
  if (name === "query-gateway" && health.gateway !== undefined) {
    const { nodes } = health.gateway;
    details.push(homeTexts.nodes(nodes.filter(({ state }) => state === "ok").length, nodes.length));
  }
  if (name === "oracle" && health.plugins !== undefined) {
    const { loaded = [], excluded = [] } = health.plugins;
    details.push(homeTexts.plugins(loaded.length));
    const off = excluded.map(({ plugin }) => plugin);
    if (off.length > 0) details.push(`${homeTexts.pluginsOff}: ${off.join(", ")}`);
  }
  return { isWorking: wrong.length === 0 && (health.database !== "disconnected" || !needsDatabase), details };
}
