/** The domain that a path names, raw or percent-encoded; the router has decoded it. */
import { success, type Result } from "../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { isDid } from "../did.ts";
import { refused, unknownDomain } from "../failures.ts";
import type { EffectiveDomain } from "../store/effective-domain.ts";
import { readEffective } from "../store/effective-domain.ts";

export function namedDomain(c: RegistryContext): Result<string> {
  const id = c.req.param("id") ?? "";
  return isDid(id) ? success(id) : refused("invalid_did", "The path must name a domain by its DID");
}

/** The same, as it is at `now` (Unix milliseconds), to be shown. */
export async function readNamedDomain(
  c: RegistryContext,
  now = c.var.runtime.clock(),
): Promise<Result<EffectiveDomain>> {
  const id = namedDomain(c);
  if (!id.ok) return id;
  const settled = await readEffective(c.var.runtime.database, id.value, now);
  return settled === undefined ? unknownDomain() : success(settled);
}
