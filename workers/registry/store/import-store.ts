/** All SQL about imports: the imported lines and their marks. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { keysetPage } from "./sql.ts";

export interface Import {
  readonly id: string;
  /** The DID of the key that sent its first line. */
  readonly createdBy: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export interface DoneLine {
  readonly line: number;
  readonly domainId: string;
  /** SHA-256 of its text, in hexadecimal. */
  readonly fingerprint: string;
}

/** Lines from `first` to `last` that are already domains. */
export async function readDoneLines(
  database: Database,
  importId: string,
  first: number,
  last: number,
): Promise<ReadonlyMap<number, DoneLine>> {
  const { results } = await database
    .prepare(
      "SELECT line, domain_id AS domainId, fingerprint FROM import_lines WHERE import_id = ? AND line BETWEEN ? AND ?",
    )
    .bind(importId, first, last)
    .all<DoneLine>();
  return new Map(results.map((row) => [row.line, row]));
}

/**
 * Part of the domains' batch, and first in it: if two requests contain one line, the batch of the second fails here.
 */
export function doneStatements(
  database: Database,
  { id, createdBy, createdAt }: Import,
  lines: readonly DoneLine[],
): readonly Statement[] {
  return [
    database
      .prepare("INSERT INTO imports (id, created_by, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .bind(id, createdBy, createdAt),
    database
      .prepare(
        `INSERT INTO import_lines (import_id, line, domain_id, fingerprint)
         SELECT ?1, CAST(value ->> '$.line' AS INTEGER), value ->> '$.domainId', value ->> '$.fingerprint' FROM json_each(?2)`,
      )
      .bind(id, JSON.stringify(lines)),
  ];
}

/** Ids as clients know them: the part before the creator. */
const COLUMNS =
  "iif(instr(id, ' ') > 0, substr(id, 1, instr(id, ' ') - 1), id) AS id, created_by AS createdBy, created_at AS createdAt";

/**
 * The id under which an import of a DID is stored, because two DIDs may use one id. Imports of older releases are
 * stored under the id alone, and belong to the DID that sent their first line.
 */
export async function storedImportId(database: Database, id: string, createdBy: string): Promise<string> {
  const older = database.prepare("SELECT 1 FROM imports WHERE id = ? AND created_by = ?").bind(id, createdBy);
  return (await older.first()) === null ? `${id} ${createdBy}` : id;
}

export async function readImport(database: Database, id: string): Promise<Import | undefined> {
  const row = await database.prepare(`SELECT ${COLUMNS} FROM imports WHERE id = ?`).bind(id).first<Import>();
  return row ?? undefined;
}

export interface ImportPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** The imports of one DID, newest first. */
export async function listImports(
  database: Database,
  createdBy: string,
  { limit, after }: { readonly limit: number; readonly after: ImportPosition | undefined },
): Promise<readonly Import[]> {
  const { results } = await keysetPage(database, {
    columns: COLUMNS,
    source: "imports",
    where: ({ bind }) => [`created_by = ${bind(createdBy)}`],
    order: ["created_at", "imports.id"],
    descending: true,
    after: after && [after.createdAt, after.id],
    limit,
  }).all<Import>();
  return results;
}

/** Imports of a DID that are searched for a line. */
export const SEARCHED_IMPORTS = 1_000;

/**
 * The imports of one DID that made a domain from this line, newest first. Each searched import costs its row and the
 * row of the line.
 */
export async function importsWithLine(
  database: Database,
  createdBy: string,
  { line, fingerprint }: Pick<DoneLine, "line" | "fingerprint">,
  limit: number,
): Promise<readonly Import[]> {
  const { results } = await database
    .prepare(
      `SELECT ${COLUMNS} FROM (
         SELECT id, created_by, created_at FROM imports WHERE created_by = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2
       )
       WHERE ?4 = (SELECT fingerprint FROM import_lines WHERE import_id = id AND line = ?3)
       ORDER BY created_at DESC, id DESC LIMIT ?5`,
    )
    .bind(createdBy, SEARCHED_IMPORTS, line, fingerprint, limit)
    .all<Import>();
  return results;
}

/** Index entries that one status request of an import reads. */
export const DONE_WINDOW = 10_000;

/** Imported lines, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface DonePage {
  readonly ranges: readonly LineRange[];
  /** The line where the next request begins; undefined if nothing follows. */
  readonly next: number | undefined;
}

/** The first imported lines after `after`, as ranges. */
export async function readDoneRanges(
  database: Database,
  importId: string,
  after: number,
  window = DONE_WINDOW,
): Promise<DonePage> {
  const { results } = await database
    .prepare(
      `SELECT min(line) AS "from", max(line) AS "to" FROM (
         SELECT line, line - row_number() OVER (ORDER BY line) AS island FROM (
           SELECT line FROM import_lines WHERE import_id = ? AND line > ? ORDER BY line LIMIT ?
         )
       ) GROUP BY island ORDER BY 1`,
    )
    .bind(importId, after, window)
    .all<LineRange>();
  const seen = results.reduce((total, { from, to }) => total + to - from + 1, 0);
  return { ranges: results, next: seen < window ? undefined : results.at(-1)?.to };
}
