/**
 * The label of a DID: from its voter, otherwise from its newest API key that is not revoked, otherwise from its newest
 * key.
 */
import type { Database } from "../../../platform/database/database.ts";
import type { KeyEnvironment } from "../caller.ts";

/** Keys of a DID that are read, newest first: a DID may have had thousands. */
export const LABELLING_KEYS = 20;

export interface LabelledDid {
  readonly did: string;
  readonly label: string;
}

/** In the order of `dids`, without DIDs that have no label. */
export async function readLabels(
  database: Database,
  environment: KeyEnvironment,
  dids: readonly string[],
): Promise<readonly LabelledDid[]> {
  const { results } = await database
    .prepare(
      `SELECT asked.value AS did, coalesce(
         (SELECT nullif(label, '') FROM voters WHERE voters.did = asked.value),
         (SELECT label FROM (
            SELECT label, revoked_at, created_at, id FROM api_keys INDEXED BY api_keys_by_did
            WHERE api_keys.did = asked.value AND environment = ?2 ORDER BY created_at DESC, id DESC LIMIT ?3
          ) ORDER BY revoked_at IS NOT NULL, created_at DESC, id DESC LIMIT 1)) AS label
       FROM json_each(?1) AS asked ORDER BY CAST(asked.key AS INTEGER)`,
    )
    .bind(JSON.stringify([...new Set(dids)]), environment, LABELLING_KEYS)
    .all<{ readonly did: string; readonly label: string | null }>();
  return results.flatMap(({ did, label }) => (label === null ? [] : [{ did, label }]));
}
