/** A domain as the registry answers it, and what it is called. */
import type { components } from "../api/paths.d.ts";
import { registryTexts } from "../texts/registry.ts";

export type Domain = components["schemas"]["Domain"];

/** A name of spaces alone is none: nobody could read or press it. */
export function nameOf({ name }: Pick<Domain, "name">): string {
  return name === null || name.trim() === "" ? registryTexts.unnamed : name;
}
