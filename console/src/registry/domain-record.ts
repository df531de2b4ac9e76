/** A domain as the registry answers it, and what it is called. */
import type { components } from "../api/paths.d.ts";
import { registryTexts } from "../texts/registry.ts";

export type Domain = components["schemas"]["Domain"];

export function nameOf(domain: Pick<Domain, "name">): string {
  return domain.name ?? registryTexts.unnamed;
}
