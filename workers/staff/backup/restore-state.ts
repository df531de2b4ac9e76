/**
 * A restore in the database that it fills: how far it is, and the triggers, indexes and constraints that it took off. Progress is
 * written together with the rows, so a restore that was interrupted continues, and a request that is repeated changes nothing.
 */
import { fail, newFailure } from "../../../platform/failure.ts";
import type { Database as Statements } from "../../../platform/database/database.ts";
import { withoutNul } from "../../../platform/database/postgres/nul.ts";
import { describeThrown } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Database, Row, Statement, Table } from "../../../shared/tables/table.ts";
import { quoted } from "../../../shared/tables/table.ts";
import { isUpkeep, parentsFirst } from "./database-tables.ts";

interface RestoreProgress {
  /** Rows of each table that are written. */
  readonly rows: Readonly<Record<string, number>>;
  /** Parts of objects that are written. */
  readonly objectParts: number;
}

/** A statement that breaks a rule of the schema: its tables were read at different times, while a server wrote them. */
function refusedBy(thrown: unknown): Result<never> {
  if (!/constraint|violates/i.test(describeThrown(thrown))) throw thrown;
  return fail(
    "conflict",
    `The database refuses rows that do not fit together; use another backup: ${describeThrown(thrown)}`,
  );
}

/** Whether the schedule waits, because a restore is in progress. A database that does not answer is no restore. */
export async function isRestoring(database: Statements): Promise<boolean> {
  const row = database.prepare("SELECT backup FROM restores").first();
  return (await row.catch(() => null)) !== null;
}

/** Begins the restore of this backup, or continues it. */
export async function beginRestore(
  database: Database,
  backup: string,
  given: readonly Table[],
): Promise<Result<RestoreProgress>> {
  const { engine, runner } = database;
  const known = await currentBackup(database);
  if (known !== undefined && known !== backup)
    return fail(
      "conflict",
      `The restore of backup ${known} is in progress: finish it, or start with a new installation`,
    );
  const tables = (await engine.tables(runner)).toSorted(parentsFirst);
  const difference = differenceOf(tables, given);
  if (difference !== undefined) return fail("conflict", difference);
  if (known !== undefined) return success(await progressOf(database));
  for (const { name } of tables) {
    if (isUpkeep(name)) continue;
    if ((await runner.query({ sql: `SELECT '1' FROM ${quoted(name)} LIMIT 1` })).length > 0)
      return fail(
        "conflict",
        `The installation is not empty: its table ${name} has rows. Restore into a new installation`,
      );
  }
  const parts = await engine.parts(runner, true);
  await runner.batch([
    { sql: "INSERT INTO restores (id, backup, object_parts) VALUES (1, ?1, 0)", values: [backup] },
    ...parts.map(({ restore }, number) => ({
      sql: "INSERT INTO restore_parts (number, restore) VALUES (CAST(?1 AS INTEGER), ?2)",
      values: [String(number), restore],
    })),
    ...parts.map(({ remove }) => ({ sql: remove })),
    ...tables.filter(({ name }) => isUpkeep(name)).map(({ name }) => ({ sql: `DELETE FROM ${quoted(name)}` })),
  ]);
  return success({ rows: {}, objectParts: 0 });
}

async function currentBackup({ runner }: Database): Promise<string | undefined> {
  const [row] = await runner.query({ sql: "SELECT backup FROM restores" });
  return row?.[0] ?? undefined;
}

async function progressOf({ runner }: Database): Promise<RestoreProgress> {
  const rows = await runner.query({ sql: "SELECT name, CAST(written AS TEXT) FROM restored_tables" });
  const [restore] = await runner.query({ sql: "SELECT CAST(object_parts AS TEXT) FROM restores" });
  return {
    rows: Object.fromEntries(rows.map(([name, written]) => [name ?? "", Number(written)])),
    objectParts: Number(restore?.[0] ?? 0),
  };
}

/** Why the tables do not fit; undefined if they do. */
function differenceOf(own: readonly Table[], given: readonly Table[]): string | undefined {
  const shapes = (tables: readonly Table[]) => new Map(tables.map((table) => [table.name, shapeOf(table)]));
  const [ours, theirs] = [shapes(own), shapes(given)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].filter((name) => ours.get(name) !== theirs.get(name));
  if (names.length === 0) return undefined;
  return `The backup has other tables or columns: ${names.toSorted().join(", ")}. Restore with the release that made it, then upgrade`;
}

/** The order of columns does not matter. */
function shapeOf({ columns, keyLength }: Table): string {
  const words = columns.map(({ name, kind }, index) => `${name} ${kind} ${index < keyLength}`);
  return words.toSorted().join(", ");
}

/** Fails unless this backup is being restored. */
export async function requireRestore(database: Database, backup: string): Promise<Result<null>> {
  if ((await currentBackup(database)) === backup) return success(null);
  return fail("conflict", "No restore of this backup is in progress: begin it first");
}

/** Writes rows that follow the first `from` rows of the table. Returns how many are written now. */
export async function restoreRows(
  database: Database,
  table: Table,
  { from, rows }: { readonly from: number; readonly rows: readonly Row[] },
): Promise<Result<number>> {
  const { engine, runner } = database;
  const [known] = await runner.query({
    sql: "SELECT CAST(written AS TEXT) FROM restored_tables WHERE name = ?1",
    values: [table.name],
  });
  const written = Number(known?.[0] ?? 0);
  if (from + rows.length <= written) return success(written);
  if (from !== written)
    return failure(newFailure("conflict", `Row ${written} of ${table.name} comes next, not ${from}`));
  const progress: Statement = {
    sql: `INSERT INTO restored_tables (name, written) VALUES (?1, CAST(?2 AS INTEGER))
      ON CONFLICT (name) DO UPDATE SET written = excluded.written`,
    values: [table.name, String(written + rows.length)],
  };
  // JSON of PostgreSQL has no NUL.
  const own =
    engine.name === "D1" ? rows : rows.map((row) => row.map((each) => (each === null ? each : withoutNul(each))));
  try {
    await runner.batch([{ sql: engine.writeSql(table), values: [JSON.stringify(own)] }, progress]);
  } catch (thrown) {
    return refusedBy(thrown);
  }
  return success(written + rows.length);
}

export async function noteObjectPart({ runner }: Database, done: number): Promise<void> {
  await runner.batch([
    {
      sql: "UPDATE restores SET object_parts = CAST(?1 AS INTEGER) WHERE object_parts < CAST(?1 AS INTEGER)",
      values: [String(done)],
    },
  ]);
}

/** Returns triggers, indexes and constraints, each once, the last removed first; then the restore is over. */
export async function endRestore(
  { engine, runner }: Database,
  numbers: Readonly<Record<string, string>>,
): Promise<Result<null>> {
  const parts = await runner.query({
    sql: "SELECT CAST(number AS TEXT), restore FROM restore_parts ORDER BY number DESC",
  });
  for (const [number, restore] of parts) {
    try {
      await runner.batch([
        { sql: restore ?? "" },
        { sql: "DELETE FROM restore_parts WHERE number = CAST(?1 AS INTEGER)", values: [number ?? ""] },
      ]);
    } catch (thrown) {
      return refusedBy(thrown);
    }
  }
  const own = await engine.lastNumbers(runner);
  const last = [...own].flatMap(([table, number]) => {
    const given = BigInt(numbers[table] ?? "0");
    return engine.setLastNumber(table, given > number ? given : number);
  });
  await runner.batch([...last, { sql: "DELETE FROM restored_tables" }, { sql: "DELETE FROM restores" }]);
  for (const sql of engine.afterCopy) await runner.query({ sql });
  return success(null);
}
