/** One call of an AG-UI action in the chat: drawn by the action's `render`, else by the application's component for actions. */
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
  /** For an action without a `render`: the props are those of `AgActionToolCall`. */
  readonly fallback: FunctionComponent<Record<string, unknown>> | undefined;
}

const subscribeToNothing = () => () => {};

export function AgActionCall({ call, fallback }: AgActionCallProps): ReactNode {
  const actions = useContext(OraclesPartsContext)?.actions;
  // The newest `render`. An action that comes again with the same one draws nothing again, whatever else of it is another one.
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

/** A component of its own, so that `render` may use hooks. */
function DrawnAction({
  draw,
  props,
}: {
  readonly draw: DrawAction;
  readonly props: Record<string, unknown>;
}): ReactNode {
  return draw(props);
}

/** As the handler got them; as they came when the schema refuses them or works asynchronously. */
function parse(parameters: RegisteredAction["parameters"], args: unknown): unknown {
  try {
    const { success, data } = parameters.safeParse(args);
    return success ? data : args;
  } catch {
    return args;
  }
}

/** What the handler returned: it travels as JSON, a text as it is. */
function resultOf(output: string | undefined): unknown {
  if (output === undefined) return undefined;
  try {
    return JSON.parse(output) as unknown;
  } catch {
    return output;
  }
}
