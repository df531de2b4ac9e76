/** The domain in a path, raw or percent-encoded (the router has decoded it), and changes of it. */
import * as z from "zod";
import type { Failure } from "../../../platform/failure.ts";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { Caller } from "../caller.ts";
import { changeDomain, type ChangedDomain } from "../commands/change-domain.ts";
import type { RegistryContext } from "../context.ts";
import { isDid } from "../did.ts";
import type { DomainRecord, DomainStep } from "../domain/domain.ts";
import { etagOf, representationOf } from "../domain/representation.ts";
import type { Update } from "../domain/update.ts";
import { registryFailure, unknownDomain } from "../failures.ts";
import { readEffective, type EffectiveDomain } from "../store/effective-domain.ts";
import { noteChange } from "./audited.ts";

export const domainParams = z.object({
  id: failsWith(
    z.string().refine(isDid).meta({ description: "The domain's DID, raw or percent-encoded." }),
    registryFailure("invalid_did", "The path must name a domain by its DID"),
  ),
});

/** Reads the domain in its state at `now` (Unix milliseconds). */
export async function readNamed(
  c: RegistryContext,
  id: string,
  now = c.var.runtime.clock(),
): Promise<Result<EffectiveDomain>> {
  const found = await readEffective(c.var.runtime.database, id, now);
  return found === undefined ? unknownDomain() : success(found);
}

interface ChangeInput {
  readonly params: { readonly id: string };
  readonly caller: Caller;
  readonly ifMatch: (current: string) => Failure | undefined;
}

/**
 * `stepOf` returns the change for the current domain, or undefined for no change. It runs again after a conflict with
 * another writer.
 */
export async function changeNamed(
  c: RegistryContext,
  { params: { id }, caller, ifMatch }: ChangeInput,
  stepOf: (domain: DomainRecord, update: Update) => Promise<Result<DomainStep | undefined>>,
): Promise<Result<ChangedDomain>> {
  const { runtime } = c.var;
  const materialFields = runtime.config.REGISTRY_MATERIAL_FIELDS;
  const changed = await changeDomain(runtime, {
    id,
    caller,
    precondition: (domain) => ifMatch(etagOf(domain)),
    step: (domain, at) => stepOf(domain, { actor: caller, at, materialFields }),
  });
  if (changed.ok && changed.value.before !== changed.value.after) {
    const { before, after } = changed.value;
    const { id: domain, version } = after;
    noteChange(c, { before: { version: before.version }, after: { version } });
    c.env.log.info("domain-changed", { domain, version, by: caller.keyId });
  }
  return changed;
}

export function replyDomain(domain: DomainRecord, status = 200) {
  return reply(representationOf(domain), { status, headers: { ETag: etagOf(domain) } });
}

/** The address of a domain's card in documents: based on REGISTRY_PUBLIC_URL, or on the address of the request. */
export function cardAddress(c: RegistryContext, id: string): string {
  const base = c.var.runtime.config.REGISTRY_PUBLIC_URL ?? new URL(c.req.url).origin;
  return `${base}/v1/domains/${id}/card`;
}
