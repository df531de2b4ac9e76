/** What all changes of a domain by its own routes have in common (contract/registry.md section 5): If-Match, log, answer. */
import type { RegistryContext } from "../context.ts";
import type { DomainRecord, DomainStep } from "../domain/domain.ts";
import { etagOf, representationOf } from "../domain/representation.ts";
import type { Update } from "../domain/update.ts";
import { changeDomain, type ChangedDomain } from "../commands/change-domain.ts";
import { namedDomain } from "../middleware/named-domain.ts";
import { ifMatch } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import type { Result } from "../../platform/result.ts";

/** What a route makes of the domain as it is; undefined changes nothing. Asked again when somebody else was faster. */
export type DomainStepOf = (domain: DomainRecord, update: Update) => Promise<Result<DomainStep | undefined>>;

/** For routes without parameters behind the path. */
export async function changeNamedDomain(c: RegistryContext, stepOf: DomainStepOf): Promise<Result<ChangedDomain>> {
  const query = queryOf(c);
  if (!query.ok) return query;
  const id = namedDomain(c);
  if (!id.ok) return id;
  const { runtime, caller } = c.var;
  const materialFields = runtime.config.REGISTRY_MATERIAL_FIELDS;
  const changed = await changeDomain(runtime, {
    id: id.value,
    caller,
    precondition: (domain) => ifMatch(c, etagOf(domain)),
    step: (domain, at) => stepOf(domain, { actor: caller, at, materialFields }),
  });
  if (changed.ok && changed.value.before !== changed.value.after) {
    const { id: domain, version } = changed.value.after;
    c.env.log.info("domain-changed", { domain, version, by: caller.keyId });
  }
  return changed;
}

export function answerDomain(c: RegistryContext, domain: DomainRecord, status: 200 | 201 = 200): Response {
  return c.json(representationOf(domain), status, { ETag: etagOf(domain) });
}
