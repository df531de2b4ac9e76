/** The planner's settings of the user that migrates, and of another user under which the Worker connects (docs/deploy.md). */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Client } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { openPostgres } from "../../platform/database/postgres/node.ts";
import { migratePostgres } from "../../scripts/postgres/migrate.ts";
import { storeNewDomain } from "../../workers/registry/commands/change-domain.ts";
import { parseRegistryConfig } from "../../workers/registry/config.ts";
import { readDomain } from "../../workers/registry/store/domain-rows.ts";
import { shrinkHistory } from "../../workers/registry/store/history-shrinking.ts";

const document = readFileSync(resolve(import.meta.dirname, "../../docs/deploy.md"), "utf8");
const [, statements = ""] = /```sql\n(GRANT USAGE ON SCHEMA[^]*?)```/.exec(document) ?? [];

async function asOwner(database: string, ...sql: readonly string[]): Promise<void> {
  const url = new URL(inject("postgresUrl"));
  if (database !== "") url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  for (const text of sql) await client.query(text);
  await client.end();
}

/** The settings that the session has for its user in its database: the test server has further values. */
async function settingsOf(database: Database): Promise<readonly unknown[]> {
  const { results } = await database
    .prepare("SELECT name, setting FROM pg_settings WHERE source = 'database user' ORDER BY name")
    .all<{ name: string; setting: string }>();
  return results.map(({ name, setting }) => `${name} = ${setting}`);
}

const OFF = ["enable_hashjoin = off", "enable_mergejoin = off", "enable_seqscan = off", "jit = off"];

test("a restored database, which has no settings of users, gets them with the next migration [RG-296]", async () => {
  const name = "restored_database_test";
  // Like a dump, a copy of a database has its tables and none of these settings.
  await asOwner("", `CREATE DATABASE ${name} TEMPLATE ${inject("postgresTemplate")}`);
  onTestFinished(() => asOwner("", `DROP DATABASE ${name}`));
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const settings = async () => {
    const { database, close } = openPostgres(url.href);
    const found = await settingsOf(database);
    await close();
    return found;
  };
  expect(await settings()).toEqual([]);
  expect(await migratePostgres(url.href)).toEqual({ ok: true, value: [] });
  expect(await settings()).toEqual(OFF);
});

test("the user of the guide has the settings of the planner, and can do what the Worker does [RG-296]", async () => {
  const [name, password] = ["worker_user_test", "the-password-of-a-test"];
  await asOwner("", `CREATE USER twinedge_app PASSWORD '${password}'`);
  await asOwner("", `CREATE DATABASE ${name} TEMPLATE ${inject("postgresTemplate")}`);
  await asOwner(name, statements.replaceAll("IN DATABASE twinedge ", `IN DATABASE ${name} `));
  const url = new URL(inject("postgresUrl"));
  [url.pathname, url.username, url.password] = [`/${name}`, "twinedge_app", password];
  const { database, close } = openPostgres(url.href);
  onTestFinished(async () => {
    await close();
    await asOwner("", `DROP DATABASE ${name}`, "DROP USER twinedge_app");
  });
  expect(await settingsOf(database)).toEqual(OFF);
  expect(await database.prepare("SELECT CAST(current_user AS TEXT) AS name").first("name")).toBe("twinedge_app");

  const config = parseRegistryConfig({ ENVIRONMENT: "test" });
  if (!config.ok) throw new Error("the configuration of the test is wrong");
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const made = await storeNewDomain(
    { database, clock: () => Date.now(), randomBytes, config: config.value },
    {
      body: { type: "Project", class: "did:ixo:p:x", metadata: { name: "Stoves" } },
      creator: { keyId: "k", did: "did:web:a.test", role: null, scopes: ["registry:admin", "domains:write"] },
      extra: () => [],
    },
  );
  if (!made.ok) throw new Error(made.error.message);
  expect(await readDomain(database, made.value.id)).toMatchObject({ name: "Stoves" });
  expect(await shrinkHistory(database, 1)).toBe(true);
  expect(await database.size?.()).toBeGreaterThan(1_000_000);
});
