/** Switches a downstream service of a domain on or off (contract/registry.md section 6.6). */
import { success, type Result } from "../../platform/result.ts";
import type { Caller } from "../caller.ts";
import type { ServiceName, ServiceState } from "../domain/domain.ts";
import { stepOf } from "../domain/next-version.ts";
import { mayUpdate } from "../domain/permissions.ts";
import { millisecondsOf } from "../domain/time.ts";
import { refused, unknownDomain, notController, writeContention } from "../failures.ts";
import { ATTEMPTS, commit, pauseAfterConflict } from "../store/batch.ts";
import { stepStatements } from "../store/domain-steps.ts";
import { loadShown } from "../store/shown-domain.ts";
import { reasonsAgainst } from "../governance/eligibility.ts";
import { notBefore } from "../governance/proposal-steps.ts";
import { withService } from "../domain/services.ts";

export interface ServiceSwitch {
  readonly domainId: string;
  readonly name: ServiceName;
  readonly enabled: boolean;
  readonly caller: Caller;
}

/** The state of the service afterwards; a state that is there already is a success without effect. */
export async function switchService(
  { database, clock }: { readonly database: D1Database; readonly clock: () => number },
  { domainId, name, enabled, caller }: ServiceSwitch,
): Promise<Result<ServiceState>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = clock();
    const settled = await loadShown(database, domainId, now);
    if (settled === undefined) return unknownDomain();
    const { domain } = settled;
    if (!mayUpdate(caller, domain)) return notController();
    if (domain.services[name].enabled === enabled) return success(domain.services[name]);
    const reasons = enabled ? reasonsAgainst(domain, now) : [];
    if (reasons.length > 0) {
      const details = reasons.map(({ code, message }) => ({ reason: code, message, pointer: "/enabled" }));
      return refused("not_eligible", "Only an active, valid and verified domain may have a service", { details });
    }
    const at = notBefore(domain, now);
    const services = withService(domain.services, name, enabled, at);
    const action = enabled ? "service-enabled" : "service-disabled";
    const step = await stepOf({ before: domain, changed: { services }, action, actor: caller.did, at, reason: name });
    if (step === undefined) return success(domain.services[name]);
    const outcome = await commit(database, [
      ...settled.statements,
      ...stepStatements(database, step, millisecondsOf(step.after.updatedAt)),
    ]);
    if (outcome === "committed") return success(step.after.services[name]);
    await pauseAfterConflict(attempt);
  }
  return writeContention();
}
