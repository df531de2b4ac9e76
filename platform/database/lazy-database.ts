/** A database whose driver is loaded by the first statement that runs. */
import type { Database, DatabaseResult, Statement } from "./database.ts";

/** Runs statements, each given by its text and values, as one batch; a single one needs no transaction. */
export interface Driver {
  run(statements: readonly BoundText[]): Promise<readonly DriverResult[]>;
}

export interface BoundText {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export interface DriverResult {
  readonly columns: readonly string[];
  readonly rows: readonly unknown[][];
  readonly changes: number;
}

/** PostgreSQL measures the files of the database, whatever its content. */
const SIZE = "SELECT pg_database_size(current_database()) AS bytes";

export function lazyDatabase(load: () => Promise<Driver>): Database {
  let driver: Driver | undefined;
  const run = async (statements: readonly BoundText[]): Promise<readonly DriverResult[]> => {
    // Only the value is kept: the promise of a cancelled request would never settle for other requests.
    driver ??= await load();
    return driver.run(statements);
  };
  return {
    hasUnorderedSearch: true,
    size: async () => {
      const [result] = await run([{ sql: SIZE, values: [] }]);
      return Number(result?.rows[0]?.[0]);
    },
    prepare: (sql) => new DriverStatement({ sql, values: [] }, run),
    async batch<Row>(statements: Statement[]): Promise<DatabaseResult<Row>[]> {
      if (statements.length === 0) return [];
      const results = await run(statements.map(textOf));
      return results.map((result) => resultOf<Row>(result));
    },
  };
}

class DriverStatement implements Statement {
  readonly text: BoundText;
  readonly #run: Driver["run"];

  constructor(text: BoundText, run: Driver["run"]) {
    this.text = text;
    this.#run = run;
  }

  bind(...values: unknown[]): Statement {
    return new DriverStatement({ sql: this.text.sql, values }, this.#run);
  }

  async first<Value>(column?: string): Promise<Value | null> {
    const { columns, rows } = await this.#result();
    const [row] = rows;
    if (row === undefined) return null;
    if (column === undefined) return objectOf(columns, row) as Value;
    const at = columns.lastIndexOf(column);
    if (at < 0) throw new Error(`the statement has no column ${column}`);
    return row[at] as Value;
  }

  async all<Row>(): Promise<DatabaseResult<Row>> {
    return resultOf(await this.#result());
  }

  run<Row>(): Promise<DatabaseResult<Row>> {
    return this.all();
  }

  async raw<Row>(): Promise<Row[]> {
    const { rows } = await this.#result();
    return rows as Row[];
  }

  async #result(): Promise<DriverResult> {
    const [result] = await this.#run([this.text]);
    if (result === undefined) throw new Error("the driver returned no result");
    return result;
  }
}

function textOf(statement: Statement): BoundText {
  if (statement instanceof DriverStatement) return statement.text;
  throw new TypeError("a batch takes statements of the same database only");
}

function resultOf<Row>({ columns, rows, changes }: DriverResult): DatabaseResult<Row> {
  return { results: rows.map((row) => objectOf(columns, row) as Row), meta: { changes } };
}

/** If two columns have the same name, the last one counts, as in D1. */
function objectOf(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((name, at) => [name, row[at]]));
}
