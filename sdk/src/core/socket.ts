/**
 * A session's Socket.IO channel: calls into the page, events of the room, invalidations. It signs in again on each connect,
 * says what the page can do whenever that changes, and makes each call once.
 */
import { QUESTIONS, type ClientTools } from "./client-tools.ts";
import type { InspectedEntry } from "./client-settings.ts";
import type { CallResult, PageCall } from "./page-calls.ts";
import { connectSocket } from "./socket-connection.ts";
import type { Tokens } from "./tokens.ts";
import { dropWrongTexts, hasTexts, isObject } from "./wire-members.ts";
import type { ServerPayload } from "./wire.ts";

/** The events that an application may be interested in, by the names that they have on the wire. */
export type OracleEvent =
  | { readonly eventName: "tool_call"; readonly payload: ServerPayload<"tool_call"> }
  | { readonly eventName: "render_component"; readonly payload: ServerPayload<"render_component"> }
  | { readonly eventName: "browser_tool_call"; readonly payload: ServerPayload<"browser_tool_call"> };

export interface SocketHandlers {
  /** @param refusal why it stays disconnected until `wake`: the oracle refused, or nothing could be signed. */
  onConnected(connected: boolean, refusal?: Error): void;
  /** A tool call or a component of this session; never a call of this page. */
  onEvent(event: OracleEvent): void;
  /** The transcript changed, or may have changed while the socket was away. */
  onInvalidated(): void;
  /** `approve_tool` and `mcp_elicitation`: the user is asked. An open question comes again after each connect. */
  onQuestion(call: ServerPayload<"action_call">): void;
  onSignIn(event: ServerPayload<"mcp_auth_required">): void;
}

export interface SocketOptions {
  readonly sessionId: string;
  readonly userDid: string;
  readonly socketUrl: (isLost: boolean) => Promise<string>;
  readonly tokens: Tokens;
  readonly tools: ClientTools;
  readonly handlers: SocketHandlers;
  /** Sees what goes over the socket, tokens left out. */
  readonly inspect?: ((entry: InspectedEntry) => void) | undefined;
}

export interface SessionSocket {
  /** The id for `metadata.socketId`; undefined while it is not connected. */
  id(): string | undefined;
  /** Answers a question; false when the socket is not connected. */
  answer(toolCallId: string, result: unknown): boolean;
  /**
   * The page became visible or came online, or a request was accepted: connects at once when it is not connected, and makes sure
   * of a connection that may have been lost unnoticed.
   */
  wake(): void;
  close(): void;
}

/** Milliseconds for the first connect, beyond which what the page read before it counts as old. */
const PROMPT_CONNECT_MS = 5000;

/** The members without which an event says nothing. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  tool_call: ["requestId", "eventId", "toolName"],
  render_component: ["requestId", "eventId", "componentName"],
  action_call: ["toolCallId", "toolName"],
  browser_tool_call: ["toolCallId", "toolName"],
  mcp_auth_required: ["server", "url"],
};

type ResultEvent = "tool_result" | "action_call_result";

/** @param openedAt since when the chat reads, in milliseconds since 1970 */
export function openSessionSocket(options: SocketOptions, openedAt = Date.now()): SessionSocket {
  const { sessionId, tools, handlers } = options;
  /** Of the last connection that was accepted. */
  let socketId: string | undefined;
  let isGreeted = false;
  let announced = "";
  /** Results whose connection is away: it may come back as the same socket. */
  let held: (readonly [ResultEvent, CallResult])[] = [];

  function inspect(name: string, detail?: unknown): void {
    options.inspect?.({ at: Date.now(), sessionId, kind: "socket", name, ...(detail === undefined ? {} : { detail }) });
  }

  const connection = connectSocket({
    query: { sessionId, userDid: options.userDid },
    socketUrl: options.socketUrl,
    tokens: options.tokens,
    onOpen(recovered) {
      inspect("connect", { recovered });
      const isPrompt = socketId === undefined && Date.now() - openedAt <= PROMPT_CONNECT_MS;
      socketId = connection.id();
      handlers.onConnected(true);
      const results = held;
      held = [];
      if (recovered) for (const [name, result] of results) send(name, result);
      else if (!isPrompt) handlers.onInvalidated();
    },
    onLost() {
      inspect("disconnect");
      isGreeted = false;
      handlers.onConnected(false);
    },
    onRefused(refusal) {
      inspect("refused", { message: refusal.message });
      handlers.onConnected(false, refusal);
    },
    onEvent(name, payload) {
      if (!isObject(payload)) return;
      // The address of a sign-in is as good as a password for as long as it is open.
      inspect(name, name === "mcp_auth_required" ? undefined : payload);
      const members = membersOf(payload);
      if (!hasTexts(members, (Object.hasOwn(NEEDED, name) && NEEDED[name]) || [])) return;
      dropWrongTexts(members);
      receive(name, members);
    },
  });

  function receive(name: string, data: Record<string, unknown>): void {
    if (data["sessionId"] !== undefined && data["sessionId"] !== sessionId) return;
    switch (name) {
      case "connected":
        isGreeted = true;
        announced = "";
        announce();
        return;
      case "browser_tool_call":
        call("browser", "tool_result", data).catch(notMade);
        return;
      case "action_call":
        if (data["status"] !== undefined && data["status"] !== "isRunning") return;
        if (QUESTIONS.includes(String(data["toolName"])))
          handlers.onQuestion(data as unknown as ServerPayload<"action_call">);
        else call("action", "action_call_result", data).catch(notMade);
        return;
      case "tool_call":
      case "render_component":
        handlers.onEvent({ eventName: name, payload: data } as unknown as OracleEvent);
        return;
      case "mcp_auth_required":
        handlers.onSignIn(data as unknown as ServerPayload<"mcp_auth_required">);
        return;
      case "message_cache_invalidation":
        handlers.onInvalidated();
    }
  }

  async function call(kind: PageCall["kind"], name: ResultEvent, data: Record<string, unknown>): Promise<void> {
    const { toolCallId, toolName, args } = data;
    if (typeof toolCallId !== "string" || typeof toolName !== "string") return;
    const caller = socketId;
    // Loaded with the first call: most chats have none.
    const { makeCall } = await import("./page-calls.ts");
    const result = await makeCall(tools, sessionId, { kind, toolCallId, toolName, args });
    // Only the socket that was asked may answer.
    if (result === undefined || caller !== socketId) return;
    if (!send(name, result)) held.push([name, result]);
  }

  /** The code for calls could not be loaded: the oracle waits in vain and says so to the model. */
  function notMade(error: Error): void {
    inspect("call failed", { message: error.message });
  }

  function send(name: string, payload: object): boolean {
    const isSent = connection.send(name, payload);
    if (isSent) inspect(name, payload);
    return isSent;
  }

  function announce(): void {
    const names = tools.names();
    const said = JSON.stringify(names);
    if (!isGreeted || said === announced) return;
    announced = said;
    send("announce_tools", names);
  }

  // Components come and go together: what they change in one turn of the event loop is said once.
  const unsubscribe = tools.subscribe(() => queueMicrotask(announce));

  return {
    id: connection.id,
    answer: (toolCallId, result) => send("action_call_result", { toolCallId, sessionId, result }),
    wake: connection.wake,
    close() {
      unsubscribe();
      held = [];
      connection.close();
    },
  };
}

/** The members of an event in either form: older clients' `payload` repeats them, and its `sessionId` may be empty. */
function membersOf({ payload, ...members }: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...(isObject(payload) ? payload : {}), ...members };
  delete merged["eventName"];
  return merged;
}
