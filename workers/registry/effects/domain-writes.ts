/**
 * Creates and changes domains: one effect, one batch, tried again when somebody else was faster (contract/registry.md
 * sections 5 and 12). What a change is, the pure functions of `domain/` say.
 */
import { failure, success, type Result } from "../../platform/result.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Caller } from "../caller.ts";
import type { RegistryRuntime } from "../context.ts";
import { createDomain } from "../domain/creation.ts";
import { DOMAIN_ID_BYTES, domainIdOf } from "../domain/domain-id.ts";
import type { DomainRecord, DomainStep } from "../domain/domain.ts";
import { mayUpdate } from "../domain/permissions.ts";
import { materialChanges } from "../domain/material-change.ts";
import { millisecondsOf } from "../domain/time.ts";
import { settle } from "../governance/settlement.ts";
import { refused, unknownDomain, notController, writeContention } from "../failures.ts";
import type { Failure } from "../../platform/failure.ts";
import { commit, pauseAfterConflict } from "../store/batch.ts";
import { stepStatements } from "../store/domain-steps.ts";
import { readDomain } from "../store/domain-store.ts";
import { supersedeStatements } from "../store/proposal-store.ts";
import type { SettledDomain } from "../store/settled-domain.ts";
import { loadShown } from "../store/shown-domain.ts";

/** Enough for fifty writers of one domain at once, each of which takes what the others have written. */
const CHANGE_ATTEMPTS = 24;

/** Draws of an id before giving up: a second one is needed about never. */
const DRAWS = 3;

export interface Creation {
  readonly body: JsonObject;
  readonly creator: string;
  /** Statements for the same batch. */
  readonly beside: (created: DomainRecord) => readonly D1PreparedStatement[];
}

type Platform = Pick<RegistryRuntime, "database" | "clock" | "randomBytes" | "config">;

export async function storeNewDomain(platform: Platform, creation: Creation): Promise<Result<DomainRecord>> {
  const { database, clock, randomBytes, config } = platform;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const at = clock();
    const id = domainIdOf(randomBytes(DOMAIN_ID_BYTES));
    const birth = { id, at, creator: creation.creator, relayerNode: config.REGISTRY_RELAYER_NODE };
    const step = await createDomain(creation.body, birth);
    if (!step.ok) return step;
    const { after } = step.value;
    const outcome = await commit(database, [...stepStatements(database, step.value, at), ...creation.beside(after)]);
    if (outcome === "committed") return success(after);
    // It was not the id but what should be stored beside it: whoever asked for that knows more.
    if ((await readDomain(database, id)) === undefined) return writeContention();
  }
  return refused("internal", "No free id was found");
}

export interface DomainChange {
  readonly id: string;
  readonly caller: Caller;
  /** Why the change must not happen to the domain as it is now; asked again after each conflict. */
  readonly precondition: (domain: DomainRecord) => Failure | undefined;
  /** Undefined when there is nothing to change. `at` in Unix milliseconds. */
  readonly step: (domain: DomainRecord, at: number) => Promise<Result<DomainStep | undefined>>;
}

/** The domain before and after; both are the same when nothing changed. */
export interface ChangedDomain {
  readonly before: DomainRecord;
  readonly after: DomainRecord;
}

export async function changeDomain(
  { database, clock }: Pick<Platform, "database" | "clock">,
  { id, caller, precondition, step: makeStep }: DomainChange,
): Promise<Result<ChangedDomain>> {
  for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt += 1) {
    const at = clock();
    const settled = await loadShown(database, id, at);
    if (settled === undefined) return unknownDomain();
    const { domain } = settled;
    if (!mayUpdate(caller, domain)) return notController();
    const unmet = precondition(domain);
    if (unmet !== undefined) return failure(unmet);
    const step = await makeStep(domain, at);
    if (!step.ok) return step;
    if (step.value === undefined) return success({ before: domain, after: domain });
    const steps = await withWhatFollows(step.value, at);
    const outcome = await commit(database, changeStatements(database, settled, steps));
    if (outcome === "committed") return success({ before: domain, after: steps.at(-1)?.after ?? domain });
    await pauseAfterConflict(attempt);
  }
  return writeContention();
}

/** A change can make something due at once, such as the end of a validity that it moves into the past. */
async function withWhatFollows(step: DomainStep, now: number): Promise<readonly [DomainStep, ...DomainStep[]]> {
  const { steps } = await settle({ domain: step.after, proposal: undefined }, now);
  return [step, ...steps];
}

/** The proposal that the change supersedes first, then the change and what follows from it. */
function changeStatements(
  database: D1Database,
  settled: SettledDomain,
  [step, ...following]: readonly [DomainStep, ...DomainStep[]],
): readonly D1PreparedStatement[] {
  const timeOf = ({ after }: DomainStep): number => millisecondsOf(after.updatedAt);
  const { openProposal } = settled;
  const closes = openProposal !== undefined && step.after.openProposalId === null;
  return [
    ...settled.statements,
    ...(closes ? supersedeStatements(database, openProposal, timeOf(step), reasonOf(step)) : []),
    ...[step, ...following].flatMap((each) => stepStatements(database, each, timeOf(each))),
  ];
}

/** Why a change supersedes a proposal. */
function reasonOf({ before, after, action }: DomainStep) {
  if (action === "deactivated") return "deactivated";
  const isMaterial = before !== undefined && materialChanges(before, after, []).length > 0;
  return isMaterial ? "material_change" : "content_changed";
}
