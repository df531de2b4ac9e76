/** A domain in the registry's format, and its display name. */
import type { components } from "../api/paths.d.ts";
import { registryTexts } from "../texts/registry.ts";

export type Domain = components["schemas"]["Domain"];

/** A name of only spaces does not count: it can be neither read nor pressed. */
export function nameOf({ name }: Pick<Domain, "name">): string {
  return name === null || name.trim() === "" ? registryTexts.unnamed : name;
}
