/** From a message's content to elements. */
import { createElement, Fragment, type FunctionComponent, type ReactNode } from "react";
import { AgActionCall } from "./ag-action-call.tsx";
import type { IComponentMetadata, MessageContent } from "./message-content.ts";
import { FALLBACK_COMPONENT } from "./message-mapping.ts";
import type { UIComponents } from "./ui-components.ts";

/** A component of the application, whatever its props. */
type AnyComponent = FunctionComponent<Record<string, unknown>>;

/**
 * Draws a message's content: its text, and its calls, components and errors with `uiComponents`. An action that was registered
 * with a `render` is drawn by it; what no component is for is not drawn.
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

/** Own keys only: a tool named `constructor` has no component. */
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
 * Without what React or JavaScript takes for something else: the oracle chooses these names, or a text that it has read. A
 * component that hands its props on to an element would let it write HTML.
 */
function ownArgs(args: unknown): Record<string, unknown> {
  const own = { ...(args as Record<string, unknown>) };
  for (const name of ["key", "ref", "__proto__", "dangerouslySetInnerHTML"]) delete own[name];
  return own;
}
