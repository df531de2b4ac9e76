/**
 * What an oracle may call in this page: browser tools and AG-UI actions. They may be added, changed and removed at any time;
 * a message declares those that are there when it is sent, and a call runs the handler of that moment.
 */
import type { ClientTool } from "./wire.ts";

/** A schema of zod 3 or 4. */
export interface ToolSchema {
  readonly _output?: unknown;
}

export interface BrowserTool {
  readonly toolName: string;
  readonly description: string;
  readonly schema: unknown;
  readonly fn: (args: never) => Promise<unknown>;
}

export interface ActionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly hasRender?: boolean;
  readonly handler: (args: never) => unknown;
}

export interface ClientTools {
  /** Replaces the browser tools of one owner (a component). */
  setBrowserTools(owner: object, tools: readonly BrowserTool[]): void;
  /** Replaces the actions of one owner. */
  setActions(owner: object, actions: readonly ActionTool[]): void;
  remove(owner: object): void;
  /** The bodies' `tools` and `agActions`: JSON schemas, never an empty one for an object with members. */
  declarations(): Promise<{ readonly tools: readonly ClientTool[]; readonly agActions: readonly ClientTool[] }>;
  names(): { readonly tools: readonly string[]; readonly actions: readonly string[] };
  /** Called after each change of `names()`. */
  subscribe(listener: () => void): () => void;
  /** Parses the arguments and runs the handler; throws a sentence for the model. */
  callBrowserTool(name: string, args: unknown): Promise<unknown>;
  callAction(name: string, args: unknown): Promise<unknown>;
}
