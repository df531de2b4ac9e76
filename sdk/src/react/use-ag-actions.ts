/** Registers AG-UI actions for as long as the component is there. */
"use client";
import { useEffect, useState } from "react";
import type * as z from "zod";
import type { AgActionConfig } from "./action-registry.ts";
import { useOraclesParts } from "./oracles-context.ts";

/**
 * Registers several AG-UI actions, which may be other ones at each render. Otherwise as `useAgAction`.
 *
 * @example
 * useAgActions([
 *   { name: "open_map", description: "Opens the map", parameters: z.object({ place: z.string() }), handler: ({ place }) => open(place) },
 *   { name: "close_map", description: "Closes the map", parameters: z.object({}), handler: close },
 * ]);
 */
export function useAgActions<const Schemas extends readonly z.ZodType[]>(actions: {
  readonly [Index in keyof Schemas]: AgActionConfig<Schemas[Index]>;
}): void {
  const { actions: registry } = useOraclesParts();
  const [owner] = useState(() => ({}));
  // After each render: functions and schemas are always those of the newest one.
  useEffect(() => {
    registry.set(owner, actions);
  });
  useEffect(() => () => registry.remove(owner), [registry, owner]);
}

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
