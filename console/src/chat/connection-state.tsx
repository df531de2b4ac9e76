/** What is wrong with the connection, in words, and whether an answer is being picked up again. A connection that works shows nothing. */
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
  const state = stateOf(isOnline, isConnected, run);
  return <span role="status">{state !== undefined && <Badge tone={state[0]}>{state[1]}</Badge>}</span>;
}

function stateOf(
  isOnline: boolean,
  isConnected: boolean,
  run: ChatRunState,
): readonly [tone: Tone, text: string] | undefined {
  const words = chatTexts.connection;
  if (!isOnline) return ["warn", words.offline];
  if (run.reconnecting) return ["warn", words.reconnecting];
  if (run.ended === "disconnected") return ["warn", words.disconnected];
  return isConnected ? undefined : ["neutral", words.connecting];
}

function subscribe(changed: () => void): () => void {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}
