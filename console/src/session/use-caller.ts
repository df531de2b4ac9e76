/** The owner of this tab's API key: DID, scopes, role, from `GET /v1/api-keys/current`. */
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiFailure } from "../api/api-failure.ts";
import { api, credentials } from "../api/api.ts";
import type { Credentials, KeyEnd } from "../api/credentials.ts";
import type { operations } from "../api/paths.d.ts";

export type CallerKey = operations["getCurrentApiKey"]["responses"][200]["content"]["application/json"];

/** Milliseconds: rights change rarely. */
const FRESH = 60_000;
/** Milliseconds between two requests after a temporary failure, and the shortest wait for the end of a key. */
const AGAIN = 5_000;
/** Milliseconds: a timer is limited to 24 days. */
const LONGEST = 86_400_000;

/** An answer for one key does not apply to another, and a removed key has none. */
export function useCaller() {
  const { apiKey } = useCredentials();
  const keyNumber = useKeyNumber();
  return useQuery({
    queryKey: ["get", "/v1/api-keys/current", keyNumber],
    queryFn: async ({ signal }) => {
      const caller = await readCaller({ signal });
      credentials.noteKeyExpiry(caller.expiresAt ?? null);
      return caller;
    },
    enabled: apiKey !== undefined,
    staleTime: FRESH,
    refetchInterval: ({ state: { data, error } }) => {
      if (error instanceof ApiFailure) return error.isPassing && AGAIN;
      // At its end, the registry is asked whether it still accepts the key.
      const left = typeof data?.expiresAt === "string" ? Date.parse(data.expiresAt) - Date.now() : undefined;
      return left !== undefined && Math.min(LONGEST, Math.max(AGAIN, left));
    },
  });
}

/** @param init with an Authorization header, to ask about a key other than the tab's. */
export async function readCaller(init: { readonly signal?: AbortSignal; readonly headers?: Record<string, string> }) {
  const { data } = await api.GET("/v1/api-keys/current", init);
  // A response that is not ok is thrown.
  return data as CallerKey;
}

/** The keys of this tab, for components. */
export function useCredentials(): Credentials {
  return useSyncExternalStore(credentials.subscribe, credentials.read);
}

/** Why this tab's API key no longer works; undefined while it is accepted. */
export function useKeyEnd(): KeyEnd | undefined {
  return useSyncExternalStore(credentials.subscribe, credentials.keyEnd);
}

/** Whether this tab was signed in before this page was loaded, and lost its keys since. */
export function useHasLostKeys(): boolean {
  return useSyncExternalStore(credentials.subscribe, credentials.hasLostKeys);
}

/** Changes with the API key. */
export function useKeyNumber(): number {
  return useSyncExternalStore(credentials.subscribe, credentials.keyNumber);
}

export interface Rights {
  readonly did: string;
  /** The key's label; null for a key that comes from the server's settings. */
  readonly label: string | null;
  readonly mayWrite: boolean;
  readonly mayVote: boolean;
  readonly mayPropose: boolean;
  readonly isAdmin: boolean;
}

/** The rights of this tab's key, so that a page offers actions that will succeed; undefined while unknown. The server decides. */
export function useRights(): Rights | undefined {
  const { data: { did, label = null, scopes = [] } = {} } = useCaller();
  if (did === undefined) return undefined;
  return {
    did,
    label,
    mayWrite: scopes.includes("domains:write"),
    mayVote: scopes.includes("verification:vote"),
    mayPropose: scopes.includes("verification:propose"),
    isAdmin: scopes.includes("registry:admin"),
  };
}

/** Controllers and admins can change a domain. */
export function mayChange(rights: Rights | undefined, { controllers }: { readonly controllers: readonly string[] }) {
  if (rights === undefined) return false;
  return rights.isAdmin || (rights.mayWrite && controllers.includes(rights.did));
}
