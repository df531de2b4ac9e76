/** An AG-UI action: something of the page that the oracle may do, and how it is drawn in the chat. */
import type { ReactElement } from "react";
import type * as z from "zod";

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
