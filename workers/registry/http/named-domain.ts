/** The domain that a path names, raw or percent-encoded; the router has decoded it. */
import * as z from "zod";
import { failsWith } from "../../platform/http/parameters.ts";
import { success, type Result } from "../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { isDid } from "../did.ts";
import { registryFailure, unknownDomain } from "../failures.ts";
import { readEffective, type EffectiveDomain } from "../store/effective-domain.ts";

export const domainParams = z.object({
  id: failsWith(
    z.string().refine(isDid).meta({ description: "The domain's DID, raw or percent-encoded." }),
    registryFailure("invalid_did", "The path must name a domain by its DID"),
  ),
});

/** As it is at `now` (Unix milliseconds). */
export async function readNamed(
  c: RegistryContext,
  id: string,
  now = c.var.runtime.clock(),
): Promise<Result<EffectiveDomain>> {
  const found = await readEffective(c.var.runtime.database, id, now);
  return found === undefined ? unknownDomain() : success(found);
}
