/**
 * All SQL about the voter roll. Triggers write each change of `voters` to `roll_changes`. The version of a change is
 * the version of the roll, and a proposal stores the version with which it was opened.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { requireThat } from "./batch.ts";
import { type Speakers, speaksFor } from "./key-store.ts";
import { type Bindings, bound, createBindings, keysetPage, keysetSql } from "./sql.ts";

/** Times are Unix milliseconds. */
export interface Voter {
  readonly did: string;
  readonly weight: number;
  readonly label: string | null;
  /** The version of the roll at this voter's last change. */
  readonly version: number;
  /** Whether an API key that can vote represents this DID now. */
  readonly hasKey: boolean;
  readonly addedAt: number;
  readonly updatedAt: number;
}

interface VoterRow {
  readonly did: string;
  readonly weight: number;
  readonly label: string | null;
  readonly version: number;
  readonly has_key: number;
  readonly added_at: number;
  readonly updated_at: number;
}

/** By DID, after `after` or only `did`; at most `limit`. */
export async function listVoters(
  database: Database,
  speakers: Speakers,
  { did, after = "", limit }: { readonly did?: string; readonly after?: string; readonly limit: number },
): Promise<readonly Voter[]> {
  const bindings = createBindings();
  const columns = `did, weight, label, added_at, updated_at, ${currentVersion("voters.did")} AS version,
    ${speaksFor("voters.did", speakers, bindings)} AS has_key`;
  const where = () => (did === undefined ? [] : [`did = ${bindings.bind(did)}`]);
  const page = { columns, source: "voters", where, order: ["did"], after: [after], limit };
  const { results } = await bound(database, keysetSql(page, bindings), bindings).all<VoterRow>();
  return results.map(({ has_key, added_at, updated_at, ...same }) => ({
    ...same,
    hasKey: has_key === 1,
    addedAt: added_at,
    updatedAt: updated_at,
  }));
}

export async function readVoter(database: Database, speakers: Speakers, did: string): Promise<Voter | undefined> {
  const [voter] = await listVoters(database, speakers, { did, limit: 1 });
  return voter;
}

/** SQL: the version of the voter's last change. */
function currentVersion(did: string): string {
  return `(SELECT version FROM roll_changes WHERE roll_changes.did = ${did} AND replaced_by IS NULL)`;
}

/** The author and time of a change of the roll. */
export interface RollChange {
  /** A DID. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Conflicts unless the voter is at `version` (undefined: the voter is not on the roll, which has fewer than `capacity`
 * voters).
 */
export function putVoterStatements(
  database: Database,
  { did, weight, label }: Pick<Voter, "did" | "weight" | "label">,
  { version, capacity, actor, at }: RollChange & { readonly version: number | undefined; readonly capacity: number },
): readonly Statement[] {
  return [
    expectVersion(database, did, version),
    ...(version === undefined ? [requireThat(database, "(SELECT count(*) FROM voters) < ?1", capacity)] : []),
    database
      .prepare(
        `INSERT INTO voters (did, weight, label, added_at, updated_at, changed_by) VALUES (?1, ?2, ?3, ?4, ?4, ?5)
         ON CONFLICT (did) DO UPDATE SET weight = ?2, label = ?3, updated_at = ?4, changed_by = ?5`,
      )
      .bind(did, weight, label, at, actor),
  ];
}

/** Conflicts unless the voter is at `version`. */
export function removeVoterStatements(
  database: Database,
  did: string,
  { version, actor, at }: RollChange & { readonly version: number },
): readonly Statement[] {
  return [
    expectVersion(database, did, version),
    database.prepare("UPDATE voters SET removed_by = ?2, updated_at = ?3 WHERE did = ?1").bind(did, actor, at),
    database.prepare("DELETE FROM voters WHERE did = ?1").bind(did),
  ];
}

function expectVersion(database: Database, did: string, version: number | undefined): Statement {
  const current = `(SELECT ${currentVersion("voters.did")} FROM voters WHERE did = ?1)`;
  return requireThat(database, `${current} IS ?2`, did, version ?? null);
}

export async function countVoters(database: Database): Promise<number> {
  const row = await database.prepare("SELECT count(*) AS voters FROM voters").first<{ voters: number }>();
  return row?.voters ?? 0;
}

interface UnheardElectors {
  /** Electors without a key that can vote, by DID. */
  readonly electors: readonly { readonly did: string; readonly weight: number }[];
  /** The number of electors that were checked. */
  readonly examined: number;
}

/** Undefined if the proposal has more electors than `examined`. */
export async function listElectorsWithoutKey(
  database: Database,
  speakers: Speakers,
  { proposalId, examined }: { readonly proposalId: string; readonly examined: number },
): Promise<UnheardElectors | undefined> {
  const count = await database
    .prepare(
      `SELECT roll_version AS version, coalesce(elector_count, (
         SELECT count(*) FROM (SELECT 1 FROM copied_electors WHERE proposal_id = proposals.id LIMIT ?2))) AS electors
       FROM proposals WHERE id = ?1`,
    )
    .bind(proposalId, examined + 1)
    .first<{ readonly version: number | null; readonly electors: number }>();
  if (count === null || count.electors > examined) return undefined;
  const bindings = createBindings();
  const id = bindings.bind(proposalId);
  const text = `SELECT did, weight FROM (${electorsAt(count.version, id, bindings)}) AS electors
    WHERE NOT ${speaksFor("electors.did", speakers, bindings)}
      AND did NOT IN (SELECT value FROM proposals, json_each(proposals.excluded) WHERE proposals.id = ${id}) ORDER BY did`;
  const { results } = await bound(database, text, bindings).all<{ readonly did: string; readonly weight: number }>();
  return { electors: results, examined: count.electors };
}

/** The states of voters at a version of the roll are current or were replaced later; each case has an index. */
function electorsAt(version: number | null, proposalId: string, { bind }: Bindings): string {
  if (version === null) return `SELECT did, weight FROM copied_electors WHERE proposal_id = ${proposalId}`;
  const states = "SELECT did, weight FROM roll_changes INDEXED BY roll_changes_replaced WHERE weight IS NOT NULL";
  const at = bind(version);
  return `${states} AND replaced_by IS NULL AND version <= ${at}
    UNION ALL ${states} AND replaced_by > ${at} AND version <= ${at}`;
}

/** The state of a voter before or after a change; null if the voter was not on the roll. */
export interface VoterState {
  readonly weight: number;
  readonly label: string | null;
}

export interface RecordedChange {
  readonly version: number;
  readonly did: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** A DID; null for changes from before changes were recorded. */
  readonly actor: string | null;
  readonly before: VoterState | null;
  readonly after: VoterState | null;
}

interface ChangeRow {
  readonly version: number;
  readonly did: string;
  readonly at: number;
  readonly actor: string | null;
  readonly weight: number | null;
  readonly label: string | null;
  readonly old_weight: number | null;
  readonly old_label: string | null;
}

/** Newest first, below the version `before`; of one voter or of all. */
export async function listRollChanges(
  database: Database,
  { did, before, limit }: { readonly did: string | undefined; readonly before: number; readonly limit: number },
): Promise<readonly RecordedChange[]> {
  const { results } = await keysetPage(database, {
    columns: "version, did, at, actor, weight, label, old_weight, old_label",
    source: "roll_changes",
    where: ({ bind }) => (did === undefined ? [] : [`did = ${bind(did)}`]),
    order: ["version"],
    descending: true,
    after: [before],
    limit,
  }).all<ChangeRow>();
  return results.map(({ weight, label, old_weight, old_label, ...same }) => ({
    ...same,
    before: old_weight === null ? null : { weight: old_weight, label: old_label },
    after: weight === null ? null : { weight, label },
  }));
}
