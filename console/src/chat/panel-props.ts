/** The props of each panel of the chat. */
import type { UseOracleSessionsResult } from "@twinedge/sdk";
import type { ChatPlace } from "./chat-address.ts";

export interface PanelProps {
  readonly place: ChatPlace;
  readonly sessions: UseOracleSessionsResult;
  /** Sends a message in the user's name, in the open conversation or in a new one. */
  readonly onSay: (message: string) => void;
}
