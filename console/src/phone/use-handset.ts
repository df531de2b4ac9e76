/** A handset's state, for components. */
import { useSyncExternalStore } from "react";
import type { Handset } from "./handset.ts";
import type { HandsetState } from "./handset-state.ts";

export function useHandset(handset: Handset): HandsetState {
  return useSyncExternalStore(handset.subscribe, handset.read);
}
