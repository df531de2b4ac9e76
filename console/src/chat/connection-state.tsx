/** Whether the oracle reaches this page, in words, and whether an answer is being picked up again. */
import type { ChatRunState } from "@twinedge/sdk";
import { useSyncExternalStore } from "react";
import { Badge, type Tone } from "../kit/badge.tsx";
import { chatTexts } from "../texts/chat.ts";

export interface ConnectionStateProps {
  readonly isConnected: boolean;
  readonly run: ChatRunState;
}

export function ConnectionState({ isConnected, run }: ConnectionStateProps) {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const [tone, text] = stateOf(isOnline, isConnected, run);
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

function stateOf(isOnline: boolean, isConnected: boolean, run: ChatRunState): readonly [Tone, string] {
  const words = chatTexts.connection;
  if (!isOnline) return ["warn", words.offline];
  if (run.reconnecting) return ["warn", words.reconnecting];
  if (run.ended === "disconnected") return ["warn", words.disconnected];
  return isConnected ? ["ok", words.live] : ["neutral", words.connecting];
}

function subscribe(changed: () => void): () => void {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}
