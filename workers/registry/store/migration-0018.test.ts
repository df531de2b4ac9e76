/** The release before the history as differences: it ran on D1 alone, so its trigger is in `migrations/` and not in `migrations/postgres/`. */
import { expect, test } from "vitest";
import { createSqliteDatabase, registryMigrations } from "../../../test/support/storage/sqlite-database.ts";
import { storeNewDomain } from "../commands/change-domain.ts";
import { parseRegistryConfig } from "../config.ts";
import { readDomain } from "./domain-rows.ts";
import { readVersion } from "./history-store.ts";
import { readSnapshot } from "./stored-columns.ts";

const parsed = parseRegistryConfig({ ENVIRONMENT: "test" });
if (!parsed.ok) throw new Error("the configuration of the test is wrong");
const config = parsed.value;
const creator = {
  keyId: "k",
  did: "did:web:chain.test",
  role: null,
  scopes: ["registry:admin", "domains:write"],
} as const;

test("a write of the previous release keeps the version before it [RG-272]", async () => {
  const database = createSqliteDatabase(registryMigrations);
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const parts = { database, clock: () => Date.parse("2026-11-21T09:00:00Z"), randomBytes, config };
  const body = { type: "Project", class: "did:ixo:p:x", metadata: { name: "first" } };
  const made = await storeNewDomain(parts, { body, creator, extra: () => [] });
  if (!made.ok) throw new Error(made.error.message);
  const { id } = made.value;
  const before = JSON.stringify(readSnapshot(JSON.stringify(await readDomain(database, id))));
  await database.batch([
    database
      .prepare(
        `INSERT INTO domain_history (domain_id, version, version_id, at, actor, action, changes, snapshot)
         SELECT domain_id, 2, 'v', at, actor, 'updated', '[]', ? FROM domain_history WHERE domain_id = ?`,
      )
      .bind(before.replace('"version":1', '"version":2'), id),
    database.prepare("UPDATE domains SET version = 2 WHERE id = ?").bind(id),
  ]);
  const found = await readVersion(database, id, { version: 1 });
  expect(JSON.stringify(found?.record)).toBe(before);
});
