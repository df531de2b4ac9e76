/** Before each file: the database of the Worker under test is PostgreSQL, with empty tables; D1 is `COMPARED`, with empty tables. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { tamperOnPostgres } from "../../support/staff/audit-tampering.ts";

const database = databaseOf(env);
// For tests that name the binding of D1.
Object.defineProperty(env, "DATABASE", { value: database, configurable: true });

const { results: tables } = await database
  .prepare("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'applied_migrations'")
  .all<{ name: string }>();
await tamperOnPostgres([`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(", ")} RESTART IDENTITY`]);

await applyD1Migrations(env.COMPARED, env.TEST_MIGRATIONS);
