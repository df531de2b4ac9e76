/**
 * From a chat's messages to those that components draw. An unchanged message keeps its identity, so that a memoized component
 * is not drawn again.
 */
import type { ChatMessage, ToolCall } from "../core/messages.ts";
import type { ErrorEventPayload, ShownEvent } from "./event-payloads.ts";
import type { IComponentMetadata, IMessage, MessageContent } from "./message-content.ts";

/** The key of the component for calls that have none of their own. */
export const FALLBACK_COMPONENT = "ToolCall";

export interface MappingOptions {
  readonly sessionId: string;
  /** The keys of `uiComponents`; undefined: the application draws texts only, and actions that have a `render`. */
  readonly components: ReadonlySet<string> | undefined;
  /** The registered actions, and whether they have a `render`. */
  readonly actions: ReadonlyMap<string, boolean>;
}

/** By the message, and by how its calls are drawn: components and actions that do not concern it change nothing. */
const mapped = new WeakMap<ChatMessage, Map<string, IMessage>>();

/** undefined: the message is not shown. */
export function mapMessage(message: ChatMessage, options: MappingOptions): IMessage | undefined {
  const { kind, toolCalls = [] } = message;
  const isDrawn = options.components !== undefined;
  if (!isDrawn && (kind === "tool_call" || kind === "component" || kind === "error")) return undefined;
  const drawings = kind === "text" ? toolCalls.map((call) => drawingOf(call, options)) : [];
  const key = drawings.join();
  const known = mapped.get(message);
  const cached = known?.get(key);
  if (cached !== undefined) return cached;
  const shown = { ...fieldsOf(message), content: contentOf(message, drawings, options.sessionId) };
  mapped.set(message, (known ?? new Map<string, IMessage>()).set(key, shown));
  return shown;
}

/** How a call in a stored message is drawn: by its own component, by the one for all calls, as an action, or not at all. */
type Drawing = "own" | "fallback" | "action" | "none";

function drawingOf({ name }: ToolCall, { components, actions }: MappingOptions): Drawing {
  const hasRender = actions.get(name);
  if (hasRender !== undefined) return hasRender || components !== undefined ? "action" : "none";
  if (components === undefined) return "none";
  return components.has(name) ? "own" : "fallback";
}

function contentOf(message: ChatMessage, drawings: readonly Drawing[], sessionId: string): MessageContent {
  switch (message.kind) {
    case "text":
      return textContent(message, drawings);
    case "reasoning":
      return message.content === "" ? (message.reasoning ?? "") : message.content;
    case "tool_call":
    case "action_call":
      return liveCall(message, message.kind, sessionId);
    case "component":
      return liveComponent(message);
    case "error":
      return liveError(message);
  }
}

function fieldsOf(message: ChatMessage): Omit<IMessage, "content"> {
  const { id, type, createdAt, runId, toolCalls, reasoning, isReasoning, isComplete, attachments } = message;
  const [attachment] = attachments ?? [];
  return {
    id,
    type,
    ...(createdAt !== undefined && { createdAt }),
    ...(runId !== undefined && { runId }),
    ...(toolCalls !== undefined && { toolCalls: toolCalls.map((call) => ({ ...call })) }),
    ...(reasoning !== undefined && { reasoning }),
    ...(isReasoning !== undefined && { isReasoning }),
    ...(isComplete !== undefined && { isComplete }),
    ...(attachment !== undefined && { attachment }),
    ...(attachments !== undefined && { attachments: [...attachments] }),
  };
}

/** The text, and behind it the calls that the application draws. */
function textContent({ content, toolCalls = [] }: ChatMessage, drawings: readonly Drawing[]): MessageContent {
  const drawn = toolCalls.flatMap((call, index): readonly IComponentMetadata[] => {
    const drawing = drawings[index] ?? "none";
    if (drawing === "none") return [];
    if (drawing === "action") return [{ name: call.name, props: { ...callProps(call), isAgAction: true } }];
    const name = drawing === "own" ? call.name : FALLBACK_COMPONENT;
    return [{ name, props: { ...callProps(call), isToolCall: true } }];
  });
  if (drawn.length === 0) return content;
  return content === "" ? drawn : [content, ...drawn];
}

function callProps({ id, name, args, status, output, error, agent }: ToolCall): IComponentMetadata["props"] {
  return {
    id,
    args,
    toolName: name,
    ...(status !== undefined && { status }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(agent !== undefined && { agent }),
  };
}

function liveCall(message: ChatMessage, eventName: "tool_call" | "action_call", sessionId: string): MessageContent {
  const [call] = message.toolCalls ?? [];
  if (call === undefined) return message.content;
  const { id, name, ...facts } = call;
  const isAction = eventName === "action_call";
  // The id of a live call is `<requestId>-ToolCall-<eventId>` or `<requestId>-ActionCall-<toolCallId>`.
  const suffix = isAction ? `-ActionCall-${id}` : `-ToolCall-${id}`;
  const requestId = message.id.endsWith(suffix) ? message.id.slice(0, -suffix.length) : message.id;
  const payload = {
    ...(facts as Record<string, unknown>),
    sessionId,
    requestId,
    toolName: name,
    ...(isAction ? { toolCallId: id } : { eventId: id }),
  };
  const event: ShownEvent = { eventName, payload };
  return {
    name,
    props: {
      ...callProps(call),
      ...(isAction ? { isAgAction: true } : { isToolCall: true }),
      payload,
      event,
    },
  };
}

function liveComponent({ id, payload = {} }: ChatMessage): IComponentMetadata {
  const { name, args, status } = payload;
  const isStatus = status === "isRunning" || status === "done" || status === "error";
  return { name: String(name), props: { id, args: args ?? {}, ...(isStatus && { status }) } };
}

function liveError({ content, payload = {} }: ChatMessage): IComponentMetadata {
  const facts = { ...payload } as unknown as ErrorEventPayload;
  const output = typeof facts.error === "string" ? facts.error : content;
  const event: ShownEvent = { eventName: "error", payload: facts };
  return { name: "Error", props: { id: "error", args: {}, status: "done", output, event, payload: facts } };
}
