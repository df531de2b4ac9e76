/**
 * The whole life of a domain under governance, as a model (contract/registry.md sections 6.1 to 6.6): random commands on
 * a registry that finalises at once, on one that finalises late, and on a slow reference that counts out every rest of a
 * vote. All three must tell the same at every moment.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { deactivationStep } from "../domain/deactivation.ts";
import type { DomainRecord, DomainStep, ServiceName } from "../domain/domain.ts";
import { createDomain } from "../domain/creation.ts";
import { stepOf } from "../domain/next-version.ts";
import { printTime } from "../domain/time.ts";
import { updateDomain } from "../domain/update.ts";
import type { JsonObject } from "../../platform/json.ts";
import { reasonsAgainst } from "./eligibility.ts";
import { openingStep, notBefore, withdrawalStep } from "./proposal-steps.ts";
import type { Ballot, ProposalKind } from "./proposal.ts";
import { withService } from "../domain/services.ts";
import { settle, type Governed, type Settlement } from "./settlement.ts";
import { earlyDecision, emptyTally, tallyOf, voteOptions, type VoteOption } from "./tally.ts";
import { referenceDomain } from "../../../test/support/reference-domain.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const weights = [3, 2, 2, 1] as const;
const totalPower = 8;
/** Milliseconds of one tick, and how many of them a vote lasts. */
const TICK = 20_000;
const PERIOD_TICKS = 3;
const rules = {
  quorumBp: 3_340,
  thresholdBp: 5_000,
  vetoBp: 3_340,
  votingPeriodSeconds: (PERIOD_TICKS * TICK) / 1_000,
  allowRevote: false,
  excludedVoters: "none",
} as const;
const start = Date.parse("2026-11-21T09:00:00Z");
const controller = "did:web:controller.test";

type Command =
  | { readonly do: "tick"; readonly ticks: number }
  | { readonly do: "propose"; readonly kind: ProposalKind }
  | { readonly do: "vote"; readonly voter: number; readonly option: VoteOption }
  | { readonly do: "withdraw" | "rename" | "reclassify" | "suspend" | "reactivate" | "deactivate" | "finalise" }
  | { readonly do: "switch"; readonly name: ServiceName; readonly enabled: boolean }
  | { readonly do: "limit"; readonly ticks: number };

/** A registry without its database: what is stored, and writers who settle first. */
async function createRegistry() {
  const born = await createDomain(
    { type: "Project", class: "did:ixo:protocol/first" },
    { id: `did:ixo:entity:${"0".repeat(32)}`, creator: controller, at: start, relayerNode: undefined },
  );
  if (!born.ok) throw new Error(born.error.detail);
  let stored: Governed = { domain: born.value.after, proposal: undefined };
  const history: DomainStep[] = [];
  let votes: { voter: number; option: VoteOption; power: number }[] = [];
  let proposals = 0;

  const finalise = async (now: number): Promise<DomainRecord> => {
    const { domain, proposal, steps } = await settle(stored, now);
    history.push(...steps);
    stored = { domain, proposal: proposal?.state === "open" ? proposal : undefined };
    return domain;
  };
  const apply = (step: DomainStep | undefined, proposal: Ballot | undefined): void => {
    if (step !== undefined) history.push(step);
    stored = { domain: step?.after ?? stored.domain, proposal };
  };
  const patch = async (body: JsonObject, now: number): Promise<void> => {
    const before = await finalise(now);
    const actor = { did: controller, scopes: [] };
    const step = await updateDomain(before, body, { actor, at: notBefore(before, now), materialFields: [] });
    if (step.ok) apply(step.value, step.value?.after.openProposalId === null ? undefined : stored.proposal);
  };

  return {
    finalise,
    /** What a reader sees, and the history that it is told. */
    async read(now: number): Promise<Settlement & { readonly history: readonly DomainStep[] }> {
      const settled = await settle(stored, now);
      return { ...settled, history: [...history, ...settled.steps] };
    },
    async propose(kind: ProposalKind, now: number): Promise<void> {
      const domain = await finalise(now);
      const isOpenTo = kind === "revoke" ? ["active", "suspended"] : ["active"];
      const isVerified = domain.verificationStatus === "Verified";
      const isPast = reasonsAgainst(domain, now).some(({ code }) => code === "expired");
      if (domain.openProposalId !== null || (kind === "verify") === isVerified || isPast) return;
      if (!isOpenTo.includes(domain.status)) return;
      const createdAt = notBefore(domain, now);
      const endsAt = createdAt + rules.votingPeriodSeconds * 1_000;
      const ballot: Ballot = {
        id: `prp_${(proposals += 1)}`,
        domainId: domain.id,
        kind,
        state: "open",
        outcomeReason: null,
        rules,
        totalPower,
        tally: emptyTally,
        createdAt,
        endsAt,
        dueAt: endsAt,
        decidedAt: null,
        decidedEarly: false,
        previousStatus: domain.verificationStatus,
      };
      votes = [];
      apply(await openingStep(domain, { ...ballot, proposer: "did:web:proposer.test" }), ballot);
    },
    /** As the statements of vote-store.ts do it: no finalisation first, it is the statement that refuses. */
    vote(voter: number, option: VoteOption, now: number): void {
      const { proposal } = stored;
      if (proposal === undefined || proposal.dueAt !== proposal.endsAt || now >= proposal.endsAt) return;
      if (votes.some((vote) => vote.voter === voter)) return;
      votes.push({ voter, option, power: weights[voter] ?? 0 });
      const tally = tallyOf(votes);
      const isDecided = earlyDecision(tally, totalPower, rules) !== undefined;
      stored = { ...stored, proposal: { ...proposal, tally, dueAt: isDecided ? now : proposal.endsAt } };
    },
    async withdraw(now: number): Promise<void> {
      const domain = await finalise(now);
      const { proposal } = stored;
      if (proposal === undefined) return;
      apply(await withdrawalStep(domain, proposal, { actor: controller, at: now, reason: null }), undefined);
    },
    async deactivate(now: number): Promise<void> {
      const before = await finalise(now);
      apply(await deactivationStep(before, controller, notBefore(before, now)), undefined);
    },
    async switch(name: ServiceName, enabled: boolean, now: number): Promise<void> {
      const before = await finalise(now);
      if (enabled && reasonsAgainst(before, now).length > 0) return;
      const at = notBefore(before, now);
      const changed = { services: withService(before.services, name, enabled, at) };
      const action = enabled ? "service-enabled" : "service-disabled";
      apply(await stepOf({ before, changed, action, actor: controller, at }), stored.proposal);
    },
    patch,
  };
}

type Registry = Awaited<ReturnType<typeof createRegistry>>;

async function run(registry: Registry, command: Command, now: number, serial: number): Promise<void> {
  switch (command.do) {
    case "propose":
      return registry.propose(command.kind, now);
    case "vote":
      return registry.vote(command.voter, command.option, now);
    case "withdraw":
      return registry.withdraw(now);
    case "deactivate":
      return registry.deactivate(now);
    case "switch":
      return registry.switch(command.name, command.enabled, now);
    case "rename":
      return registry.patch({ metadata: { name: `name ${serial}` } }, now);
    case "reclassify":
      return registry.patch({ class: `did:ixo:protocol/${serial}` }, now);
    case "suspend":
      return registry.patch({ status: "suspended" }, now);
    case "reactivate":
      return registry.patch({ status: "active" }, now);
    case "limit":
      return registry.patch({ validUntil: printTime(now + command.ticks * TICK) }, now);
    case "tick":
    case "finalise":
  }
}

const tick = fc.record({ do: fc.constant("tick" as const), ticks: fc.integer({ min: 1, max: 4 }) });
const propose = fc.record({ do: fc.constant("propose" as const), kind: fc.constantFrom("verify" as const, "revoke") });
const vote = fc.record({
  do: fc.constant("vote" as const),
  voter: fc.integer({ min: 0, max: weights.length - 1 }),
  option: fc.oneof(fc.constant("yes" as const), fc.constantFrom(...voteOptions)),
});
const switching = fc.record({
  do: fc.constant("switch" as const),
  name: fc.constantFrom("reporting" as const, "issuance"),
  enabled: fc.oneof(fc.constant(true), fc.boolean()),
});
/** An end that is past already, too: a controller may correct it. */
const limit = fc.record({ do: fc.constant("limit" as const), ticks: fc.integer({ min: -2, max: 6 }) });
const other = fc.record({
  do: fc.constantFrom("withdraw" as const, "rename", "reclassify", "suspend", "reactivate", "reactivate", "finalise"),
});
const deactivate = fc.constant({ do: "deactivate" as const });

/** Chance alone would hardly ever verify a domain: whole votes, with little or much that could disturb them. */
const election = fc
  .tuple(propose, fc.array(vote, { minLength: 1, maxLength: 5 }), fc.oneof(tick, switching, other))
  .map(([proposal, votes, then]): readonly Command[] => [proposal, ...votes, then]);
const verified: readonly Command[] = [
  { do: "reactivate" },
  { do: "propose", kind: "verify" },
  ...[0, 1, 2, 3].map((voter) => ({ do: "vote", voter, option: "yes" }) as const),
  { do: "switch", name: "issuance", enabled: true },
];
const revocation: readonly Command[] = [
  { do: "propose", kind: "revoke" },
  { do: "vote", voter: 0, option: "yes" },
];

const anyPhrase: fc.Arbitrary<readonly Command[]> = fc.oneof(
  { weight: 6, arbitrary: election },
  { weight: 6, arbitrary: fc.constantFrom(verified, revocation, [...verified, ...revocation]) },
  { weight: 12, arbitrary: fc.oneof(tick, vote, switching, limit, other).map((only) => [only]) },
  { weight: 1, arbitrary: deactivate.map((only) => [only]) },
);
const anyLife = fc
  .array(anyPhrase, { minLength: 3, maxLength: 25, size: "max" })
  .map((phrases): readonly Command[] => phrases.flat());

/** Milliseconds; thousands of lives take longer than a test usually may. */
const PATIENCE = 60_000;

test(
  "reads are the same before and after finalisation, and what the slow reference says",
  { timeout: PATIENCE },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (commands) => {
        const [prompt, late] = [await createRegistry(), await createRegistry()];
        const reference = referenceDomain({ weights, rules });
        let now = start;
        for (const [serial, command] of commands.entries()) {
          if (command.do === "tick") {
            for (let tick = 0; tick < command.ticks; tick += 1) {
              now += TICK;
              await prompt.finalise(now);
            }
          }
          if (command.do === "finalise") await late.finalise(now);
          await run(prompt, command, now, serial);
          await prompt.finalise(now);
          await run(late, command, now, serial);
          reference.run(command, now, TICK);

          const [seen, seenLate] = [await prompt.read(now), await late.read(now)];
          expect(seen.steps).toEqual([]);
          expect(seenLate.domain).toEqual(seen.domain);
          expect(seenLate.history).toEqual(seen.history);
          expect(factsOf(seen.domain)).toEqual(reference.facts(now));
          expectSound(seen, now);
        }
      }),
      { numRuns },
    );
  },
);

function factsOf({ status, verificationStatus, services, openProposalId }: DomainRecord) {
  const { reporting, issuance } = services;
  return {
    status,
    verificationStatus,
    isProposed: openProposalId !== null,
    reporting: reporting.enabled,
    issuance: issuance.enabled,
  };
}

/** What nobody may ever see. */
function expectSound({ domain, history }: { domain: DomainRecord; history: readonly DomainStep[] }, now: number): void {
  const isVerified = domain.verificationStatus === "Verified";
  const verdicts = history.filter(({ action }) => ["verified", "revoked", "verification-lost"].includes(action));
  expect(isVerified).toBe(verdicts.at(-1)?.action === "verified");
  expect(domain.verifiedAt === null).toBe(!isVerified);
  const isOn = domain.services.reporting.enabled || domain.services.issuance.enabled;
  expect(isOn ? reasonsAgainst(domain, now) : []).toEqual([]);
  const versions = history.map(({ after }) => after.version);
  expect(versions).toEqual(versions.map((_, at) => at + 2));
  const times = history.map(({ after }) => Date.parse(after.updatedAt));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
}
