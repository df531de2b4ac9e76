/** A domain as the registry answers it, and what it is called. */
import type { components } from "../api/paths.d.ts";
import { registryTexts } from "../texts/registry.ts";

export type Domain = components["schemas"]["Domain"];

/** A name of spaces alone does not count: it cannot be read or pressed. */
export function nameOf({ name }: Pick<Domain, "name">): string {
  return name === null || name.trim() === "" ? registryTexts.unnamed : name;
}
