/** The effect of migration 0006 on governance data of an older release. */
import { expect, test } from "vitest";
import { finaliseDue } from "../commands/finalise-due.ts";
import { d1Over, sqliteWith } from "../../../test/support/storage/sqlite-database.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { castVote, readBallot } from "../commands/cast-vote.ts";
import { loadEffective, readEffective } from "./effective-domain.ts";

const migration = readFileSync(join(import.meta.dirname, "../../../migrations/0006_registry_verification.sql"), "utf8");
// The current code also needs the columns of the history.
const historyMigration = readFileSync(
  join(import.meta.dirname, "../../../migrations/0018_registry_history.sql"),
  "utf8",
);
const at = Date.parse("2026-11-21T09:00:00Z");
const rules = {
  quorumBp: 3_340,
  thresholdBp: 5_000,
  vetoBp: 3_340,
  votingPeriodSeconds: 60,
  allowRevote: false,
  excludedVoters: "none",
};

/** A domain at version 4 and an open proposal of each kind, with the columns of the older release. */
function olderDatabase(status: string, verification: string, openProposal: string | null) {
  const sqlite = sqliteWith(["0002_registry.sql"]);
  sqlite
    .prepare(
      `INSERT INTO domains (id, type, type_key, class, metadata, owner, controllers, status, verification_status,
         verified_at, open_proposal_id, services, document, credentials, accounts, version, version_id, created_at, updated_at)
       VALUES ('d', 'Project', 'project', 'did:a:b', '{}', 'did:a:o', '["did:a:o"]', ?, ?, ?, ?, ?, '{}', '[]', '[]', 4, 'v', ?, ?)`,
    )
    .run(status, verification, verification === "Verified" ? at : null, openProposal, services, at, at);
  if (openProposal !== null) {
    sqlite
      .prepare(
        `INSERT INTO proposals (id, domain_id, kind, title, summary, proposer, proposer_role, state, rules, total_power,
           created_at, ends_at, due_at, previous_status)
         VALUES (?, 'd', 'verify', 't', '', 'did:a:p', 'program', 'open', ?, 1, ?, ?, ?, 'AwaitingVerification')`,
      )
      .run(openProposal, JSON.stringify(rules), at, at + 60_000, at + 60_000);
    sqlite
      .prepare("INSERT INTO proposal_electors (proposal_id, did, weight) VALUES (?, 'did:a:v', 1)")
      .run(openProposal);
  }
  sqlite.exec(migration);
  sqlite.exec(historyMigration);
  return d1Over(sqlite);
}

const off = { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null };
const services = JSON.stringify({ reporting: off, issuance: off });

async function voteYes(database: D1Database): Promise<void> {
  const context = { database, clock: () => at };
  const ballot = await readBallot(context, "prp_1", "did:a:v");
  if (!ballot.ok) throw new Error(ballot.error.message);
  const request = { proposalId: "prp_1", voter: "did:a:v", option: "yes", rationale: null, extra: () => [] } as const;
  expect(await castVote(context, request, ballot.value)).toMatchObject({ ok: true });
}

test("an open vote can be decided, about the domain as it was at the migration", async () => {
  const database = olderDatabase("active", "UnderVote", "prp_1");
  await voteYes(database);
  expect((await readEffective(database, "d", at))?.domain).toMatchObject({
    verificationStatus: "Verified",
    verifiedVersion: 4,
    changedSinceVerification: [],
  });
});

test("a vote that an older release opens after the migration can be decided, and its domain can be read", async () => {
  const database = olderDatabase("active", "UnderVote", "prp_1");
  await database.prepare("UPDATE proposals SET domain_version = NULL").run();
  await voteYes(database);
  expect((await readEffective(database, "d", at))?.domain).toMatchObject({
    verificationStatus: "Verified",
    verifiedVersion: null,
  });
});

test("a verified domain stays verified, and a deactivated one loses its verification once", async () => {
  const active = olderDatabase("active", "Verified", null);
  expect((await loadEffective(active, ["d"], at))[0]?.domain).toMatchObject({
    verificationStatus: "Verified",
    verifiedVersion: null,
    changedSinceVerification: [],
  });
  const gone = olderDatabase("deactivated", "Verified", null);
  expect((await loadEffective(gone, ["d"], at))[0]?.domain.verificationStatus).toBe("AwaitingVerification");
  expect(await finaliseDue(gone, at)).toEqual({ finalised: 1, conflicts: 0 });
  expect(await finaliseDue(gone, at)).toEqual({ finalised: 0, conflicts: 0 });
  expect((await loadEffective(gone, ["d"], at))[0]?.domain).toMatchObject({ version: 5, wasVerified: true });
});
