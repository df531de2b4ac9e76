/**
 * The database of a deployment: PostgreSQL if it has the binding HYPERDRIVE, and D1 otherwise. The driver for PostgreSQL is loaded
 * at its first use, so a deployment on D1 runs none of it.
 */
import type { Database } from "./database.ts";
import { lazyDatabase } from "./lazy-database.ts";

/** The bindings that can be the database; one of them is used. */
export interface DatabaseBindings {
  readonly DATABASE: Database;
  readonly HYPERDRIVE?: { readonly connectionString: string } | undefined;
}

const made = new WeakMap<object, Database>();

/** The same object for the same bindings. */
export function databaseOf(env: DatabaseBindings): Database {
  const { HYPERDRIVE: hyperdrive } = env;
  if (hyperdrive === undefined) return env.DATABASE;
  const known = made.get(env) ?? createDatabase(hyperdrive);
  made.set(env, known);
  return known;
}

function createDatabase(hyperdrive: { readonly connectionString: string }): Database {
  return lazyDatabase(async () => {
    const { createPostgres } = await import("./postgres/postgres.ts");
    return createPostgres({ connectionString: () => hyperdrive.connectionString });
  });
}
