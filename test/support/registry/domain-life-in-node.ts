/**
 * A registry with one domain over SQLite, for tests that simulate a domain's life: each command uses the function that its route
 * calls, and the test controls the clock.
 */
import { expect } from "vitest";
import type { JsonObject } from "../../../platform/json.ts";
import type { Result } from "../../../platform/result.ts";
import type { Caller, Scope } from "../../../workers/registry/caller.ts";
import { castVote, readBallot } from "../../../workers/registry/commands/cast-vote.ts";
import { changeDomain, storeNewDomain, switchService } from "../../../workers/registry/commands/change-domain.ts";
import { finaliseDue } from "../../../workers/registry/commands/finalise-due.ts";
import { openProposal, withdrawProposal } from "../../../workers/registry/commands/proposals.ts";
import { parseRegistryConfig } from "../../../workers/registry/config.ts";
import type { DomainRecord, ServiceName } from "../../../workers/registry/domain/domain.ts";
import { printTime } from "../../../workers/registry/domain/time.ts";
import { updateDomain } from "../../../workers/registry/domain/update.ts";
import { deactivationStep } from "../../../workers/registry/domain/verification-loss.ts";
import { readProposalBody } from "../../../workers/registry/governance/proposal-body.ts";
import type { ProposalKind } from "../../../workers/registry/governance/proposal.ts";
import type { VoteOption } from "../../../shared/vote-tally.ts";
import { votingRulesOf } from "../../../workers/registry/governance/voting-rules.ts";
import { loadEffective } from "../../../workers/registry/store/effective-domain.ts";
import { readVersion } from "../../../workers/registry/store/history-store.ts";
import { d1Over, registryMigrations, sqliteWith } from "../storage/sqlite-database.ts";

export const weights = [3, 2, 2, 1] as const;
/** Milliseconds of one tick, and how many of them a vote lasts. */
export const TICK = 20_000;
const PERIOD_TICKS = 3;
export const start = Date.parse("2026-11-21T09:00:00Z");
const config = configOf({
  ENVIRONMENT: "test",
  REGISTRY_VOTING_PERIOD_S: String((PERIOD_TICKS * TICK) / 1_000),
  // A simulated life has more proposals than a day permits.
  REGISTRY_DOMAIN_PROPOSALS_PER_DAY: "1000000",
});
export const rules = votingRulesOf(config);

export type Command =
  | { readonly do: "tick"; readonly ticks: number }
  | { readonly do: "propose"; readonly kind: ProposalKind }
  | { readonly do: "vote"; readonly voter: number; readonly option: VoteOption }
  | { readonly do: "switch"; readonly name: ServiceName; readonly enabled: boolean }
  | { readonly do: "limit"; readonly ticks: number }
  | { readonly do: PlainCommand };
export type PlainCommand =
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

export type Registry = Awaited<ReturnType<typeof createRegistry>>;

/** `begin` creates its domain again; `tick` advances its clock. */
export async function createRegistry() {
  const sqlite = sqliteWith(registryMigrations);
  const database = d1Over(sqlite);
  let now = start;
  let drawn = 0;
  /** Every registry gets the same ids. */
  const randomBytes = (count: number) => {
    drawn += 1;
    return Uint8Array.from({ length: count }, (_, at) =>
      at < count - 4 ? 0 : (drawn >>> (8 * (count - 1 - at))) & 255,
    );
  };
  const parts = { database, clock: () => now, randomBytes, config, rules };
  const tables = ["domains", "domain_controllers", "domain_history", "domain_search", "changes"];
  const governed = ["proposals", "copied_electors", "votes", "voters", "roll_changes", "quota_uses"];
  let id = "";
  /** The history as far as it was read; stored entries never change. */
  let stored: { readonly action: unknown; readonly after: DomainRecord }[] = [];

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
    const [effective] = await loadEffective(database, [id], now);
    return effective?.domain.openProposalId ?? undefined;
  }

  return {
    async begin(): Promise<void> {
      sqlite.exec([...tables, ...governed].map((table) => `DELETE FROM ${table};`).join(" "));
      [now, drawn, stored] = [start, 0, []];
      const enrol = sqlite.prepare("INSERT INTO voters (did, weight, added_at, updated_at) VALUES (?, ?, 0, 0)");
      for (const [voter, weight] of weights.entries()) enrol.run(voterDid(voter), weight);
      const body = { type: "Project", class: "did:ixo:protocol/first" };
      const created = await storeNewDomain(parts, { body, creator: controller, extra: () => [] });
      if (!created.ok) throw new Error(created.error.message);
      ({ id } = created.value);
    },
    close: () => sqlite.close(),
    tick: (at: number) => {
      now = at;
    },
    finalise: () => finaliseDue(database, now),
    /** The view of a reader at this moment, without storing due decisions. */
    async read() {
      const [effective] = await loadEffective(database, [id], now);
      if (effective === undefined) throw new Error("the domain is gone");
      const newer: typeof stored = [];
      for (const each of sqlite
        .prepare("SELECT version FROM domain_history WHERE domain_id = ? AND version > ? ORDER BY version")
        .all(id, stored.length)) {
        const found = await readVersion(database, id, { version: Number(each["version"]) });
        if (found === undefined) throw new Error("a version is gone");
        newer.push({ action: found.entry.action, after: found.record });
      }
      stored.push(...newer);
      const due = effective.due.map(({ action, after }) => ({ action, after }));
      return { domain: effective.domain, unstored: due.length, history: [...stored, ...due] };
    },
    async run(command: Command, serial: number): Promise<void> {
      switch (command.do) {
        case "propose": {
          const texts = { title: "A vote", reason: "As the test wants it", package: {} };
          const draft = readProposalBody({ kind: command.kind, ...texts });
          if (!draft.ok) throw new Error(draft.error.message);
          const opening = { domainId: id, caller: proposer, draft: draft.value, extra: () => [] };
          permit(await openProposal(parts, opening));
          return;
        }
        case "vote": {
          const proposalId = await openProposalId();
          if (proposalId === undefined) return;
          const voter = voterDid(command.voter);
          const ballot = await readBallot(parts, proposalId, voter);
          if (!ballot.ok) throw new Error(ballot.error.message);
          const request = { proposalId, voter, option: command.option, rationale: null, extra: () => [] };
          permit(await castVote(parts, request, ballot.value));
          return;
        }
        case "withdraw": {
          const proposalId = await openProposalId();
          if (proposalId === undefined) return;
          permit(await withdrawProposal(parts, { proposalId, caller: proposer, reason: null, extra: () => [] }));
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

/** Refusals are expected, contention is not: there is no other writer. */
function permit(outcome: Result<unknown>): void {
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
  if (!outcome.ok) expect(allowed).toContain(outcome.error.reason);
}
