/** Creates and changes domains: one command, one batch. The pure functions of `domain/` define the changes. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { Failure } from "../../../platform/failure.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { failure, type Result, success } from "../../../platform/result.ts";
import type { Caller } from "../caller.ts";
import type { RegistryRuntime } from "../context.ts";
import { createDomain } from "../domain/creation.ts";
import { DOMAIN_ID_BYTES, domainIdOf } from "../domain/domain-id.ts";
import type { DomainRecord, DomainStep, ServiceName, ServiceState } from "../domain/domain.ts";
import { stepOf } from "../domain/next-version.ts";
import { withService } from "../domain/services.ts";
import { millisecondsOf } from "../domain/time.ts";
import { mayUpdate } from "../domain/update.ts";
import { materialChanges } from "../domain/verification-loss.ts";
import { notController, refused, unknownDomain } from "../failures.ts";
import { effectiveState, notBefore, supersedingStep } from "../governance/effective-state.ts";
import { reasonsAgainst } from "../governance/eligibility.ts";
import type { Ballot } from "../governance/proposal.ts";
import { commitCommand } from "../store/batch.ts";
import { stepStatements } from "../store/domain-steps.ts";
import { type EffectiveDomain, readEffective } from "../store/effective-domain.ts";
import { supersedeStatements } from "../store/proposal-store.ts";
import { bytesOfStep, quotaStatements, refusedByQuota } from "../store/quota-store.ts";

/** Enough for fifty concurrent writers of one domain, each of which must build on the others' changes. */
const CHANGE_ATTEMPTS = 24;

/** Attempts to draw an unused id. A second draw is practically never needed. */
const DRAWS = 3;

export interface Creation {
  readonly body: JsonObject;
  readonly creator: Caller;
  /** Further statements for the same batch. */
  readonly extra: (created: DomainRecord) => readonly Statement[];
}

type Platform = Pick<RegistryRuntime, "database" | "clock" | "randomBytes" | "config">;

export async function storeNewDomain(
  { database, clock, randomBytes, config }: Platform,
  { body, creator, extra }: Creation,
): Promise<Result<DomainRecord>> {
  return commitCommand(
    database,
    async () => {
      const at = clock();
      const id = domainIdOf(randomBytes(DOMAIN_ID_BYTES));
      const step = await createDomain(body, {
        id,
        at,
        creator: creator.did,
        relayerNode: config.REGISTRY_RELAYER_NODE,
      });
      if (!step.ok) return step;
      const { after } = step.value;
      const use = { caller: creator, bytes: bytesOfStep(step.value), at };
      const statements = [
        ...stepStatements(database, step.value),
        ...quotaStatements(database, config, use),
        ...extra(after),
      ];
      return { statements, value: after };
    },
    {
      attempts: DRAWS,
      exhausted: () => refused("internal", "No free id was found"),
      refusedByQuota: () => refusedByQuota(clock()),
    },
  );
}

export interface DomainChange {
  readonly id: string;
  readonly caller: Caller;
  /** Why the change must not apply to the domain in its current state. Evaluated again after each conflict. */
  readonly precondition: (domain: DomainRecord) => Failure | undefined;
  /** Undefined if there is nothing to change. `at` in Unix milliseconds. */
  readonly step: (domain: DomainRecord, at: number) => Promise<Result<DomainStep | undefined>>;
}

/** The domain before and after. Both are equal if nothing changed. */
export interface ChangedDomain {
  readonly before: DomainRecord;
  readonly after: DomainRecord;
}

export async function changeDomain(
  { database, clock, config }: Pick<Platform, "database" | "clock" | "config">,
  { id, caller, precondition, step: makeStep }: DomainChange,
): Promise<Result<ChangedDomain>> {
  return commitCommand(
    database,
    async () => {
      const at = clock();
      const effective = await readEffective(database, id, at);
      if (effective === undefined) return unknownDomain();
      const { domain } = effective;
      if (!mayUpdate(caller, domain)) return notController();
      const unmet = precondition(domain);
      if (unmet !== undefined) return failure(unmet);
      const made = await makeStep(domain, at);
      if (!made.ok) return made;
      if (made.value === undefined) return success({ before: domain, after: domain });
      const superseded = made.value.after.openProposalId === null ? effective.openProposal : undefined;
      const step = superseded === undefined ? made.value : await supersedingStep(made.value, superseded);
      // A change can make a decision due at once, for example when it moves the end of validity into the past.
      const following = await effectiveState({ domain: step.after, proposal: undefined }, at);
      const use = { caller, bytes: bytesOfStep(step), at };
      return {
        statements: [
          ...changeStatements(database, effective.guard, superseded, [step, ...following.due]),
          ...quotaStatements(database, config, use),
        ],
        value: { before: domain, after: following.domain },
      };
    },
    { attempts: CHANGE_ATTEMPTS, refusedByQuota: () => refusedByQuota(clock()) },
  );
}

/** The proposal that the change supersedes first, then the change and its consequences. */
function changeStatements(
  database: Database,
  guard: EffectiveDomain["guard"],
  superseded: Ballot | undefined,
  steps: readonly [DomainStep, ...DomainStep[]],
): readonly Statement[] {
  const timeOf = ({ after }: DomainStep): number => millisecondsOf(after.updatedAt);
  const [step] = steps;
  return [
    ...guard,
    ...(superseded === undefined ? [] : supersedeStatements(database, superseded, timeOf(step), reasonOf(step))),
    ...steps.flatMap((each) => stepStatements(database, each)),
  ];
}

/** The reason that a superseded proposal shows. */
function reasonOf({ before, after, action }: DomainStep) {
  if (action === "deactivated") return "deactivated";
  const isMaterial = before !== undefined && materialChanges(before, after, []).length > 0;
  return isMaterial ? "material_change" : "content_changed";
}

export interface ServiceSwitch {
  readonly domainId: string;
  readonly name: ServiceName;
  readonly enabled: boolean;
  readonly caller: Caller;
}

/** The resulting state of the service. Setting the current state again succeeds without effect. */
export async function switchService(
  context: Pick<Platform, "database" | "clock" | "config">,
  { domainId, name, enabled, caller }: ServiceSwitch,
): Promise<Result<ServiceState>> {
  const changed = await changeDomain(context, {
    id: domainId,
    caller,
    precondition: () => undefined,
    async step(domain, now) {
      if (domain.services[name].enabled === enabled) return success(undefined);
      const reasons = enabled ? reasonsAgainst(domain, now) : [];
      if (reasons.length > 0) {
        const details = reasons.map(({ code, message }) => ({ reason: code, message, pointer: "/enabled" }));
        return refused("not_eligible", "Only an active, valid and verified domain may have a service", { details });
      }
      const at = notBefore(domain, now);
      const services = withService(domain.services, name, enabled, at);
      const action = enabled ? "service-enabled" : "service-disabled";
      return success(
        await stepOf({ before: domain, changed: { services }, action, actor: caller.did, at, reason: name }),
      );
    },
  });
  return changed.ok ? success(changed.value.after.services[name]) : changed;
}
