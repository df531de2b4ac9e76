/** The state of one surface in `/health`, in sentences. */
import type { SurfaceName } from "../api/page-settings.ts";
import type { Health } from "../api/use-health.ts";
import { plural } from "../texts/number.ts";

const databaseStates = { connected: "connected", disconnected: "not reachable", not_bound: "not bound" };

export interface SurfaceState {
  readonly isWorking: boolean;
  readonly details: readonly string[];
}

export function surfaceState(name: SurfaceName, health: Health): SurfaceState {
  const wrong = [...(health.misconfigured?.shared ?? []), ...(health.misconfigured?.[name] ?? [])];
  const needsDatabase = name !== "query-gateway";
  const details: string[] = [];
  if (wrong.length > 0) details.push(`Wrong settings: ${wrong.join(", ")}`);
  if (needsDatabase) details.push(`Database: ${databaseStates[health.database]}`);
  const { storage } = health;
  const isFull = needsDatabase && storage?.state === "full";
  if (needsDatabase && storage !== undefined && storage.state !== "ok") details.push(fillLevel(storage));
  if (name === "query-gateway" && health.gateway !== undefined) {
    const { nodes } = health.gateway;
    details.push(
      `${nodes.filter(({ state }) => state === "ok").length} of ${plural(nodes.length, "node", "nodes")} working`,
    );
  }
  if (name === "oracle" && health.plugins !== undefined) {
    const { loaded = [], excluded = [] } = health.plugins;
    details.push(`${plural(loaded.length, "plugin", "plugins")} loaded`);
    const off = excluded.map(({ plugin }) => plugin);
    if (off.length > 0) details.push(`Switched off: ${off.join(", ")}`);
  }
  return {
    isWorking: wrong.length === 0 && !isFull && (health.database !== "disconnected" || !needsDatabase),
    details,
  };
}

function fillLevel({ usedBytes, maxBytes, state }: NonNullable<Health["storage"]>): string {
  const percent = `${Math.floor((usedBytes / maxBytes) * 100)} %`;
  if (state === "full") return `The database is full (${percent}). Nothing can be saved until an operator frees space`;
  return `The database is ${percent} full`;
}
