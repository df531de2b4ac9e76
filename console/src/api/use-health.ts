/** `GET /health` of this host. An unhealthy host answers 503 with these members, so its answer is data and not a failure. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { authorizedFetch } from "./api.ts";
import type { SurfaceName } from "./page-settings.ts";

export interface Health {
  readonly status: "ok" | "error";
  readonly environment: string;
  readonly database: "connected" | "disconnected" | "not_bound";
  /** Present if the database reports its size. `warning` from 70 % on; a full one refuses writes. */
  readonly storage?: {
    readonly usedBytes: number;
    readonly maxBytes: number;
    readonly state: "ok" | "warning" | "full";
  };
  /** Surfaces with the names of their invalid variables. */
  readonly misconfigured?: Readonly<Partial<Record<SurfaceName | "shared", readonly string[]>>>;
  readonly gateway?: {
    readonly nodes: readonly { readonly name: string; readonly state: string; readonly height: string | null }[];
  };
  readonly plugins?: PluginsHealth;
}

export interface PluginsHealth {
  readonly loaded?: readonly string[];
  readonly excluded?: readonly { readonly plugin: string; readonly reason: string }[];
  /** The plugins' own reports. A plugin that takes too long is missing. */
  readonly health?: { readonly mcp?: { readonly servers?: readonly { readonly auth?: string }[] } };
}

const UNHEALTHY = 503;

export const healthQuery = queryOptions({
  queryKey: ["get", "/health"],
  queryFn: async ({ signal }): Promise<Health> => {
    const response = await authorizedFetch(`${location.origin}/health`, { signal }, [UNHEALTHY]);
    return (await response.json()) as Health;
  },
});

/** Milliseconds between two requests while the page is visible. */
const INTERVAL = 15_000;

export function useHealth() {
  return useQuery({ ...healthQuery, refetchInterval: INTERVAL });
}
