/**
 * The errors of PostgreSQL, as our code knows them from D1: the text of a violated constraint names the table and its columns, or the
 * constraint. Neither values nor addresses are in a message, because PostgreSQL repeats the caller's values in its own.
 */
import { DatabaseUnreachable } from "../unreachable.ts";

/** The part of a `DatabaseError` of pg that is read here. */
interface PostgresError {
  readonly code?: unknown;
  readonly table?: unknown;
  readonly constraint?: unknown;
  readonly column?: unknown;
  readonly detail?: string;
  readonly message?: unknown;
}

const UNIQUE = "23505";
const CHECK = "23514";
const NOT_NULL = "23502";
const FOREIGN_KEY = "23503";
const FULL = ["53100", "53200"];
/** A deadlock, or a conflict with another transaction: the batch is rolled back, and can run again. */
const OVERTAKEN = ["40001", "40P01"];
/** The server shuts down, starts, or has no connection left; classes of SQLSTATE. */
const UNREACHABLE = /^(?:08|57P0|53300|58)/;
/** Messages about the text of the statement, with names of the schema alone, and messages that a trigger of the schema raises. */
const SCHEMA_TEXT = /^42|^P0001$/;

export function isOvertaken(error: unknown): boolean {
  return OVERTAKEN.includes(codeOf(error) ?? "");
}

/** Whether the connection can be used again after this error. */
export function leavesConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && !UNREACHABLE.test(code);
}

/** Later statements of a failed batch have this code; the first one has the cause. */
export function isConsequence(error: unknown): boolean {
  return codeOf(error) === "25P02";
}

export function errorOf(error: unknown): Error {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error : new Error("the database driver failed");
  if (UNREACHABLE.test(code)) return new DatabaseUnreachable(`SQLSTATE ${code}`);
  const { table, constraint, column, detail, message } = error as PostgresError;
  switch (code) {
    case UNIQUE: {
      const [, columns = ""] = /^Key \(([^)]*)\)=/.exec(detail ?? "") ?? [];
      const names = columns.split(", ").map((name) => `${String(table)}.${name}`);
      return new Error(`UNIQUE constraint failed: ${names.join(", ")}`);
    }
    case CHECK:
      return new Error(`CHECK constraint failed: ${String(constraint)}`);
    case NOT_NULL:
      return new Error(`NOT NULL constraint failed: ${String(table)}.${String(column)}`);
    case FOREIGN_KEY:
      return new Error("FOREIGN KEY constraint failed");
  }
  if (FULL.includes(code)) return new Error("database or disk is full");
  return new Error(`PostgreSQL refused a statement: ${SCHEMA_TEXT.test(code) ? `${String(message)} (${code})` : code}`);
}

/** Errors of the language, and of the runtime about a connection in the wrong request, are bugs wherever they occur. */
export function isProgrammingError(error: unknown): boolean {
  return (
    LANGUAGE_ERRORS.some((kind) => error instanceof kind) || (error instanceof Error && WRONG_PLACE.test(error.message))
  );
}

const LANGUAGE_ERRORS = [TypeError, ReferenceError, RangeError, SyntaxError];
const WRONG_PLACE = /different request|global scope|No such module/;

/** Each has a digit; the names of network errors, such as EPIPE, have none. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The SQLSTATE of an error of the server; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as PostgresError;
  return typeof code === "string" && SQLSTATE.test(code) ? code : undefined;
}

/** The name of a network error, or the kind of failure: its message contains the address. */
export function reasonOf(error: unknown): string {
  const { code } = (error ?? {}) as PostgresError;
  return typeof code === "string" ? code : "the connection failed";
}
