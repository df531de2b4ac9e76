/** What a chat shows before it is there. */
import { IDLE_RUN } from "../core/chat/chat-state.ts";
import type { ChatRunState, ChatSnapshot } from "../core/chat.ts";

/** The `run` of a chat without a turn so far. */
export const IDLE_RUN_STATE: ChatRunState = IDLE_RUN;

/** Without a session. */
export const IDLE_SNAPSHOT: ChatSnapshot = {
  messages: [],
  status: "ready",
  error: undefined,
  run: IDLE_RUN_STATE,
  queue: [],
  questions: [],
  signIns: [],
  isRealTimeConnected: false,
  isLoading: false,
  hasEarlier: false,
  isLoadingEarlier: false,
};

/** On a server, and in the page until it has taken over from the server. */
export const SERVER_SNAPSHOT: ChatSnapshot = { ...IDLE_SNAPSHOT, isLoading: true };
