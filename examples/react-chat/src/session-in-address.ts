/** The chosen session follows the # of the address, so that a reload and the back button keep it. */
import { useCallback, useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useSessionInAddress(): readonly [string | undefined, (sessionId: string | undefined) => void] {
  const hash = useSyncExternalStore(subscribe, () => location.hash.slice(1));
  const choose = useCallback((sessionId: string | undefined) => {
    location.hash = sessionId ?? "";
  }, []);
  return [hash === "" ? undefined : hash, choose];
}
