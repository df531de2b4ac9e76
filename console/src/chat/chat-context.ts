/** The user of the chat, and the oracle. */
import { createRecorder } from "@twinedge/sdk/devtools";
import { createContext, useContext } from "react";
import type { Identity } from "./identity.ts";

export interface ChatParts {
  readonly identity: Identity;
  readonly oracleDid: string;
  /** Opens a new identity in this tab and in the others. */
  readonly onForgotten: () => Promise<void>;
}

export const ChatContext = createContext<ChatParts | undefined>(undefined);

export function useChatParts(): ChatParts {
  const parts = useContext(ChatContext);
  if (parts === undefined) throw new Error("This component must be rendered inside the chat screen.");
  return parts;
}

/** Ids of calls with an open card: it stays open when the stored answer replaces the streamed one. */
export const OpenCalls = createContext(new Set<string>());

/** The oracle of this host, so that no lookup is needed. */
export const ownOracle = { baseUrl: location.origin };

/** The traffic between this page and the oracle since the chat was first opened, for the inspector. It contains no token. */
export const recorder = createRecorder();
