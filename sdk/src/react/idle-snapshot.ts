/** What a chat shows before it is there. */
import type { ChatRunState, ChatSnapshot } from "../core/chat.ts";

/** A chat without a turn so far. */
export const IDLE_RUN_STATE: ChatRunState = {
  runId: null,
  requestId: null,
  reconnecting: false,
  resumed: 0,
  ended: null,
};

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
