/**
 * The Socket.IO channel of a session: calls into the page, room events and invalidations. It signs in again at each
 * connect, announces the page's tools after each change, and runs each call once.
 */
import { QUESTIONS, type ClientTools } from "./client-tools.ts";
import type { InspectedEntry } from "./client-settings.ts";
import type { CallResult, PageCall } from "./page-calls.ts";
import { connectSocket } from "./socket-connection.ts";
import type { Tokens } from "./tokens.ts";
import { dropWrongTexts, hasTexts, isObject } from "./wire-members.ts";
import type { ServerPayload } from "./wire.ts";

/** The events for applications, by their names on the wire. */
export type OracleEvent =
  | { readonly eventName: "tool_call"; readonly payload: ServerPayload<"tool_call"> }
  | { readonly eventName: "render_component"; readonly payload: ServerPayload<"render_component"> }
  | { readonly eventName: "browser_tool_call"; readonly payload: ServerPayload<"browser_tool_call"> };

export interface SocketHandlers {
  /** @param refusal why the socket stays disconnected until `wake`: the oracle refused it, or signing failed. */
  onConnected(connected: boolean, refusal?: Error): void;
  /** A tool call or a component of this session, but not a call into this page. */
  onEvent(event: OracleEvent): void;
  /** The transcript changed, or may have changed while the socket was disconnected. */
  onInvalidated(): void;
  /** `approve_tool` and `mcp_elicitation`: questions to the user. An open question is sent again after each connect. */
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
  /** Receives the socket's traffic without tokens. */
  readonly inspect?: ((entry: InspectedEntry) => void) | undefined;
}

export interface SessionSocket {
  /** The id for `metadata.socketId`; undefined while disconnected. */
  id(): string | undefined;
  /** Answers a question. Returns false if the socket is disconnected. */
  answer(toolCallId: string, result: unknown): boolean;
  /**
   * The page became visible or came online, or a request was accepted. Connects at once if disconnected, or checks
   * whether the connection is still alive.
   */
  wake(): void;
  close(): void;
}

/** Milliseconds for the first connect. If it takes longer, data that the page read before it is read again. */
const PROMPT_CONNECT_MS = 5000;

/** The required members of each event. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  tool_call: ["requestId", "eventId", "toolName"],
  render_component: ["requestId", "eventId", "componentName"],
  action_call: ["toolCallId", "toolName"],
  browser_tool_call: ["toolCallId", "toolName"],
  mcp_auth_required: ["server", "url"],
};

type ResultEvent = "tool_result" | "action_call_result";

/** @param openedAt the time when the chat started to read, in milliseconds since 1970 */
export function openSessionSocket(options: SocketOptions, openedAt = Date.now()): SessionSocket {
  const { sessionId, tools, handlers } = options;
  /** The id of the last accepted connection. */
  let socketId: string | undefined;
  let isGreeted = false;
  let announced = "";
  /** Results whose connection is lost. They are sent if the same socket is recovered. */
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
      // An open sign-in address works like a password, so it is omitted.
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
        call("browser", "tool_result", data).catch(reportLoadFailure);
        return;
      case "action_call":
        if (data["status"] !== undefined && data["status"] !== "isRunning") return;
        if (QUESTIONS.includes(String(data["toolName"])))
          handlers.onQuestion(data as unknown as ServerPayload<"action_call">);
        else call("action", "action_call_result", data).catch(reportLoadFailure);
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
    // Loaded with the first call, because most chats have none.
    const { makeCall } = await import("./page-calls.ts");
    const result = await makeCall(tools, sessionId, { kind, toolCallId, toolName, args });
    // Only the socket that received the call may answer it.
    if (result === undefined || caller !== socketId) return;
    if (!send(name, result)) held.push([name, result]);
  }

  /** The code for calls could not be loaded. The oracle's wait times out, and the oracle reports this to the model. */
  function reportLoadFailure(error: Error): void {
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

  // Components often mount and unmount together, so their changes within one task are announced once.
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

/**
 * The members of an event in either form. Older clients read `payload`, which repeats them and can have an empty
 * `sessionId`.
 */
function membersOf({ payload, ...members }: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...(isObject(payload) ? payload : {}), ...members };
  delete merged["eventName"];
  return merged;
}
