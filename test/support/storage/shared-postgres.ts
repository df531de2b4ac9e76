/** A PostgreSQL server for one run of tests, with the schema in a database of its own. Its data are gone afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startLocalPostgres } from "../../../scripts/postgres/local-server.ts";
import { migratePostgres } from "../../../scripts/postgres/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export default async function startForTests(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-postgres-"));
  const started = await startLocalPostgres({ folder, settings: ["fsync=off"] });
  if (!started.ok) throw new Error(started.error);
  const { url, stop } = started.value;
  const migrated = await migratePostgres(url);
  if (!migrated.ok) {
    await stop();
    throw new Error(migrated.error);
  }
  project.provide("postgresUrl", url);
  return async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
