/**
 * Problems with the connection, and whether the page is rejoining a reply. It shows nothing while the connection works.
 */
import type { ChatRunState } from "@twinedge/sdk";
import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

function stateOf(
  isOnline: boolean,
  isConnected: boolean,
  run: ChatRunState,
): readonly [name: string, text: string] | undefined {
  if (!isOnline) return ["offline", "Offline"];
  if (run.reconnecting) return ["waiting", "Reconnecting"];
  if (run.ended === "disconnected") return ["waiting", "Reply still running"];
  return isConnected ? undefined : ["waiting", "Connecting"];
}

export function ConnectionState({ isConnected, run }: { readonly isConnected: boolean; readonly run: ChatRunState }) {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const state = stateOf(isOnline, isConnected, run);
  return (
    <span role="status">
      {state !== undefined && (
        <span className={`connection ${state[0]}`}>
          <span>{state[1]}</span>
        </span>
      )}
    </span>
  );
}
