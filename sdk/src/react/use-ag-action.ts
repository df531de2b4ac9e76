/** Registers one AG-UI action for as long as the component is there. */
"use client";
import type * as z from "zod";
import type { AgActionConfig } from "./ag-action.ts";
import { useAgActions } from "./use-ag-actions.ts";

/**
 * Lets the oracle do something in the page. The arguments are parsed by `parameters` before `handler` gets them, and have its
 * type. The newest `handler` and `render` are always used; the action goes when the component does.
 *
 * @example
 * useAgAction({
 *   name: "show_table",
 *   description: "Shows rows as a table",
 *   parameters: z.object({ rows: z.array(z.array(z.string())) }),
 *   handler: ({ rows }) => ({ shown: rows.length }),
 *   render: ({ args, isLoading }) => (isLoading || args === undefined ? null : <Table rows={args.rows} />),
 * });
 */
export function useAgAction<TSchema extends z.ZodType>(config: AgActionConfig<TSchema>): void {
  useAgActions<[TSchema]>([config]);
}
