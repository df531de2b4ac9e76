/** The components that an application draws calls, components and errors with. */
import type { FC, ReactNode } from "react";
import type { AnyEvent, ShownEvent, ToolCallEvent } from "./event-payloads.ts";

interface CallProps {
  id: string;
  isLoading?: boolean;
  output?: string;
  status?: "isRunning" | "done" | "error";
}

/** The props of a component that is drawn for an event: `UIComponentProps<ToolCallEvent>` of a tool call. */
export type UIComponentProps<Shown extends AnyEvent> = CallProps &
  (Shown extends { payload: infer Payload } ? Payload : never);

/**
 * Components by the name of the tool, the action or the component that they draw. Three keys are reserved: `ToolCall` draws the
 * calls that have no component of their own, `Error` the failures of a turn, `AgActionToolCall` (else `ToolCall`) the actions that
 * have no `render`.
 */
export type UIComponents = {
  ToolCall: FC<UIComponentProps<ToolCallEvent> & { key: string }>;
  Error: FC<{
    id: string;
    args: Record<string, unknown>;
    status?: "isRunning" | "done";
    output?: string;
    isLoading?: boolean;
    event?: ShownEvent;
    payload?: unknown;
    key: string;
  }>;
  [name: string]: (props: never) => ReactNode | Promise<ReactNode>;
};
