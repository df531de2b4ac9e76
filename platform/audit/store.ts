/** The rows and seals of the audit log. Nothing here changes or removes a row. */
import { CHAIN_START, nextDigest, type AuditRow, type SealedRow } from "./chain.ts";

/** Rows that one run seals. */
const SEALED_AT_ONCE = 500;

const COLUMNS = `rows.seq, rows.act, rows.phase, rows.at, rows.actor, rows.network, rows.operation, rows.subject,
  rows.request_id AS "requestId", rows.status, rows.change`;

/** Gives the row the next number. */
export function appendRow(database: D1Database, row: Omit<AuditRow, "seq">): D1PreparedStatement {
  const { act, phase, at, actor, network, operation, subject, requestId, status, change } = row;
  return database
    .prepare(
      `INSERT INTO audit_rows (seq, act, phase, at, actor, network, operation, subject, request_id, status, change)
       SELECT coalesce(max(seq), 0) + 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM audit_rows`,
    )
    .bind(act, phase, at, actor, network, operation, subject, requestId, status, change);
}

/** Continues the chain. Several runs at once write the same digests. */
export async function sealRows(database: D1Database): Promise<void> {
  const last = await database
    .prepare("SELECT seq, digest FROM audit_seals ORDER BY seq DESC LIMIT 1")
    .first<{ seq: number; digest: string }>();
  const { results: rows } = await database
    .prepare(`SELECT ${COLUMNS} FROM audit_rows AS rows WHERE rows.seq > ?1 ORDER BY rows.seq LIMIT ?2`)
    .bind(last?.seq ?? 0, SEALED_AT_ONCE)
    .all<AuditRow>();
  let digest = last?.digest ?? CHAIN_START;
  const seals: D1PreparedStatement[] = [];
  const insert = "INSERT INTO audit_seals (seq, digest) VALUES (?1, ?2) ON CONFLICT (seq) DO NOTHING";
  for (const row of rows) {
    digest = await nextDigest(digest, row);
    seals.push(database.prepare(insert).bind(row.seq, digest));
  }
  if (seals.length > 0) await database.batch(seals);
}

/** At most one of the first four; each has an index. */
export interface AuditFilter {
  readonly actor?: string;
  readonly operation?: string;
  readonly subject?: string;
  readonly requestId?: string;
}

const filterColumns = { actor: "actor", operation: "operation", subject: "subject", requestId: "request_id" } as const;

/** Acts, newest first: the outcome of each, or its beginning if it has no outcome yet. */
export async function searchRows(
  database: D1Database,
  filter: AuditFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly AuditRow[]> {
  const names = ["actor", "operation", "subject", "requestId"] as const;
  const name = names.find((each) => filter[each] !== undefined);
  const condition = name === undefined ? "?3 IS NULL" : `rows.${filterColumns[name]} = ?3`;
  const query = `SELECT ${COLUMNS} FROM audit_rows AS rows WHERE rows.seq < ?1 AND ${condition}
      AND (rows.phase = 'done' OR NOT EXISTS
        (SELECT 1 FROM audit_rows AS later WHERE later.act = rows.act AND later.phase = 'done'))
    ORDER BY rows.seq DESC LIMIT ?2`;
  const value = name === undefined ? null : (filter[name] ?? null);
  return (await database.prepare(query).bind(before, limit, value).all<AuditRow>()).results;
}

/** Every row after `after` in order, with its digest. */
export async function readSealed(database: D1Database, after: number, limit: number): Promise<readonly SealedRow[]> {
  const query = `SELECT ${COLUMNS}, audit_seals.digest FROM audit_rows AS rows
    LEFT JOIN audit_seals ON audit_seals.seq = rows.seq WHERE rows.seq > ?1 ORDER BY rows.seq LIMIT ?2`;
  return (await database.prepare(query).bind(after, limit).all<SealedRow>()).results;
}
