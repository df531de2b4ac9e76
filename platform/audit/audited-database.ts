/**
 * A database for one request. Its first write takes the statements of its audit row into the same batch, so that the act
 * and its row are stored together or not at all, without another round trip. Reads pass through unchanged.
 */

export interface AuditedDatabase {
  readonly database: D1Database;
  /** Whether the audit row is stored. */
  readonly hasWritten: () => boolean;
  /** Stores it now, for an act that changes something outside the database. */
  readonly writeNow: () => Promise<void>;
}

const READ = /^\s*(?:SELECT|WITH)\b/i;
/** A function of the same name, such as `replace(`, is no write. */
const WRITE = /\b(?:INSERT|UPDATE|DELETE|REPLACE)\b(?!\s*\()/i;

/** A statement that is not certainly a read counts as a write. */
function isWrite(text: string): boolean {
  return !READ.test(text) || WRITE.test(text);
}

const originals = new WeakMap<D1Database, D1Database>();

/** The database behind an audited one, for what is kept once for each database. */
export function originalDatabase(database: D1Database): D1Database {
  return originals.get(database) ?? database;
}

interface Known {
  readonly statement: D1PreparedStatement;
  readonly writes: boolean;
}

export function auditDatabase(original: D1Database, row: () => readonly D1PreparedStatement[]): AuditedDatabase {
  const known = new WeakMap<D1PreparedStatement, Known>();
  let isWritten = false;

  async function send<Row>(statements: readonly D1PreparedStatement[], writes: boolean): Promise<D1Result<Row>[]> {
    if (!writes || isWritten) return original.batch<Row>([...statements]);
    // Before the batch, so that a second write at the same time does not add it again.
    isWritten = true;
    try {
      const results = await original.batch<Row>([...statements, ...row()]);
      return results.slice(0, statements.length);
    } catch (thrown) {
      isWritten = false;
      throw thrown;
    }
  }

  async function one<Row>(statement: D1PreparedStatement): Promise<D1Result<Row>> {
    const [result] = await send<Row>([statement], true);
    if (result === undefined) throw new Error("a batch of one statement has one result");
    return result;
  }

  function wrapped(statement: D1PreparedStatement, writes: boolean): D1PreparedStatement {
    const reading = {
      first: (column?: string) => (column === undefined ? statement.first() : statement.first(column)),
      all: () => statement.all(),
      run: () => statement.run(),
      raw: (options: { columnNames: true }) => statement.raw(options),
    };
    const writing = {
      async first(column?: string) {
        const [found] = (await one<Record<string, unknown>>(statement)).results;
        return found === undefined ? null : column === undefined ? found : (found[column] ?? null);
      },
      all: () => one(statement),
      run: () => one(statement),
      raw: () => Promise.reject(new Error("read the rows of an audited write with all()")),
    };
    const { first, all, run, raw } = writes ? writing : reading;
    const own = {
      bind: (...values: unknown[]) => wrapped(statement.bind(...values), writes),
      first,
      all,
      run,
      raw,
    } as unknown as D1PreparedStatement;
    known.set(own, { statement, writes });
    return own;
  }

  const database = {
    prepare: (text: string) => wrapped(original.prepare(text), isWrite(text)),
    batch(statements: D1PreparedStatement[]) {
      const members = statements.map((each) => known.get(each) ?? { statement: each, writes: true });
      return send(
        members.map(({ statement }) => statement),
        members.some(({ writes }) => writes),
      );
    },
    exec: () => Promise.reject(new Error("audited statements are prepared, not executed as a text")),
  } as unknown as D1Database;
  originals.set(database, original);
  return {
    database,
    hasWritten: () => isWritten,
    async writeNow() {
      if (!isWritten) await send([], true);
    },
  };
}
