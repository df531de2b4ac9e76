/**
 * The end of a session: it removes the keys and everything that was read with them. All screens are mounted again, because a
 * component that holds an answer in its own state would otherwise keep showing it. Signing out ends the session of every tab;
 * keys of somebody else end the session of their tab, and begin another.
 */
import { useSyncExternalStore } from "react";
import { credentials, queryClient, tabStorage } from "../api/api.ts";
import type { Credentials } from "../api/credentials.ts";
import { removeItems } from "../api/page-storage.ts";

/**
 * The names in sessionStorage of what a tab keeps for its keys begin with this, so that signing out also removes what screens
 * keep that are not loaded. The chat's drafts belong to another identity and have another prefix.
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

/** What the tabs of a browser tell each other about their sessions. */
export type SessionNews = "signed out" | "in use";
export const SESSION_CHANNEL = "twinedge console session";

export function tellOtherTabs(news: SessionNews): void {
  const channel = new BroadcastChannel(SESSION_CHANNEL);
  // Not a window's, so it has no target origin.
  const tell = channel.postMessage.bind(channel);
  tell(news);
  channel.close();
}

/** In all tabs. */
export function signOut(): void {
  endSession();
  tellOtherTabs("signed out");
}

/** Calls back at each end of a session, for what a screen keeps outside of its components. Returns a function that ends it. */
export function whenSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How often a session has ended in this page: a React key for what is mounted again then. */
export function useSignOutCount(): number {
  return useSyncExternalStore(whenSignedOut, () => count);
}
