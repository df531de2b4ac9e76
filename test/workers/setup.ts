/**
 * Before each file: applies the D1 migrations, skipping applied ones, and empties all tables except for rows that the
 * migrations insert.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { emptyDatabase } from "../support/storage/empty-database.ts";

await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);
await emptyDatabase();
