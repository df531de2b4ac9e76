/** Applies the D1 migrations to the test database before each file; applied ones are skipped. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);
