/** PostgreSQL for programs in Node, which keep their connections until they end. */
import { createConnectionScope } from "../connection-scope.ts";
import type { Database } from "../database.ts";
import { lazyDatabase } from "../lazy-database.ts";
import { createPostgres } from "./postgres.ts";

export interface OpenDatabase {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

export function openPostgres(connectionString: string): OpenDatabase {
  const scope = createConnectionScope();
  const driver = createPostgres({ connectionString: () => connectionString, scope });
  return {
    database: lazyDatabase(() => Promise.resolve(driver)),
    close: () => scope.close(),
  };
}
