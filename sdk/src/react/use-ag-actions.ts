/** Registers AG-UI actions for as long as the component is there. */
"use client";
import { useEffect, useState } from "react";
import type * as z from "zod";
import type { AgActionConfig } from "./ag-action.ts";
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
