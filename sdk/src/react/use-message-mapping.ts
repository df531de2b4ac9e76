/** How messages are drawn here: by which components and which actions. */
"use client";
import { useMemo, useSyncExternalStore } from "react";
import type { MappingOptions } from "./message-mapping.ts";
import { useOraclesParts } from "./oracles-context.ts";
import type { UIComponents } from "./ui-components.ts";

/** Keeps its identity while the same names are there, whichever functions stand for them. */
export function useMessageMapping(sessionId: string, uiComponents: UIComponents | undefined): MappingOptions {
  const { actions } = useOraclesParts();
  const registered = useSyncExternalStore(actions.subscribe, actions.list, actions.list);
  const names = uiComponents === undefined ? undefined : JSON.stringify(Object.keys(uiComponents));
  return useMemo(
    () => ({
      sessionId,
      components: names === undefined ? undefined : new Set(JSON.parse(names) as string[]),
      actions: new Map(registered.map(({ name, hasRender }) => [name, hasRender])),
    }),
    [sessionId, names, registered],
  );
}
