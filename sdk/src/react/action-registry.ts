/**
 * The AG-UI actions of a page, each under its owner (a component, or a caller of `registerAgAction`). Of two with one name the
 * newest is the one that counts; the other is back when it goes.
 */
import type { ReactElement } from "react";
import type * as z from "zod";
import type { ActionTool } from "../core/client-tools.ts";

export type DrawAction = (props: Record<string, unknown>) => ReactElement | null;

/** An action with its types erased. */
export interface RegisteredAction {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType;
  /** Takes arguments that are parsed. */
  readonly handler: (args: unknown) => unknown;
  readonly render?: DrawAction | undefined;
}

export interface ActionRegistry {
  /** Replaces the owner's actions. Call it after each render: listeners are called only for what can be seen. */
  set(owner: object, actions: readonly RegisteredAction[]): void;
  remove(owner: object): void;
  find(name: string): RegisteredAction | undefined;
  /** Changes its identity when a name, a description or the presence of a `render` does. */
  list(): AgAction[];
  /** The same actions as a chat takes them; they read what is registered when they are asked. */
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

/** Alike in what is declared to an oracle; functions and schemas are read when they are needed. */
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

/** What `useAgAction` registers. */
export interface AgActionConfig<TSchema extends z.ZodType = z.ZodType> {
  /** What the oracle calls it by: letters, digits, `_` and `-`. */
  name: string;
  /** Tells the model when to use it. */
  description: string;
  /** A schema of zod 3 or 4; the arguments are parsed by it. */
  parameters: TSchema;
  /** Its result, a JSON value, is what the model learns; what it throws is said to the model as an error. */
  handler: (args: z.infer<TSchema>) => unknown;
  /** Draws the call in the chat (see `renderMessageContent`): while it runs, and with its result. */
  render?: (props: {
    status?: "isRunning" | "done";
    args?: z.infer<TSchema>;
    /** What the handler returned; of a failed call `{ error }`. */
    result?: unknown;
    isLoading?: boolean;
  }) => ReactElement | null;
}

/** A registered action as the context lists it. */
export interface AgAction {
  name: string;
  description: string;
  parameters: z.ZodType;
  hasRender: boolean;
}

/** An action as older applications describe it. */
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

/** Actions by their names, as older applications describe them. */
export type IActionTools = Record<string, IActionToolParams>;
