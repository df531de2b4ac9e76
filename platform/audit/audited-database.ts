/**
 * A database for one request. Its first write takes the statements of its audit row into the same batch, so that the act
 * and its row are stored together or not at all, without another round trip. Reads pass through unchanged.
 */
import type { Database, DatabaseResult, Statement } from "../database/database.ts";

export interface AuditedDatabase {
  readonly database: Database;
  /** Whether the audit row is stored. */
  readonly hasWritten: () => boolean;
  /** Stores it now, for an act that changes something outside the database. */
  readonly writeNow: () => Promise<void>;
}

const READ = /^\s*(?:SELECT|WITH)\b/i;
/** A function of the same name, such as `replace(`, is a read. */
const WRITE = /\b(?:INSERT|UPDATE|DELETE|REPLACE)\b(?!\s*\()/i;

/** A statement counts as a write unless it is certainly a read. */
function isWrite(text: string): boolean {
  return !READ.test(text) || WRITE.test(text);
}

const originals = new WeakMap<Database, Database>();

/** The database inside an audited one, for values that are kept once for each database. */
export function originalDatabase(database: Database): Database {
  return originals.get(database) ?? database;
}

interface Known {
  readonly statement: Statement;
  readonly writes: boolean;
}

export function auditDatabase(original: Database, row: () => readonly Statement[]): AuditedDatabase {
  const known = new WeakMap<Statement, Known>();
  let isWritten = false;
  /** The batch that contains the row: whether it was stored. Undefined before the first one, and after one that failed. */
  let carrier: Promise<boolean> | undefined;

  async function send<Row>(statements: readonly Statement[], writes: boolean): Promise<DatabaseResult<Row>[]> {
    if (!writes) return original.batch<Row>([...statements]);
    if (carrier !== undefined) {
      // A concurrent write waits, because it must contain the row if the first one fails.
      return (await carrier) ? original.batch<Row>([...statements]) : send(statements, writes);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    carrier = promise;
    try {
      const results = await original.batch<Row>([...statements, ...row()]);
      isWritten = true;
      return results.slice(0, statements.length);
    } finally {
      if (!isWritten) carrier = undefined;
      resolve(isWritten);
    }
  }

  async function one<Row>(statement: Statement): Promise<DatabaseResult<Row>> {
    const [result] = await send<Row>([statement], true);
    if (result === undefined) throw new Error("a batch of one statement has one result");
    return result;
  }

  function wrapped(statement: Statement, writes: boolean): Statement {
    const reading: Omit<Statement, "bind"> = {
      first: (column?: string) => (column === undefined ? statement.first() : statement.first(column)),
      all: () => statement.all(),
      run: () => statement.run(),
      raw: () => statement.raw(),
    };
    const writing: Omit<Statement, "bind"> = {
      async first<Value>(column?: string): Promise<Value | null> {
        const [found] = (await one<Record<string, unknown>>(statement)).results;
        if (found === undefined) return null;
        return (column === undefined ? found : (found[column] ?? null)) as Value | null;
      },
      all: () => one(statement),
      run: () => one(statement),
      raw: () => Promise.reject(new Error("read the rows of an audited write with all()")),
    };
    const { first, all, run, raw } = writes ? writing : reading;
    const own: Statement = { bind: (...values) => wrapped(statement.bind(...values), writes), first, all, run, raw };
    known.set(own, { statement, writes });
    return own;
  }

  const database: Database = {
    prepare: (text) => wrapped(original.prepare(text), isWrite(text)),
    batch(statements) {
      const members = statements.map((each) => known.get(each) ?? { statement: each, writes: true });
      return send(
        members.map(({ statement }) => statement),
        members.some(({ writes }) => writes),
      );
    },
  };
  originals.set(database, original);
  return {
    database,
    hasWritten: () => isWritten,
    async writeNow() {
      if (!isWritten) await send([], true);
    },
  };
}
