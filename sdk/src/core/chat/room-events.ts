/**
 * The socket of a session, whose code loads with the first chat, and the tool calls and components that it reports. If
 * this page reads the stream of a turn, it already knows the turn's calls. Components are neither in the stream nor in
 * the transcript.
 */
import type { ChatMessage } from "../chat.ts";
import type { OracleEvent, SessionSocket, SocketOptions } from "../socket.ts";
import type { ChatState } from "./chat-state.ts";
import { type LocalTurn, callMessage } from "./turn.ts";

/** Milliseconds before the code is loaded again after a failure, for example without a network. */
const LOAD_AGAIN_MS = 5000;

/**
 * A disconnected socket until its code is loaded. With the Socket.IO client, the code is larger than the rest of the
 * core.
 */
export function openLazySocket(options: SocketOptions): SessionSocket {
  const openedAt = Date.now();
  let socket: SessionSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLoading = false;
  let isClosed = false;

  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    clearTimeout(timer);
    try {
      const { openSessionSocket } = await import("../socket.ts");
      if (!isClosed) socket = openSessionSocket(options, openedAt);
    } catch {
      isLoading = false;
      if (!isClosed) timer = setTimeout(() => void load(), LOAD_AGAIN_MS);
    }
  }

  void load();
  return {
    id: () => socket?.id(),
    answer: (toolCallId, result) => socket?.answer(toolCallId, result) ?? false,
    wake() {
      if (socket === undefined) void load();
      else socket.wake();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}

/** Shows the event. Returns the request of a turn that this page does not follow. */
export function heardEvent(state: ChatState, event: OracleEvent): string | undefined {
  if (event.eventName === "browser_tool_call") return undefined;
  const { requestId } = event.payload;
  const known = state.turns().find((turn) => turn.requestId === requestId);
  const isFollowed = known?.turn !== undefined;
  if (isFollowed && event.eventName === "tool_call") return undefined;
  const turn = known ?? newTurn(requestId, state.storedIds());
  turn.extras = upsert(turn.extras, messageOf(event, known?.turn?.runId));
  if (known === undefined) state.addTurn(turn);
  else state.turnChanged();
  return isFollowed ? undefined : requestId;
}

function newTurn(requestId: string, before: ReadonlySet<string>): LocalTurn {
  return { requestId, human: undefined, turn: undefined, extras: [], before, isSettled: false };
}

function messageOf(event: Exclude<OracleEvent, { eventName: "browser_tool_call" }>, runId?: string): ChatMessage {
  const { requestId, eventId } = event.payload;
  const base = { type: "ai", content: "", ...(runId === undefined ? {} : { runId }) } as const;
  if (event.eventName === "tool_call") {
    const id = `${requestId}-ToolCall-${eventId}`;
    return callMessage({ ...base, id, kind: "tool_call" }, eventId, event.payload);
  }
  const { componentName: name, args, status } = event.payload;
  const id = `${requestId}-Component-${eventId}`;
  return { ...base, id, kind: "component", isComplete: status !== "isRunning", payload: { name, args, status } };
}

function upsert(messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] {
  const index = messages.findIndex(({ id }) => id === message.id);
  return index === -1 ? [...messages, message] : messages.with(index, message);
}
