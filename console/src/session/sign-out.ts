/**
 * Signing out: the keys go, and with them everything that was read by them. What is on the screen goes too: a part that holds
 * an answer in its own state would show it on, so all of them are made again.
 */
import { useSyncExternalStore } from "react";
import { credentials, queryClient } from "../api/api.ts";

/**
 * Begins the name of what is kept in a tab for its keys, also by screens that were not opened since the page was loaded. The chat's
 * drafts belong to another identity, and begin otherwise.
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

/** Calls back at each signing out; returns what ends that. For what a screen keeps outside of its components. */
export function whenSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How often this page was signed out: a React key for what shall be made again. */
export function useSignOutCount(): number {
  return useSyncExternalStore(whenSignedOut, () => count);
}
