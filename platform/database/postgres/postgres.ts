/**
 * The driver of PostgreSQL. A batch is one transaction and one trip: its statements are sent without waiting for the results of the
 * earlier ones. Only a statement that reads `changes()` waits for the one before it.
 */
import type { Client } from "pg";
import type { BoundText, Driver, DriverResult } from "../lazy-database.ts";
import { useConnection, type ConnectionOptions, type Rows } from "./connections.ts";
import { errorOf, isConsequence, isOvertaken, leavesConnection } from "./errors.ts";
import { locksOf } from "./locks.ts";
import { bindValues, type Translated } from "./translate.ts";
import { createTranslations } from "./translations.ts";

/** How often a batch runs that a deadlock ended. */
const ATTEMPTS = 5;

const translations = createTranslations();

export function createPostgres(options: ConnectionOptions): Driver {
  return {
    async run(statements) {
      // Before anything is sent, so that a value that cannot be bound fails the whole batch.
      const prepared = statements.map(({ sql, values }) => {
        const translated = translations.of(sql);
        return { translated, values, bound: bindValues(translated, values, 0) };
      });
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await useConnection(options, (client) => runBatch(client, prepared), leavesConnection);
        } catch (error) {
          if (attempt === ATTEMPTS || !isOvertaken(error)) throw errorOf(error);
        }
      }
    },
  };
}

interface PreparedText extends Pick<BoundText, "values"> {
  readonly translated: Translated;
  /** As the first statement, before which nothing has changed. */
  readonly bound: ReturnType<typeof bindValues>;
}

async function runBatch(client: Client, statements: readonly PreparedText[]): Promise<readonly DriverResult[]> {
  const locks = locksOf(statements.flatMap(({ translated }) => translated.writtenTables));
  const writes = statements.some(({ translated }) => translated.writes);
  const [only] = statements;
  if (statements.length === 1 && only !== undefined && locks.length === 0) {
    return [await send(client, only.translated, only.bound)];
  }
  const opening = [
    client.query(writes ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
    ...locks.map((lock) => client.query(`SELECT pg_advisory_xact_lock(${lock})`)),
  ];
  const sent: Promise<DriverResult>[] = [];
  for (const statement of statements) {
    const { translated, values, bound } = statement;
    const { changes = 0 } = translated.readsChanges ? await settled(sent.at(-1)) : {};
    sent.push(send(client, translated, changes === 0 ? bound : bindValues(translated, values, changes)));
  }
  // After an error, COMMIT rolls back.
  const outcomes = await Promise.allSettled([...opening, ...sent, client.query("COMMIT")]);
  const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  const cause = failed.find((error) => !isConsequence(error));
  if (failed.length > 0) throw cause ?? failed[0];
  return Promise.all(sent);
}

/** The result before a statement that reads `changes()`; after an error the whole batch fails, whatever it reads. */
async function settled(previous: Promise<DriverResult> | undefined): Promise<Partial<DriverResult>> {
  if (previous === undefined) return {};
  const [outcome] = await Promise.allSettled([previous]);
  return outcome?.status === "fulfilled" ? outcome.value : {};
}

async function send(
  client: Client,
  { writes }: Translated,
  { text, values }: ReturnType<typeof bindValues>,
): Promise<DriverResult> {
  const result: Rows = await client.query({ text, values: [...values], rowMode: "array" });
  return {
    columns: result.fields.map(({ name }) => name),
    rows: result.rows,
    changes: writes ? (result.rowCount ?? 0) : 0,
  };
}
