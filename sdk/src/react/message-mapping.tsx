/**
 * Maps a chat's messages to those that components render, and their content to elements. An unchanged message keeps its
 * identity, so that a memoized component does not render again.
 */
import { createElement, Fragment, type FunctionComponent, type ReactNode } from "react";
import type { ChatMessage, ToolCall } from "../core/chat.ts";
import { AgActionCall } from "./ag-action-call.tsx";
import type {
  ErrorEventPayload,
  IComponentMetadata,
  IMessage,
  MessageContent,
  ShownEvent,
  UIComponents,
} from "./message-content.ts";

/** The key of the component for calls without a specific component. */
const FALLBACK_COMPONENT = "ToolCall";

export interface MappingOptions {
  readonly sessionId: string;
  /** The keys of `uiComponents`. Undefined: the application renders only texts, and actions with a `render`. */
  readonly components: ReadonlySet<string> | undefined;
  /** The names of the registered actions, and whether each has a `render`. */
  readonly actions: ReadonlyMap<string, boolean>;
}

/** Cached by the message and by how its calls are rendered, so that unrelated components and actions change nothing. */
const mapped = new WeakMap<ChatMessage, Map<string, IMessage>>();

/** Undefined if the message is not shown. */
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

/**
 * How a call in a stored message is rendered: by its own component, by the fallback component, as an action, or not at
 * all.
 */
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

/** The text, followed by the calls that the application renders. */
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

/** A component of the application with any props. */
type AnyComponent = FunctionComponent<Record<string, unknown>>;

/**
 * Renders a message's content: its text, and its calls, components and errors with `uiComponents`. An action with a
 * `render` renders itself. Content without a matching component is not rendered.
 *
 * @example
 * messages.map((message) => <li key={message.id}>{renderMessageContent(message.content, uiComponents)}</li>)
 */
export function renderMessageContent(content: MessageContent, uiComponents?: UIComponents): ReactNode {
  if (!Array.isArray(content)) return renderPart(content, uiComponents);
  const parts = content.map((part, index) =>
    createElement(Fragment, { key: keyOf(part, index) }, renderPart(part, uiComponents)),
  );
  return createElement(Fragment, null, parts);
}

function keyOf(part: string | IComponentMetadata, index: number): string {
  return typeof part === "string" ? String(index) : `${part.name}${part.props.id}`;
}

function renderPart(part: string | IComponentMetadata, uiComponents: UIComponents | undefined): ReactNode {
  if (typeof part === "string") return part;
  const { name, props } = part;
  const key = keyOf(part, 0);
  if (props.isAgAction === true) {
    const fallback = componentFor(uiComponents, "AgActionToolCall");
    return createElement(AgActionCall, { key, call: part, fallback });
  }
  const component = componentFor(uiComponents, name);
  if (component === undefined || typeof props.args !== "object" || props.args === null) return null;
  return createElement(component, { key, ...propsFor(part) });
}

/** Only own keys, because a tool named `constructor` has no component. */
function componentFor(uiComponents: UIComponents | undefined, name: string): AnyComponent | undefined {
  if (uiComponents === undefined) return undefined;
  const found = Object.hasOwn(uiComponents, name) ? uiComponents[name] : undefined;
  return (found ?? uiComponents[FALLBACK_COMPONENT]) as AnyComponent | undefined;
}

function propsFor({ name, props }: IComponentMetadata): Record<string, unknown> {
  const { id, args, status, output, event, payload } = props;
  const isLoading = status === "isRunning";
  if (name === "Error") return { id, args, status, output, isLoading, event, payload };
  if (props.isToolCall === true) {
    const { requestId = "", sessionId = "", eventId = "" } = (payload ?? {}) as Record<string, string | undefined>;
    const toolName = name === FALLBACK_COMPONENT ? (props.toolName ?? name) : name;
    return { id, args, status, output, isLoading, requestId, sessionId, toolName, eventId };
  }
  return { ...ownArgs(args), id, status, isLoading };
}

/**
 * Removes members with a special meaning for React or JavaScript. The oracle, or a text that it has read, chooses these
 * names. Otherwise a component that spreads its props onto an element would let it write HTML.
 */
function ownArgs(args: unknown): Record<string, unknown> {
  const own = { ...(args as Record<string, unknown>) };
  for (const name of ["key", "ref", "__proto__", "dangerouslySetInnerHTML"]) delete own[name];
  return own;
}
