/**
 * One call of an AG-UI action in the chat. The action's `render` draws it, or else the application's component for
 * actions.
 */
"use client";
import {
  createElement,
  useContext,
  useMemo,
  useSyncExternalStore,
  type FunctionComponent,
  type ReactNode,
} from "react";
import type { DrawAction, RegisteredAction } from "./action-registry.ts";
import type { IComponentMetadata } from "./message-content.ts";
import { OraclesPartsContext } from "./oracles-context.ts";

export interface AgActionCallProps {
  readonly call: IComponentMetadata;
  /** The component for an action without a `render`. Its props are those of `AgActionToolCall`. */
  readonly fallback: FunctionComponent<Record<string, unknown>> | undefined;
}

const subscribeToNothing = () => () => {};

export function AgActionCall({ call, fallback }: AgActionCallProps): ReactNode {
  const actions = useContext(OraclesPartsContext)?.actions;
  // The newest `render`. If an action registers again with the same `render`, the call does not render again, even if
  // its other members changed.
  const current = (): DrawAction | undefined => actions?.find(call.name)?.render;
  const draw = useSyncExternalStore(actions?.subscribe ?? subscribeToNothing, current, current);
  const { args, status, output, error, id } = call.props;
  const isLoading = status === "isRunning";
  const parsed = useMemo(() => {
    const parameters = actions?.find(call.name)?.parameters;
    return draw === undefined || parameters === undefined ? args : parse(parameters, args);
  }, [actions, call.name, draw, args]);
  if (draw !== undefined) {
    const ended = status === "done" || status === "error";
    const props = {
      ...(status !== undefined && { status: isLoading ? "isRunning" : "done" }),
      args: parsed,
      ...(ended && { result: status === "error" ? { error: error ?? output } : resultOf(output) }),
      isLoading,
    };
    return createElement(DrawnAction, { draw, props });
  }
  if (fallback === undefined) return null;
  return createElement(fallback, {
    id,
    actionName: call.name,
    toolName: call.name,
    args,
    output,
    status,
    error,
    isLoading,
  });
}

/** A separate component, so that `render` can use hooks. */
function DrawnAction({
  draw,
  props,
}: {
  readonly draw: DrawAction;
  readonly props: Record<string, unknown>;
}): ReactNode {
  return draw(props);
}

/**
 * The arguments as the handler received them. If the schema refuses them or is asynchronous, the original arguments.
 */
function parse(parameters: RegisteredAction["parameters"], args: unknown): unknown {
  try {
    const { success, data } = parameters.safeParse(args);
    return success ? data : args;
  } catch {
    return args;
  }
}

/** The result of the handler. It is sent as JSON, or as unchanged text. */
function resultOf(output: string | undefined): unknown {
  if (output === undefined) return undefined;
  try {
    return JSON.parse(output) as unknown;
  } catch {
    return output;
  }
}
