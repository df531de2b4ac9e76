/**
 * The database as our code sees it: statements with numbered parameters, and batches that are atomic. D1's own classes have this
 * shape, so D1 is used as it is; PostgreSQL has a driver in `postgres/`.
 */

/** What a statement returned and did, in D1's form. */
export interface DatabaseResult<Row = unknown> {
  readonly results: Row[];
  readonly meta: DatabaseMeta;
}

export interface DatabaseMeta {
  /** Rows that the statement inserted, updated or deleted. */
  readonly changes: number;
  /** Rows that the engine read, if it reports them. */
  readonly rows_read?: number;
  /** Bytes of the database, if the engine reports them. */
  readonly size_after?: number;
}

/** A statement and its values. `bind` returns a new statement. */
export interface Statement {
  bind(...values: unknown[]): Statement;
  first<Value = unknown>(column: string): Promise<Value | null>;
  first<Row = Record<string, unknown>>(): Promise<Row | null>;
  all<Row = Record<string, unknown>>(): Promise<DatabaseResult<Row>>;
  run<Row = Record<string, unknown>>(): Promise<DatabaseResult<Row>>;
  raw<Row = unknown[]>(): Promise<Row[]>;
}

export interface Database {
  prepare(sql: string): Statement;
  /** All statements or none, in their order; a batch of reads sees one state of the database. */
  batch<Row = unknown>(statements: Statement[]): Promise<DatabaseResult<Row>[]>;
  /** The bytes of the database, if its results do not report them. */
  readonly size?: () => Promise<number>;
  /** Its full-text index finds the rows of a word all at once and in no order, as PostgreSQL's GIN does. */
  readonly hasUnorderedSearch?: true;
}
