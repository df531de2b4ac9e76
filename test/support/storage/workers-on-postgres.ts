/**
 * Replaces `cloudflare:workers` in the project `postgres` (vitest.config.ts): tests of `test/workers` that use the database alone run
 * unchanged in Node, on PostgreSQL.
 */
import { lazyDatabase, type Driver } from "../../../platform/database/lazy-database.ts";
import { freshDriver } from "./fresh-postgres.ts";

export { DurableObject } from "./durable-object-in-node.ts";

let ofFile: Driver = freshDriver();

/** Files of one process share `env`, so each file replaces its database. */
export function renewFileDatabase(): void {
  ofFile = freshDriver();
}

export const env = {
  DATABASE: lazyDatabase(() => Promise.resolve({ run: (statements) => ofFile.run(statements) })),
  // As in the projects inside workerd (vitest.config.ts): key 1 of test/support/ussd/accounts.ts.
  PIN_ENCRYPTION_KEY: "ab".repeat(32),
};
