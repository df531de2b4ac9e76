/**
 * The AG-UI actions of a page, each under its owner (a component, or a caller of `registerAgAction`). If two actions
 * have the same name, the newest wins. When it is removed, the older one is active again.
 */
import type { ReactElement } from "react";
import type * as z from "zod";
import type { ActionTool } from "../core/client-tools.ts";

export type DrawAction = (props: Record<string, unknown>) => ReactElement | null;

/** An action without its generic types. */
export interface RegisteredAction {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType;
  /** Receives parsed arguments. */
  readonly handler: (args: unknown) => unknown;
  readonly render?: DrawAction | undefined;
}

export interface ActionRegistry {
  /** Replaces the owner's actions. Call it after each render; listeners are called only for visible changes. */
  set(owner: object, actions: readonly RegisteredAction[]): void;
  remove(owner: object): void;
  find(name: string): RegisteredAction | undefined;
  /** The list changes its identity when a name, a description or the presence of a `render` changes. */
  list(): AgAction[];
  /** The same actions in the form that a chat uses. They read the registry when they are called. */
  tools(): readonly ActionTool[];
  /** Parses the arguments and runs the handler. */
  execute(name: string, args: unknown): Promise<unknown>;
  subscribe(listener: () => void): () => void;
}

export function createActionRegistry(): ActionRegistry {
  const owners = new Map<object, readonly RegisteredAction[]>();
  const listeners = new Set<() => void>();
  let actions = new Map<string, RegisteredAction>();
  let list: AgAction[] = [];
  let tools: readonly ActionTool[] = [];

  const find = (name: string): RegisteredAction | undefined => actions.get(name);
  const registered = (name: string): RegisteredAction => {
    const action = find(name);
    if (action === undefined) throw new Error(`AG-UI action '${name}' not found`);
    return action;
  };

  const update = (): void => {
    const before = actions;
    actions = new Map([...owners.values()].flat().map((action) => [action.name, action]));
    if (!isShownAlike(before, actions)) {
      list = [...actions.values()].map(({ name, description, render, parameters }) => ({
        name,
        description,
        hasRender: render !== undefined,
        get parameters() {
          return find(name)?.parameters ?? parameters;
        },
      }));
      tools = list.map((action) => ({
        name: action.name,
        description: action.description,
        hasRender: action.hasRender,
        get parameters() {
          return action.parameters;
        },
        handler: (args: unknown) => registered(action.name).handler(args),
      }));
    }
    for (const listener of listeners) listener();
  };

  return {
    set(owner, owned) {
      owners.set(owner, owned);
      update();
    },
    remove(owner) {
      if (owners.delete(owner)) update();
    },
    find,
    list: () => list,
    tools: () => tools,
    async execute(name, args) {
      const { parameters, handler } = registered(name);
      return await handler(await parameters.parseAsync(args));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Whether two lists declare the same actions to an oracle. Functions and schemas are read when they are needed. */
function isShownAlike(
  some: ReadonlyMap<string, RegisteredAction>,
  others: ReadonlyMap<string, RegisteredAction>,
): boolean {
  if (some.size !== others.size) return false;
  return [...some].every(([name, action]) => {
    const other = others.get(name);
    return (
      other !== undefined &&
      other.description === action.description &&
      (other.render === undefined) === (action.render === undefined)
    );
  });
}

/** The action that `useAgAction` registers. */
export interface AgActionConfig<TSchema extends z.ZodType = z.ZodType> {
  /** The name under which the oracle calls it: letters, digits, `_` and `-`. */
  name: string;
  /** Tells the model when to use it. */
  description: string;
  /** A zod 3 or zod 4 schema, which parses the arguments. */
  parameters: TSchema;
  /** The model receives its result, a JSON value. If it throws, the model receives the error. */
  handler: (args: z.infer<TSchema>) => unknown;
  /** Renders the call in the chat (see `renderMessageContent`): while it runs, and with its result. */
  render?: (props: {
    status?: "isRunning" | "done";
    args?: z.infer<TSchema>;
    /** The result of the handler; `{ error }` for a failed call. */
    result?: unknown;
    isLoading?: boolean;
  }) => ReactElement | null;
}

/** A registered action in the context's list. */
export interface AgAction {
  name: string;
  description: string;
  parameters: z.ZodType;
  hasRender: boolean;
}

/** An action in the format of older applications. */
export interface IActionToolParams {
  toolName: string;
  description: string;
  schema: z.ZodType;
  handler: (args: unknown) => unknown;
  render?: (props: {
    status?: "isRunning" | "done";
    args?: unknown;
    result?: unknown;
    isLoading?: boolean;
  }) => ReactElement | null;
}

/** Actions by name, in the format of older applications. */
export type IActionTools = Record<string, IActionToolParams>;
