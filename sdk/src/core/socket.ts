/**
 * A session's Socket.IO channel: calls into the page, events of the room, invalidations. It signs in again on each connect,
 * says what the page can do whenever that changes, and makes each call once.
 */
import type { ClientTools } from "./client-tools.ts";
import type { Tokens } from "./tokens.ts";
import type { ServerPayload } from "./wire.ts";

/** The events that an application may be interested in, by the names that they have on the wire. */
export type OracleEvent =
  | { readonly eventName: "tool_call"; readonly payload: ServerPayload<"tool_call"> }
  | { readonly eventName: "render_component"; readonly payload: ServerPayload<"render_component"> }
  | { readonly eventName: "browser_tool_call"; readonly payload: ServerPayload<"browser_tool_call"> };

export interface SocketHandlers {
  onConnected(connected: boolean): void;
  /** A tool call or a component of this session; never a call of this page. */
  onEvent(event: OracleEvent): void;
  /** The transcript changed, or may have changed while the socket was away. */
  onInvalidated(): void;
  /** `approve_tool` and `mcp_elicitation`: the user is asked. */
  onQuestion(call: ServerPayload<"action_call">): void;
  onSignIn(event: ServerPayload<"mcp_auth_required">): void;
}

export interface SocketOptions {
  readonly sessionId: string;
  readonly userDid: string;
  readonly socketUrl: () => Promise<string>;
  readonly tokens: Tokens;
  readonly tools: ClientTools;
  readonly handlers: SocketHandlers;
}

export interface SessionSocket {
  /** The id for `metadata.socketId`; undefined while it is not connected. */
  id(): string | undefined;
  /** Answers a question; resolves to false when the socket is not connected. */
  answer(toolCallId: string, result: unknown): boolean;
  /** Connects at once when it is not connected: the page became visible or came online. */
  wake(): void;
  close(): void;
}
