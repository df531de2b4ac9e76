/** Registers AG-UI actions while the component is mounted. */
"use client";
import { useEffect, useState } from "react";
import type * as z from "zod";
import type { AgActionConfig } from "./action-registry.ts";
import { useOraclesParts } from "./oracles-context.ts";

/**
 * Registers several AG-UI actions, which may change at each render. Otherwise it works like `useAgAction`.
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
  // After each render, so that functions and schemas are always the newest.
  useEffect(() => {
    registry.set(owner, actions);
  });
  useEffect(() => () => registry.remove(owner), [registry, owner]);
}

/**
 * Lets the oracle do something in the page. `parameters` parses and types the arguments of `handler`. The hook always
 * uses the newest `handler` and `render`, and removes the action when the component unmounts.
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
