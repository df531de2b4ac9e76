/** How a service ends: back to the menu of services, perhaps with a reason, or with the login gone. */
import type { Lookup } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";

export interface ServiceOutput {
  readonly event: "DONE" | "LOGGED_OUT";
  readonly notice?: Notice;
}

/** Of a lookup that brought nothing to show. */
export function lookupOutput(outcome: Lookup<unknown>): ServiceOutput {
  if (outcome === null) return { event: "LOGGED_OUT" };
  return outcome.ok ? { event: "DONE" } : { event: "DONE", notice: { reason: outcome.error } };
}
