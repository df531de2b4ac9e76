/** PostgreSQL for programs in Node, which keep their connections until they end. */
import type { Database } from "../database.ts";
import { lazyDatabase } from "../lazy-database.ts";
import type { ConnectionScope } from "./connections.ts";
import { createPostgres } from "./postgres.ts";

export interface OpenDatabase {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

export function openPostgres(connectionString: string): OpenDatabase {
  const scope: ConnectionScope = { idle: [] };
  const driver = createPostgres({ connectionString: () => connectionString, scope });
  return {
    database: lazyDatabase(() => Promise.resolve(driver)),
    async close() {
      await Promise.all(scope.idle.splice(0).map((client) => client.end()));
    },
  };
}
