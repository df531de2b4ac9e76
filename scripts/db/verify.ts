/**
 * `npm run db -- verify`: compares every row of two databases. For each table it reports the number of rows and a digest of them in the
 * order of their keys, and it names the rows that differ by their keys, never by their values.
 */
import { createHash } from "node:crypto";
import { failure, success, type Result } from "../../platform/result.ts";
import { readState } from "./copy-state.ts";
import { keyOf, type Database, type Row, type Table } from "../../shared/tables/table.ts";
import { sameTables } from "./same-tables.ts";
import { walk, type Step } from "./walk.ts";

export interface TableReport {
  readonly table: string;
  readonly source: TableSum;
  readonly target: TableSum;
  /** The number of rows that are not equal. */
  readonly differences: number;
  /** One line for each of the first rows that are not equal. */
  readonly named: readonly string[];
}

export interface TableSum {
  readonly rows: number;
  /** SHA-256 of the rows in the order of their keys, in hexadecimal. */
  readonly digest: string;
}

/** Differences that are named for each table; the others are counted. */
const NAMED = 100;

export async function verifyDatabases(
  source: Database,
  target: Database,
  report: (table: TableReport) => void,
): Promise<Result<number, string>> {
  const tables = await sameTables(source, target);
  if (!tables.ok) return tables;
  for (const database of [source, target]) {
    if ((await readState(database)) !== undefined)
      return failure(`a copy into ${database.place} is not finished: run it to its end first`);
  }
  let differences = 0;
  for (const table of tables.value) {
    const compared = await verifyTable(source, target, table);
    differences += compared.differences;
    report(compared);
  }
  return success(differences);
}

async function verifyTable(source: Database, target: Database, table: Table): Promise<TableReport> {
  const [left, right] = [new RowSum(), new RowSum()];
  const named: string[] = [];
  let differences = 0;
  for await (const step of walk(source, target, table)) {
    if (step.kind !== "extra") left.add(step.source);
    if (step.kind !== "missing") right.add(step.target);
    if (step.kind === "equal") continue;
    differences += 1;
    if (named.length < NAMED) named.push(nameOf(table, step));
  }
  return { table: table.name, source: left.sum(), target: right.sum(), differences, named };
}

class RowSum {
  readonly #hash = createHash("sha256");
  #rows = 0;

  add(row: Row): void {
    this.#rows += 1;
    this.#hash.update(`${JSON.stringify(row)}\n`);
  }

  sum(): TableSum {
    return { rows: this.#rows, digest: this.#hash.digest("hex") };
  }
}

function nameOf(table: Table, step: Step): string {
  const row = step.kind === "extra" ? step.target : step.source;
  const key = keyOf(table, row).map((value, index) => `${table.columns[index]?.name} ${value}`);
  const place = `${table.name}, ${key.join(", ")}`;
  if (step.kind === "missing") return `${place}: only in the first database`;
  if (step.kind === "extra") return `${place}: only in the second database`;
  const columns = table.columns.filter((_, index) => step.source[index] !== step.target[index]);
  return `${place}: differs in ${columns.map(({ name }) => name).join(", ")}`;
}
