/** All SQL about registered voters, from whom every proposal takes its electorate. */
import { keysetPage } from "./sql.ts";

/** Times are Unix milliseconds. */
export interface Voter {
  readonly did: string;
  readonly weight: number;
  readonly label: string | null;
  readonly addedAt: number;
  readonly updatedAt: number;
}

interface VoterRow {
  readonly did: string;
  readonly weight: number;
  readonly label: string | null;
  readonly added_at: number;
  readonly updated_at: number;
}

const COLUMNS = "did, weight, label, added_at, updated_at";

export async function readVoter(database: D1Database, did: string): Promise<Voter | undefined> {
  const row = await database.prepare(`SELECT ${COLUMNS} FROM voters WHERE did = ?1`).bind(did).first<VoterRow>();
  return row === null ? undefined : voterOf(row);
}

/** By DID, after `after`; at most `limit` of them. */
export async function listVoters(database: D1Database, after: string, limit: number): Promise<readonly Voter[]> {
  const page = { columns: COLUMNS, source: "voters", where: () => [], order: ["did"], after: [after], limit };
  const { results } = await keysetPage(database, page).all<VoterRow>();
  return results.map(voterOf);
}

/** Undefined when there are `capacity` others already. `now` is when it was added, or else changed. */
export async function putVoter(
  database: D1Database,
  { did, weight, label }: Pick<Voter, "did" | "weight" | "label">,
  { now, capacity }: { readonly now: number; readonly capacity: number },
): Promise<Voter | undefined> {
  const row = await database
    .prepare(
      `INSERT INTO voters (did, weight, label, added_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?4
       WHERE EXISTS (SELECT 1 FROM voters WHERE did = ?1) OR (SELECT count(*) FROM voters) < ?5
       ON CONFLICT (did) DO UPDATE SET weight = ?2, label = ?3, updated_at = ?4
       RETURNING ${COLUMNS}`,
    )
    .bind(did, weight, label, now, capacity)
    .first<VoterRow>();
  return row === null ? undefined : voterOf(row);
}

/** False when there is none. */
export async function removeVoter(database: D1Database, did: string): Promise<boolean> {
  const { meta } = await database.prepare("DELETE FROM voters WHERE did = ?1").bind(did).run();
  return meta.changes > 0;
}

function voterOf({ added_at, updated_at, ...same }: VoterRow): Voter {
  return { ...same, addedAt: added_at, updatedAt: updated_at };
}
