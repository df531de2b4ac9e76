/** Prepares the statements of lists. */
import type { Bindings } from "./filter/bindings.ts";
import { refusal } from "./refusal.ts";

/** Bytes of a statement (a limit of D1); ours are ASCII, and long only where a filter looks for much in JSON. */
const STATEMENT_BYTES = 100_000;

export function bound(database: D1Database, text: string, { values }: Bindings): D1PreparedStatement {
  if (text.length > STATEMENT_BYTES) {
    throw refusal("query_too_costly", "The filter looks for too much at once; ask for less in one list");
  }
  return database.prepare(text).bind(...values);
}
