/** Whether the oracle can reach this page, and whether a reply is being picked up again. */
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

function stateOf(isOnline: boolean, isConnected: boolean, run: ChatRunState): readonly [name: string, text: string] {
  if (!isOnline) return ["offline", "Offline"];
  if (run.reconnecting) return ["waiting", "Reconnecting"];
  if (run.ended === "disconnected") return ["waiting", "Reply still running"];
  return isConnected ? ["live", "Connected"] : ["waiting", "Connecting"];
}

export function ConnectionState({ isConnected, run }: { readonly isConnected: boolean; readonly run: ChatRunState }) {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const [name, text] = stateOf(isOnline, isConnected, run);
  return (
    <span className={`connection ${name}`} role="status">
      <span>{text}</span>
    </span>
  );
}
