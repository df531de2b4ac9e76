/** `GET /health` of this host. An unhealthy host answers 503 with the same members, so its answer is data, not a failure. */
import { useQuery } from "@tanstack/react-query";
import { failureOf, failureOfThrown } from "./api-failure.ts";
import type { SurfaceName } from "./page-settings.ts";

export interface Health {
  readonly status: "ok" | "error";
  readonly environment: string;
  readonly database: "connected" | "disconnected" | "not_bound";
  /** Surface to the names of its wrong variables. */
  readonly misconfigured?: Readonly<Partial<Record<SurfaceName | "shared", readonly string[]>>>;
  /** In development only: what is wrong with each variable. */
  readonly configuration?: readonly { readonly surface: string; readonly variable: string; readonly problem: string }[];
  readonly gateway?: {
    readonly nodes: readonly { readonly name: string; readonly state: string; readonly height: string | null }[];
  };
  readonly plugins?: {
    readonly loaded?: readonly string[];
    readonly excluded?: readonly { readonly plugin: string; readonly reason: string }[];
  };
}

/** Milliseconds between two looks while the page is visible. */
const INTERVAL = 15_000;

export function useHealth() {
  return useQuery({
    queryKey: ["get", "/health"],
    refetchInterval: INTERVAL,
    queryFn: async ({ signal }): Promise<Health> => {
      let response;
      try {
        response = await fetch("/health", { signal });
      } catch (error) {
        if (signal.aborted) throw error;
        throw failureOfThrown(error);
      }
      if (!response.ok && response.status !== 503) throw await failureOf(response);
      return (await response.json()) as Health;
    },
  });
}
