/** The events behind calls and components, as the components of an application receive them. */

/** What every event of a chat has. */
export type WithRequiredEventProps<Payload> = Payload & {
  readonly sessionId: string;
  readonly requestId: string;
  /** The call or the component; the events of one call share it. */
  readonly eventId?: string;
};

export type ToolCallEventPayload = WithRequiredEventProps<{
  toolName: string;
  args?: unknown;
  status?: "isRunning" | "done";
  eventId?: string;
  output?: string;
}>;

export type RenderComponentEventPayload = WithRequiredEventProps<{
  componentName: string;
  args?: Record<string, unknown>;
  status?: "isRunning" | "done";
  eventId?: string;
}>;

export type BrowserToolCallEventPayload = WithRequiredEventProps<{
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
}>;

/** A failure of a turn, as its stream says it. */
export interface ErrorEventPayload {
  error: string;
  timestamp: string;
  kind?: string;
  retryable?: boolean;
  detail?: string;
  runId?: string;
}

/** A call of an AG-UI action. */
export interface ActionCallEventPayload {
  sessionId: string;
  requestId: string;
  toolName: string;
  args?: Record<string, unknown>;
  status?: "isRunning" | "done" | "error";
  output?: string;
  toolCallId?: string;
  error?: string;
}

/** A tool of the oracle is called or has returned. */
export type ToolCallEvent = { eventName: "tool_call"; payload: ToolCallEventPayload };
/** A component is shown. */
export type RenderComponentEvent = { eventName: "render_component"; payload: RenderComponentEventPayload };
/** A browser tool of the application is called. */
export type BrowserToolCallEvent = { eventName: "browser_tool_call"; payload: BrowserToolCallEventPayload };
/** `eventName` says which it is, and is the name on the wire. */
export type AnyEvent = ToolCallEvent | RenderComponentEvent | BrowserToolCallEvent;

/** The event that a live call, component or error was drawn from. */
export type ShownEvent = {
  eventName: "tool_call" | "render_component" | "browser_tool_call" | "action_call" | "error";
  payload: WithRequiredEventProps<Record<string, unknown>> | ErrorEventPayload;
};
