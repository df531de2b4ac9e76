/**
 * Domains on which time or a deciding vote has worked and nobody has stored it. Each part walks a partial index that
 * holds only what can become due, so that the cost does not grow with the registry.
 */

export const dueDomainsSql = `
  SELECT id FROM (
    SELECT domain_id AS id, due_at AS at FROM proposals INDEXED BY proposals_due WHERE state = 'open' AND due_at <= ?1
    UNION ALL
    SELECT id, valid_until_ms AS at FROM domains
    WHERE (services ->> '$.reporting.enabled' OR services ->> '$.issuance.enabled') AND valid_until_ms <= ?1
    UNION ALL
    SELECT id, updated_at AS at FROM domains WHERE status = 'deactivated' AND verification_status = 'Verified'
  ) GROUP BY id ORDER BY MIN(at) LIMIT ?2`;

/** Their ids, the longest due first. `now` in Unix milliseconds. */
export async function dueDomains(database: D1Database, now: number, limit: number): Promise<readonly string[]> {
  const { results } = await database.prepare(dueDomainsSql).bind(now, limit).all<{ readonly id: string }>();
  return results.map(({ id }) => id);
}
