/**
 * Signing out removes the keys and everything that was read with them. All screens are mounted again, because a component that holds
 * an answer in its own state would otherwise keep showing it.
 */
import { useSyncExternalStore } from "react";
import { credentials, queryClient } from "../api/api.ts";

/**
 * The names in sessionStorage of what a tab keeps for its keys begin with this, so that signing out also removes what screens keep that
 * are not loaded. The chat's drafts belong to another identity and have another prefix.
 */
const OWN = "twinedge console ";
const listeners = new Set<() => void>();
let count = 0;

export function signOut(): void {
  credentials.clear();
  queryClient.clear();
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(OWN)) sessionStorage.removeItem(name);
  count += 1;
  for (const listener of listeners) listener();
}

/** Calls back at each sign-out, for what a screen keeps outside of its components. Returns a function that ends it. */
export function whenSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How often the user has signed out in this page: a React key for what is mounted again then. */
export function useSignOutCount(): number {
  return useSyncExternalStore(whenSignedOut, () => count);
}
