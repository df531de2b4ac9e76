/** Statements over one connection to PostgreSQL. */
import type { Client } from "pg";
import { withNul } from "../../shared/postgres-nul.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { placeOf } from "../postgres/connection-url.ts";
import { postgresClient } from "../postgres/migrate.ts";
import type { Row, SqlRunner, Statement } from "./database.ts";

export async function openPostgresRunner(url: string): Promise<Result<SqlRunner, string>> {
  const client = postgresClient(url);
  try {
    await client.connect();
    // A crash of the server loses the last batches of a copy together with their progress, so the copy continues before them.
    await client.query("SET synchronous_commit = off");
  } catch (error) {
    return failure(`no connection to PostgreSQL at ${placeOf(url)}: ${(error as Error).message}`);
  }
  return success(runnerOver(client));
}

function runnerOver(client: Client): SqlRunner {
  const run = async ({ sql, values = [] }: Statement): Promise<readonly Row[]> => {
    const { rows } = await client.query<(string | null)[]>({
      text: sql.replaceAll(/\?(\d+)/g, "$$$1"),
      values: [...values],
      rowMode: "array",
    });
    return rows.map((row) => row.map((value) => (value === null ? null : withNul(value))));
  };
  return {
    query: run,
    async batch(statements) {
      await client.query("BEGIN");
      try {
        for (const statement of statements) await run(statement);
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    },
    close: () => client.end(),
  };
}
