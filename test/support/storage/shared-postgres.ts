/**
 * A PostgreSQL server for one run of tests, with the schema in a template from which each test copies its database. Its data are gone
 * afterwards.
 */
import type { TestProject } from "vitest/node";
import { migratePostgres } from "../../../scripts/postgres/migrate.ts";
import { startTestPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's own database, which has no tables. */
    postgresUrl: string;
    /** The migrated database. Nothing connects to it: PostgreSQL copies no database that is in use. */
    postgresTemplate: string;
  }
}

const TEMPLATE = "migrated";

export default async function startForTests(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres();
  try {
    const migrated = await migratePostgres(await server.newDatabase(TEMPLATE));
    if (!migrated.ok) throw new Error(migrated.error);
  } catch (error) {
    await server.close();
    throw error;
  }
  project.provide("postgresUrl", server.url);
  project.provide("postgresTemplate", TEMPLATE);
  return () => server.close();
}
