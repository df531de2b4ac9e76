/** Who chats, and with which oracle. */
import { createRecorder } from "@twinedge/sdk/devtools";
import { createContext, useContext } from "react";
import type { Identity } from "./identity.ts";

export interface ChatParts {
  readonly identity: Identity;
  readonly oracleDid: string;
  /** Opens another identity in this tab and in the others. */
  readonly onForgotten: () => Promise<void>;
}

export const ChatContext = createContext<ChatParts | undefined>(undefined);

export function useChatParts(): ChatParts {
  const parts = useContext(ChatContext);
  if (parts === undefined) throw new Error("This component must be rendered inside the chat screen.");
  return parts;
}

/** Ids of the calls whose card is open: it stays open when the stored answer takes the place of the streamed one. */
export const OpenCalls = createContext(new Set<string>());

/** The oracle of this host, so that nothing is looked up. */
export const ownOracle = { baseUrl: location.origin };

/** What goes between this page and the oracle since the chat was first opened, for the inspector. It holds no token. */
export const recorder = createRecorder();
