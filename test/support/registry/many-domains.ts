/** A registry with 6,000 domains, whose statements and rows are recorded. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach } from "vitest";
import { SERVICES_OFF_SQL } from "./domain-records.ts";
import { recordedDatabase } from "./recorded-database.ts";
import { registryEdge } from "./registry-edge.ts";

/** Stores the domains for the file, and forgets the recorded statements before each test. */
export function manyDomains() {
  const DOMAINS = 6_000;
  const recorded = recordedDatabase(env.DATABASE);
  const edge = registryEdge({ DATABASE: recorded.database });
  let key = "";
  beforeAll(async () => {
    await env.DATABASE.batch([
      env.DATABASE.prepare("DELETE FROM domains"),
      env.DATABASE.prepare("DELETE FROM domain_search"),
      env.DATABASE.prepare(
        `INSERT INTO domains (id, type, type_key, class, name, metadata, owner, controllers, relayer_node, external_id,
         status, verification_status, services, document, credentials, accounts, version, version_id, created_at, updated_at)
       WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ${DOMAINS - 1})
       SELECT 'did:ixo:entity:' || printf('%032x', at), 'project', CASE WHEN at < 3000 THEN 'project' ELSE 'device' END,
         'did:ixo:protocol:' || (at % 10), 'stove ' || at, '{}', 'did:key:owner' || (at % 3), '[]',
         CASE WHEN at % 2 = 0 THEN 'did:ixo:relayer' END, 'serial-' || at,
         CASE WHEN at % 100 = 0 THEN 'suspended' ELSE 'active' END,
         CASE WHEN at % 4 = 0 THEN 'Verified' ELSE 'AwaitingVerification' END, ${SERVICES_OFF_SQL}, '{}', '[]', '[]', 1, '',
         at, at FROM n`,
      ),
      env.DATABASE.prepare(
        "INSERT INTO domain_search (rowid, name, text) SELECT number, name, substr(id, 16) || ' improved' FROM domains",
      ),
    ]);
    key = await edge.keyOf("did:key:reader", ["domains:read"]);
  });

  beforeEach(() => {
    recorded.ran.length = 0;
    edge.clock.now += 60_000;
  });

  const readRows = () => recorded.ran.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
  return {
    DOMAINS,
    recorded,
    edge,
    get key() {
      return key;
    },
    readRows,
  };
}
