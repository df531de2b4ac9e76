/** What people call a DID: the label of its voter, else that of its newest API key. */
import type { KeyEnvironment } from "../caller.ts";

export interface LabelledDid {
  readonly did: string;
  readonly label: string;
}

/** In the order of `dids`, without those that have no label. */
export async function readLabels(
  database: D1Database,
  environment: KeyEnvironment,
  dids: readonly string[],
): Promise<readonly LabelledDid[]> {
  const { results } = await database
    .prepare(
      `SELECT asked.value AS did, coalesce(
         (SELECT nullif(label, '') FROM voters WHERE voters.did = asked.value),
         (SELECT label FROM api_keys WHERE api_keys.did = asked.value AND environment = ?2
          ORDER BY revoked_at IS NOT NULL, created_at DESC, id DESC LIMIT 1)) AS label
       FROM json_each(?1) AS asked ORDER BY asked.key`,
    )
    .bind(JSON.stringify([...new Set(dids)]), environment)
    .all<{ readonly did: string; readonly label: string | null }>();
  return results.flatMap(({ did, label }) => (label === null ? [] : [{ did, label }]));
}
