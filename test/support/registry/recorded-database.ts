/** D1 that records the reads of each statement, so that tests can check their limits. */
import type { Database, DatabaseResult, Statement } from "../../../platform/database/database.ts";
import type { Received } from "../server/received.ts";

export interface RanStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Reads of tables and indexes, as D1 bills them. */
  readonly rowsRead: number;
}

export interface RecordedDatabase {
  readonly database: Database;
  readonly ran: RanStatement[];
  /** SQLite's plan, one line per step. */
  plan(statement: RanStatement): Promise<readonly string[]>;
}

export function recordedDatabase(real: Database): RecordedDatabase {
  const ran: RanStatement[] = [];
  const originals = new WeakMap<object, { readonly statement: Statement; readonly values: unknown[] }>();

  function record(text: string, values: readonly unknown[], { meta }: DatabaseResult): void {
    ran.push({ text, values, rowsRead: meta.rows_read ?? 0 });
  }

  function wrapped(text: string, statement: Statement, values: unknown[]): Statement {
    const all = async () => {
      const result = await statement.all();
      record(text, values, result);
      return result;
    };
    const own = {
      bind: (...bound: unknown[]) => wrapped(text, statement.bind(...bound), bound),
      all,
      run: all,
      first: async (column?: string) => {
        const row = (await all()).results[0] as Received;
        return column === undefined ? (row ?? null) : (row?.[column] ?? null);
      },
      text,
    } as unknown as Statement;
    originals.set(own, { statement, values });
    return own;
  }

  const database = {
    hasUnorderedSearch: real.hasUnorderedSearch,
    prepare: (text: string) => wrapped(text, real.prepare(text), []),
    async batch(statements: readonly (Statement & { readonly text: string })[]) {
      const results = await real.batch(statements.map((each) => originals.get(each)?.statement ?? each));
      results.forEach((result, at) => {
        const statement = statements[at];
        if (statement !== undefined) record(statement.text, originals.get(statement)?.values ?? [], result);
      });
      return results;
    },
  } as unknown as Database;

  return {
    database,
    ran,
    async plan({ text, values }) {
      const { results } = await real
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .bind(...values)
        .all<{ detail: string }>();
      return results.map(({ detail }) => detail);
    },
  };
}
