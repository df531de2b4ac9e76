/** The keys of this tab, for components. */
import { useSyncExternalStore } from "react";
import { credentials } from "../api/api.ts";
import type { Credentials } from "../api/credentials.ts";

export function useCredentials(): Credentials {
  return useSyncExternalStore(credentials.subscribe, credentials.read);
}

/** Changes with the API key. */
export function useKeyNumber(): number {
  return useSyncExternalStore(credentials.subscribe, credentials.keyNumber);
}
