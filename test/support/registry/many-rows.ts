/** Rows in each table of the registry that grows, on PostgreSQL: enough that its planner has reasons for an index. */
import type { Database } from "../../../platform/database/database.ts";
import { SERVICES_OFF_SQL } from "./domain-records.ts";

export const MANY = 20_000;

/** The tables, each with the statement that fills it. */
const fillings: Readonly<Record<string, string>> = {
  domains: `INSERT INTO domains (id, type, type_key, class, name, metadata, owner, controllers, relayer_node, external_id,
      valid_from_ms, valid_until_ms, status, verification_status, services, document, credentials, accounts, version, version_id,
      created_at, updated_at)
    SELECT 'did:ixo:entity:' || lpad(to_hex(n), 32, '0'), 'type-' || n % 50, 'type-' || n % 50,
      'did:ixo:protocol:' || n % 100, 'stove ' || n, '{}', 'did:key:owner' || n % 500, '[]',
      'did:ixo:relayer' || n % 200, 'serial-' || n, n, n + 1000000,
      CASE WHEN n % 100 = 0 THEN 'suspended' ELSE 'active' END,
      CASE WHEN n % 4 = 0 THEN 'Verified' ELSE 'AwaitingVerification' END,
      ${SERVICES_OFF_SQL}, '{}', '[]', '[]', 1, md5('v' || n), 1748736000000 + CAST(n AS INTEGER) * 5256000, 1748736000000 + n
    FROM generate_series(1, ${MANY}) AS n`,
  domain_controllers: `INSERT INTO domain_controllers (did, created_at, domain_id)
    SELECT 'did:key:controller' || number % 500, created_at, id FROM domains ON CONFLICT DO NOTHING`,
  domain_history: `INSERT INTO domain_history (domain_id, version, version_id, at, actor, action, changes, snapshot)
    SELECT id, 1, version_id, created_at, owner, 'created', '[]', '{}' FROM domains WHERE owner LIKE 'did:key:owner%'`,
  changes: `INSERT INTO changes (seq, domain_id, version)
    SELECT 1000 + number, id, 1 FROM domains WHERE owner LIKE 'did:key:owner%'`,
  domain_search: `INSERT INTO domain_search (rowid, name, text)
    SELECT number, name, 'improved stove' || number FROM domains WHERE owner LIKE 'did:key:owner%'`,
  domain_counts: `INSERT INTO domain_counts (member, value, status, verification_status, domains)
    SELECT 'owner', 'did:key:another' || n, 'active', 'Verified', 1 FROM generate_series(1, ${MANY}) AS n`,
  proposals: `INSERT INTO proposals (id, domain_id, kind, title, summary, proposer, proposer_role, state, rules, total_power,
      created_at, ends_at, due_at, previous_status)
    SELECT 'prp_' || n, 'did:ixo:entity:' || lpad(to_hex(n), 32, '0'), 'verify', 'Verify', '', 'did:key:proposer' || n % 50,
      'program', 'passed', '{}', 1, 1748736000000 + n, 1, 1, 'AwaitingVerification' FROM generate_series(1, ${MANY}) AS n`,
  votes: `INSERT INTO votes (proposal_id, voter, option, power, cast_at)
    SELECT 'prp_' || n, 'did:key:voter' || n % 100, 'yes', 1, n FROM generate_series(1, ${MANY}) AS n`,
  voters: `INSERT INTO voters (did, weight, added_at, updated_at)
    SELECT 'did:key:voter' || n, 1, 1, 1 FROM generate_series(1, 9990) AS n`,
  roll_changes: `INSERT INTO roll_changes (version, did, at, weight)
    SELECT 1000 + n, 'did:key:voter' || n, 1, 1 FROM generate_series(1, ${MANY}) AS n`,
  api_keys: `INSERT INTO api_keys (id, hash, start, label, environment, did, scopes, created_at)
    SELECT 'key_' || n, md5('k' || n), 'abc', 'a key', 'test', 'did:key:owner' || n % 500, '["domains:read"]', n
    FROM generate_series(1, ${MANY}) AS n`,
  imports: `INSERT INTO imports (id, created_by, created_at)
    SELECT 'import-' || n, 'did:key:importer', n FROM generate_series(1, ${MANY}) AS n`,
  idempotency: `INSERT INTO idempotency (did, method, path, key, fingerprint, answer, expires_at)
    SELECT 'did:key:owner' || n % 500, 'POST', '/v1/domains', 'k' || n, 'f', '{}', 9000000000000
    FROM generate_series(1, ${MANY}) AS n`,
  quota_uses: `INSERT INTO quota_uses (subject, day, bytes, allowed_bytes, proposals, allowed_proposals)
    SELECT 'did:key:owner' || n, 20000, 1, 10, 0, 10 FROM generate_series(1, ${MANY}) AS n`,
};

export const growingTables: ReadonlySet<string> = new Set(Object.keys(fillings));

/** Without the triggers, which also write the rows that are inserted here. */
export async function fillTables(database: Database): Promise<void> {
  for (const [table, filling] of Object.entries(fillings)) {
    await database.prepare(`ALTER TABLE ${table} DISABLE TRIGGER USER`).run();
    await database.prepare(filling).run();
    await database.prepare(`ALTER TABLE ${table} ENABLE TRIGGER USER`).run();
    await database.prepare(`ANALYZE ${table}`).run();
  }
  // A server does this in the background: afterwards, a count of index entries reads no rows.
  await database.prepare("VACUUM domains").run();
}
