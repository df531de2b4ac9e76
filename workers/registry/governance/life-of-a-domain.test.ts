/**
 * The whole life of a domain under governance, as a model (docs/decisions/005-registry.md): random commands, through the
 * functions that the routes call, on a registry that finalises at once and on one that finalises late, both over SQLite;
 * and on a slow reference that counts out every rest of a vote. All three must tell the same at every moment.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../platform/json.ts";
import type { Caller } from "../caller.ts";
import { parseRegistryConfig } from "../config.ts";
import { deactivationStep } from "../domain/deactivation.ts";
import type { DomainRecord, ServiceName } from "../domain/domain.ts";
import { printTime } from "../domain/time.ts";
import { updateDomain } from "../domain/update.ts";
import { admitElector, castVote } from "../effects/cast-vote.ts";
import { changeDomain, storeNewDomain } from "../effects/domain-writes.ts";
import { finaliseDue } from "../effects/finalise-due.ts";
import { openProposal } from "../effects/open-proposal.ts";
import { switchService } from "../effects/switch-service.ts";
import { withdrawProposal } from "../effects/withdraw-proposal.ts";
import type { Outcome } from "../problem.ts";
import type { Scope } from "../scopes.ts";
import { loadSettled } from "../store/settled-domain.ts";
import { reasonsAgainst } from "./eligibility.ts";
import type { ProposalKind } from "./proposal.ts";
import { readProposalBody } from "./proposal-body.ts";
import { voteOptions, type VoteOption } from "./tally.ts";
import { votingRulesOf } from "./voting-rules.ts";
import { referenceDomain } from "../../../test/support/reference-domain.ts";
import { d1Over, sqliteWith } from "../../../test/support/sqlite-database.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const weights = [3, 2, 2, 1] as const;
/** Milliseconds of one tick, and how many of them a vote lasts. */
const TICK = 20_000;
const PERIOD_TICKS = 3;
const start = Date.parse("2026-11-21T09:00:00Z");
const config = configOf({ ENVIRONMENT: "test", REGISTRY_VOTING_PERIOD_S: String((PERIOD_TICKS * TICK) / 1_000) });
const rules = votingRulesOf(config);

type Command =
  | { readonly do: "tick"; readonly ticks: number }
  | { readonly do: "propose"; readonly kind: ProposalKind }
  | { readonly do: "vote"; readonly voter: number; readonly option: VoteOption }
  | { readonly do: "switch"; readonly name: ServiceName; readonly enabled: boolean }
  | { readonly do: "limit"; readonly ticks: number }
  | { readonly do: PlainCommand };
type PlainCommand =
  | "withdraw"
  | "rename"
  | "reclassify"
  | "suspend"
  | "reactivate"
  | "admin-suspend"
  | "admin-reactivate"
  | "deactivate"
  | "finalise";

const controller = callerOf("controller", ["domains:write"]);
const admin = callerOf("admin", ["registry:admin"]);
const proposer: Caller = { ...callerOf("proposer", ["verification:propose"]), role: "compliance" };
const voterDid = (voter: number) => `did:web:voter.test:${voter}`;

function callerOf(name: string, scopes: readonly Scope[]): Caller {
  return { keyId: name, did: `did:web:${name}.test`, role: null, scopes };
}

function configOf(env: object) {
  const parsed = parseRegistryConfig(env);
  if (!parsed.ok) throw new Error("the configuration of the test is wrong");
  return parsed.value;
}

/** A registry of one domain, and a clock that the test moves. */
async function createRegistry() {
  const sqlite = sqliteWith(["0002_registry.sql", "0006_registry_verification.sql"]);
  const database = d1Over(sqlite);
  let now = start;
  let drawn = 0;
  /** The same ids in every registry. */
  const randomBytes = (count: number) => {
    drawn += 1;
    return Uint8Array.from({ length: count }, (_, at) =>
      at < count - 4 ? 0 : (drawn >>> (8 * (count - 1 - at))) & 255,
    );
  };
  const parts = { database, clock: () => now, randomBytes, config, rules };
  const tables = ["domains", "domain_controllers", "domain_history", "domain_search", "changes"];
  const governed = ["proposals", "proposal_electors", "votes", "voters"];
  let id = "";

  async function patch(body: JsonObject, caller: Caller): Promise<void> {
    permit(
      await changeDomain(parts, {
        id,
        caller,
        precondition: () => undefined,
        step: (domain, at) => updateDomain(domain, body, { actor: caller, at, materialFields: [] }),
      }),
    );
  }

  async function openProposalId(): Promise<string | undefined> {
    const settled = await loadSettled(database, id, now);
    return settled?.domain.openProposalId ?? undefined;
  }

  return {
    async begin(): Promise<void> {
      sqlite.exec([...tables, ...governed].map((table) => `DELETE FROM ${table};`).join(" "));
      [now, drawn] = [start, 0];
      const enrol = sqlite.prepare("INSERT INTO voters (did, weight, added_at, updated_at) VALUES (?, ?, 0, 0)");
      for (const [voter, weight] of weights.entries()) enrol.run(voterDid(voter), weight);
      const body = { type: "Project", class: "did:ixo:protocol/first" };
      const created = await storeNewDomain(parts, { body, creator: controller.did, beside: () => [] });
      if (!created.ok) throw new Error(created.error.detail);
      ({ id } = created.value);
    },
    close: () => sqlite.close(),
    tick: (at: number) => {
      now = at;
    },
    finalise: () => finaliseDue(database, now),
    /** What a reader would see now, without storing what is due. */
    async read() {
      const settled = await loadSettled(database, id, now);
      if (settled === undefined) throw new Error("the domain is gone");
      const stored = sqlite
        .prepare("SELECT action, snapshot FROM domain_history WHERE domain_id = ? ORDER BY version")
        .all(id)
        .map(({ action, snapshot }) => ({ action, after: JSON.parse(String(snapshot)) as DomainRecord }));
      const due = settled.steps.map(({ action, after }) => ({ action, after }));
      return { domain: settled.domain, unstored: due.length, history: [...stored, ...due] };
    },
    async run(command: Command, serial: number): Promise<void> {
      switch (command.do) {
        case "propose": {
          const texts = { title: "A vote", reason: "As the test wants it", package: {} };
          const draft = readProposalBody({ kind: command.kind, ...texts });
          if (!draft.ok) throw new Error(draft.error.detail);
          const opening = { domainId: id, caller: proposer, draft: draft.value, beside: () => [] };
          permit(await openProposal(parts, opening));
          return;
        }
        case "vote": {
          const proposalId = await openProposalId();
          if (proposalId === undefined) return;
          const voter = voterDid(command.voter);
          const weight = await admitElector(database, proposalId, voter);
          if (!weight.ok) throw new Error(weight.error.detail);
          const paper = { proposalId, voter, option: command.option, rationale: null, beside: () => [] };
          permit(await castVote(parts, paper, weight.value));
          return;
        }
        case "withdraw": {
          const proposalId = await openProposalId();
          if (proposalId === undefined) return;
          permit(await withdrawProposal(parts, { proposalId, caller: proposer, reason: null, beside: () => [] }));
          return;
        }
        case "deactivate":
          permit(
            await changeDomain(parts, {
              id,
              caller: controller,
              precondition: () => undefined,
              step: async (domain, at) => ({ ok: true, value: await deactivationStep(domain, controller.did, at) }),
            }),
          );
          return;
        case "switch":
          permit(await switchService(parts, { ...command, domainId: id, caller: controller }));
          return;
        case "rename":
          return patch({ metadata: { name: `name ${serial}` } }, controller);
        case "reclassify":
          return patch({ class: `did:ixo:protocol/${serial}` }, controller);
        case "suspend":
        case "admin-suspend":
          return patch({ status: "suspended" }, command.do === "suspend" ? controller : admin);
        case "reactivate":
        case "admin-reactivate":
          return patch({ status: "active" }, command.do === "reactivate" ? controller : admin);
        case "limit":
          return patch({ validUntil: printTime(now + command.ticks * TICK) }, controller);
        case "tick":
        case "finalise":
      }
    },
  };
}

/** Refusals belong to the game, contention does not: nobody else writes. */
function permit(outcome: Outcome<unknown>): void {
  const allowed = [
    "proposal_open",
    "already_verified",
    "not_verified",
    "domain_not_active",
    "domain_expired",
    "domain_deactivated",
    "suspended_by_admin",
    "already_voted",
    "not_eligible",
  ];
  if (!outcome.ok) expect(allowed).toContain(outcome.error.code);
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
  do: fc.constantFrom<PlainCommand[]>(
    "withdraw",
    "rename",
    "reclassify",
    "suspend",
    "reactivate",
    "reactivate",
    "admin-suspend",
    "admin-reactivate",
    "admin-reactivate",
    "finalise",
  ),
});
const deactivate = fc.constant({ do: "deactivate" as const });

/** Chance alone would hardly ever verify a domain: whole votes, with little or much that could disturb them. */
const election = fc
  .tuple(propose, fc.array(vote, { minLength: 1, maxLength: 5 }), fc.oneof(tick, switching, other))
  .map(([proposal, votes, then]): readonly Command[] => [proposal, ...votes, then]);
const verified: readonly Command[] = [
  { do: "admin-reactivate" },
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

/** Milliseconds; hundreds of lives take longer than a test usually may. */
const TIMEOUT = 180_000;

let prompt: Registry;
let late: Registry;
type Registry = Awaited<ReturnType<typeof createRegistry>>;
beforeAll(async () => {
  [prompt, late] = [await createRegistry(), await createRegistry()];
});
afterAll(() => {
  prompt.close();
  late.close();
});

test(
  "reads are the same before and after finalisation, and what the slow reference says",
  { timeout: TIMEOUT },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (commands) => {
        await Promise.all([prompt.begin(), late.begin()]);
        const reference = referenceDomain({ weights, rules });
        let now = start;
        for (const [serial, command] of commands.entries()) {
          if (command.do === "tick") {
            for (let tick = 0; tick < command.ticks; tick += 1) {
              prompt.tick((now += TICK));
              await prompt.finalise();
            }
            late.tick(now);
          }
          if (command.do === "finalise") await late.finalise();
          await prompt.run(command, serial);
          await prompt.finalise();
          await late.run(command, serial);
          reference.run(command, { now, tick: TICK, serial });

          const [seen, seenLate] = [await prompt.read(), await late.read()];
          expect(seen.unstored).toBe(0);
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

function factsOf(domain: DomainRecord) {
  const { reporting, issuance } = domain.services;
  return {
    status: domain.status,
    suspendedBy: domain.suspendedBy,
    verificationStatus: domain.verificationStatus,
    changed: domain.changedSinceVerification,
    isProposed: domain.openProposalId !== null,
    reporting: reporting.enabled,
    issuance: issuance.enabled,
  };
}

type Seen = Pick<Awaited<ReturnType<Registry["read"]>>, "domain" | "history">;

/** What nobody may ever see. */
function expectSound({ domain, history }: Seen, now: number): void {
  const isVerified = domain.verificationStatus === "Verified";
  const verdicts = history.filter(({ action }) =>
    ["verified", "revoked", "verification-lost", "deactivated"].includes(String(action)),
  );
  expect(isVerified).toBe(verdicts.at(-1)?.action === "verified");
  expect(domain.verifiedAt === null).toBe(!isVerified);
  expect(domain.verifiedVersion === null).toBe(!isVerified);
  const seen = history.find(({ after }) => after.version === domain.verifiedVersion)?.after;
  expect(seen?.class ?? domain.class).toBe(domain.class);
  const isRenamed = seen !== undefined && seen.name !== domain.name;
  expect(domain.changedSinceVerification.includes("metadata")).toBe(isRenamed);
  expect(isVerified && domain.status === "deactivated").toBe(false);
  const isOn = domain.services.reporting.enabled || domain.services.issuance.enabled;
  expect(isOn ? reasonsAgainst(domain, now) : []).toEqual([]);
  const versions = history.map(({ after }) => after.version);
  expect(versions).toEqual(versions.map((_, at) => at + 1));
  const times = history.map(({ after }) => Date.parse(after.updatedAt));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
}
