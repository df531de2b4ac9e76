/**
 * The end of a session: it removes the keys and everything that was read with them. All screens are remounted, because a component
 * with an answer in its own state would otherwise keep showing it. Signing out ends the session of every tab; another user's keys
 * end their tab's session and begin a new one.
 */
import { useSyncExternalStore } from "react";
import { credentials, queryClient, tabStorage } from "../api/api.ts";
import type { Credentials } from "../api/credentials.ts";
import { removeItems } from "../api/page-storage.ts";

/**
 * Prefix of the names in sessionStorage that belong to a tab's keys, so that signing out also clears data of screens that are not
 * loaded. The chat's drafts belong to another identity and have another prefix.
 */
const OWN = "twinedge console ";
const listeners = new Set<() => void>();
let count = 0;

/** In this tab. */
export function endSession(next: Credentials = {}): void {
  credentials.replace(next);
  queryClient.clear();
  removeItems(tabStorage, (name) => name.startsWith(OWN));
  count += 1;
  for (const listener of listeners) listener();
}

/** Messages between the tabs of a browser about their sessions. */
export type SessionNews = "signed out" | "in use";
export const SESSION_CHANNEL = "twinedge console session";

export function tellOtherTabs(news: SessionNews): void {
  const channel = new BroadcastChannel(SESSION_CHANNEL);
  // A channel, not a window, so it has no target origin.
  const tell = channel.postMessage.bind(channel);
  tell(news);
  channel.close();
}

/** In all tabs. */
export function signOut(): void {
  endSession();
  tellOtherTabs("signed out");
}

/** Calls back at each end of a session, for data that a screen keeps outside its components. The returned function unsubscribes. */
export function whenSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How often a session has ended in this page: a React key for parts that must be remounted. */
export function useSignOutCount(): number {
  return useSyncExternalStore(whenSignedOut, () => count);
}
