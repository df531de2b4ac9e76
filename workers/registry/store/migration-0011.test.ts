/**
 * The voter roll by version: proposals of older releases, the release that still runs during a deployment, and the size
 * of a stored proposal.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { d1Over, registryMigrations, sqliteWith } from "../../../test/support/storage/sqlite-database.ts";
import { castVote, readBallot } from "../commands/cast-vote.ts";
import { readingOf } from "../lists/directory.ts";
import { listProposals } from "../lists/proposal-list.ts";
import { listOwnVotes } from "./vote-store.ts";
import { listElectorsWithoutKey } from "./voter-store.ts";

const NEW = "0011_registry_roll.sql";
const migration = readFileSync(join(import.meta.dirname, "../../../migrations", NEW), "utf8");
const at = Date.parse("2026-11-21T09:00:00Z");
const off = { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null };
const services = JSON.stringify({ reporting: off, issuance: off });
const rules = JSON.stringify({
  quorumBp: 3_340,
  thresholdBp: 5_000,
  vetoBp: 3_340,
  votingPeriodSeconds: 60,
  allowRevote: false,
  excludedVoters: "none",
});
const speakers = { environment: "test", configured: ["did:a:amina"], now: at } as const;

/** With an open proposal of the previous release, whose electors are Amina and a voter who has left the roll. */
function upgraded() {
  const sqlite = sqliteWith(registryMigrations.filter((name) => name < NEW));
  sqlite
    .prepare(
      `INSERT INTO domains (id, type, type_key, class, metadata, owner, controllers, status, verification_status,
         open_proposal_id, services, document, credentials, accounts, version, version_id, created_at, updated_at)
       VALUES ('d', 'Project', 'project', 'did:a:b', '{}', 'did:a:o', '["did:a:o"]', 'active', 'UnderVote', 'prp_old', ?,
         '{}', '[]', '[]', 2, 'v', ?, ?)`,
    )
    .run(services, at, at);
  sqlite.exec(
    "INSERT INTO voters (did, weight, added_at, updated_at) VALUES ('did:a:amina', 2, 0, 0), ('did:a:cara', 4, 0, 0)",
  );
  open(sqlite, "prp_old");
  sqlite.exec("INSERT INTO proposal_electors VALUES ('prp_old', 'did:a:amina', 2), ('prp_old', 'did:a:gone', 1)");
  sqlite.exec(migration);
  for (const name of registryMigrations.filter((each) => each > NEW)) {
    sqlite.exec(readFileSync(join(import.meta.dirname, "../../../migrations", name), "utf8"));
  }
  return { sqlite, database: d1Over(sqlite) };
}

/** The columns that the previous release writes. */
function open(sqlite: ReturnType<typeof sqliteWith>, id: string, domain = "d"): void {
  sqlite
    .prepare(
      `INSERT INTO proposals (id, domain_id, kind, title, summary, proposer, proposer_role, state, rules, total_power,
         created_at, ends_at, due_at, previous_status, domain_version)
       VALUES (?, ?, 'verify', 't', '', 'did:a:p', 'program', 'open', ?, 3, ?, ?, ?, 'AwaitingVerification', 2)`,
    )
    .run(id, domain, rules, at, at + 60_000, at + 60_000);
}

test("an open proposal keeps its copied electors, and can be decided [RG-202]", async () => {
  const { sqlite, database } = upgraded();
  const context = { database, clock: () => at };
  for (const voter of ["did:a:amina", "did:a:gone"]) {
    const ballot = await readBallot(context, "prp_old", voter);
    if (!ballot.ok) throw new Error(ballot.error.message);
    const request = { proposalId: "prp_old", voter, option: "yes", rationale: null, extra: () => [] } as const;
    expect(await castVote(context, request, ballot.value)).toMatchObject({ ok: true });
    if (voter === "did:a:amina") break;
  }
  expect(sqlite.prepare("SELECT state, yes FROM proposals").get()).toEqual({ state: "passed", yes: 2 });
  expect(await readBallot(context, "prp_old", "did:a:cara")).toMatchObject({ ok: false });
  const own = await listOwnVotes(database, "did:a:gone", ["prp_old"]);
  expect(own).toEqual([{ proposalId: "prp_old", power: 1, vote: undefined }]);
  for (const [elector, found] of [
    ["did:a:amina", 1],
    ["did:a:gone", 1],
    ["did:a:cara", 0],
    ["did:a:nobody", 0],
  ] as const) {
    expect([
      elector,
      (await listProposals(readingOf(database), { elector }, { after: undefined, limit: 9 })).length,
    ]).toEqual([elector, found]);
  }
});

test("finds electors without a key, of a copied electorate and of a version of the roll", async () => {
  const { sqlite, database } = upgraded();
  const of = async (proposalId: string, examined = 10) =>
    (await listElectorsWithoutKey(database, speakers, { proposalId, examined }))?.electors;
  expect(await of("prp_old")).toEqual([{ did: "did:a:gone", weight: 1 }]);
  expect(await of("prp_old", 1)).toBeUndefined();
  open(sqlite, "prp_new", "other");
  sqlite.exec("UPDATE proposals SET roll_version = 2, elector_count = 2 WHERE id = 'prp_new'");
  sqlite.exec("DELETE FROM voters WHERE did = 'did:a:cara'");
  sqlite.exec("INSERT INTO voters (did, weight, added_at, updated_at) VALUES ('did:a:late', 9, 0, 0)");
  expect(await of("prp_new")).toEqual([{ did: "did:a:cara", weight: 4 }]);
  sqlite.exec(`UPDATE proposals SET excluded = '["did:a:cara"]' WHERE id = 'prp_new'`);
  expect(await of("prp_new")).toEqual([]);
});

test("the previous release can still read and write electors and voters [RG-202]", async () => {
  const { sqlite, database } = upgraded();
  sqlite.exec("UPDATE proposals SET state = 'withdrawn'");
  open(sqlite, "prp_still");
  sqlite
    .prepare("INSERT INTO proposal_electors (proposal_id, did, weight) SELECT ?, did, weight FROM voters")
    .run("prp_still");
  const sum = "SELECT SUM(weight) AS sum FROM proposal_electors WHERE proposal_id = ?";
  expect(sqlite.prepare(sum).get("prp_still")).toEqual({ sum: 6 });
  expect(await listOwnVotes(database, "did:a:cara", ["prp_still"])).toMatchObject([{ power: 4 }]);
  sqlite.exec("UPDATE proposals SET state = 'withdrawn'");
  open(sqlite, "prp_by_version");
  sqlite.exec("UPDATE proposals SET roll_version = 2, elector_count = 2 WHERE id = 'prp_by_version'");
  expect(sqlite.prepare(sum).get("prp_by_version")).toEqual({ sum: 6 });
  sqlite.exec(
    `INSERT INTO voters (did, weight, label, added_at, updated_at) VALUES ('did:a:cara', 5, NULL, 9, 9)
     ON CONFLICT (did) DO UPDATE SET weight = 5, updated_at = 9`,
  );
  sqlite.exec("DELETE FROM voters WHERE did = 'did:a:amina'");
  expect(sqlite.prepare(sum).get("prp_by_version")).toEqual({ sum: 6 });
  const changes = sqlite.prepare("SELECT did, weight, old_weight FROM roll_changes WHERE version > 2").all();
  expect(changes).toEqual([
    { did: "did:a:cara", weight: 5, old_weight: 4 },
    { did: "did:a:amina", weight: null, old_weight: 2 },
  ]);
});
