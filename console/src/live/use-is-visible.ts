/** Whether somebody can see the page: a hidden tab holds no connection and asks for nothing. */
import { useSyncExternalStore } from "react";

export function useIsVisible(): boolean {
  return useSyncExternalStore(subscribe, () => document.visibilityState === "visible");
}

function subscribe(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}
