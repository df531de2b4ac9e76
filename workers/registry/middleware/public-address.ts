/** Addresses of the registry's own resources as documents name them: REGISTRY_PUBLIC_URL, else where the request came. */
import type { RegistryContext } from "../context.ts";

export function cardAddress(c: RegistryContext, id: string): string {
  const base = c.var.runtime.config.REGISTRY_PUBLIC_URL ?? new URL(c.req.url).origin;
  return `${base}/v1/domains/${id}/card`;
}
