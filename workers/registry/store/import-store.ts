/** All SQL about imports: which lines are done, and what marks them so. */
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
  /** SHA-256 of its text, hexadecimal. */
  readonly fingerprint: string;
}

/** Lines from `first` to `last` that are domains already. */
export async function readDoneLines(
  database: D1Database,
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

/** Stand in the batch of the domains, and first: of two requests with one line, the second one's batch fails here. */
export function doneStatements(
  database: D1Database,
  { id, createdBy, createdAt }: Import,
  lines: readonly DoneLine[],
): readonly D1PreparedStatement[] {
  return [
    database
      .prepare("INSERT INTO imports (id, created_by, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .bind(id, createdBy, createdAt),
    database
      .prepare(
        `INSERT INTO import_lines (import_id, line, domain_id, fingerprint)
         SELECT ?1, value ->> '$.line', value ->> '$.domainId', value ->> '$.fingerprint' FROM json_each(?2)`,
      )
      .bind(id, JSON.stringify(lines)),
  ];
}

/** Ids as clients know them: what stands before the creator. */
const COLUMNS =
  "iif(instr(id, ' '), substr(id, 1, instr(id, ' ') - 1), id) AS id, created_by AS createdBy, created_at AS createdAt";

/**
 * The id under which an import of a DID is stored: two DIDs may use one id. Imports of older releases are stored under the id
 * alone, and belong to the DID that sent their first line.
 */
export async function storedImportId(database: D1Database, id: string, createdBy: string): Promise<string> {
  const older = database.prepare("SELECT 1 FROM imports WHERE id = ? AND created_by = ?").bind(id, createdBy);
  return (await older.first()) === null ? `${id} ${createdBy}` : id;
}

export async function readImport(database: D1Database, id: string): Promise<Import | undefined> {
  const row = await database.prepare(`SELECT ${COLUMNS} FROM imports WHERE id = ?`).bind(id).first<Import>();
  return row ?? undefined;
}

export interface ImportPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** Those of one DID, newest first. */
export async function listImports(
  database: D1Database,
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

/** Imports of a DID that are looked through for a line. */
export const SEARCHED_IMPORTS = 1_000;

/** Those of one DID that have made a domain of this line, newest first. Each import that is looked through costs its row and that of the line. */
export async function importsWithLine(
  database: D1Database,
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

/** Entries of an index that one look at an import walks. */
export const DONE_WINDOW = 10_000;

/** Lines that are done, both ends counted. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface DonePage {
  readonly ranges: readonly LineRange[];
  /** Where the next look begins; undefined when nothing follows. */
  readonly next: number | undefined;
}

/** The first lines after `after` that are done, as ranges. */
export async function readDoneRanges(
  database: D1Database,
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
