/** The rows and seals of the audit log. Nothing here changes or removes a row. */
import type { Database, Statement } from "../database/database.ts";
import { CHAIN_START, nextDigest, type AuditRow, type SealedRow } from "../../shared/audit-chain.ts";

/** Rows that one run seals. */
const SEALED_AT_ONCE = 500;

const COLUMNS = `entry.seq, entry.act, entry.phase, entry.at, entry.actor, entry.network, entry.operation, entry.subject,
  entry.request_id AS "requestId", entry.status, entry.change`;

/** Gives the row the next number, in one batch with the change that it records. */
export function appendRow(database: Database, row: Omit<AuditRow, "seq">): readonly Statement[] {
  const { act, phase, at, actor, network, operation, subject, requestId, status, change } = row;
  const insert = `INSERT INTO audit_rows
      (seq, act, phase, at, actor, network, operation, subject, request_id, status, change)
    SELECT last, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM audit_numbers WHERE id = 1`;
  const count = `INSERT INTO audit_numbers (id, last) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET last = audit_numbers.last + 1`;
  return [
    database.prepare(count),
    database.prepare(insert).bind(act, phase, at, actor, network, operation, subject, requestId, status, change),
  ];
}

/** The number of the last row that was written, whether it still exists or not. */
export async function lastNumber(database: Database): Promise<number> {
  return (await database.prepare("SELECT last FROM audit_numbers WHERE id = 1").first<number>("last")) ?? 0;
}

/** Continues the chain, and returns whether more rows may wait. Several runs at once write the same digests. */
export async function sealRows(database: Database): Promise<boolean> {
  const last = await database
    .prepare("SELECT seq, digest FROM audit_seals ORDER BY seq DESC LIMIT 1")
    .first<{ seq: number; digest: string }>();
  const { results: rows } = await database
    .prepare(`SELECT ${COLUMNS} FROM audit_rows AS entry WHERE entry.seq > ?1 ORDER BY entry.seq LIMIT ?2`)
    .bind(last?.seq ?? 0, SEALED_AT_ONCE)
    .all<AuditRow>();
  let digest = last?.digest ?? CHAIN_START;
  const seals: Statement[] = [];
  const insert = "INSERT INTO audit_seals (seq, digest) VALUES (?1, ?2) ON CONFLICT (seq) DO NOTHING";
  for (const row of rows) {
    digest = await nextDigest(digest, row);
    seals.push(database.prepare(insert).bind(row.seq, digest));
  }
  if (seals.length > 0) await database.batch(seals);
  return seals.length === SEALED_AT_ONCE;
}

/** At most one of the first four; each has an index. */
export interface AuditFilter {
  readonly actor?: string;
  readonly operation?: string;
  readonly subject?: string;
  readonly requestId?: string;
}

const filterColumns = { actor: "actor", operation: "operation", subject: "subject", requestId: "request_id" } as const;

/** A row, with the names of the members of staff in it. */
export interface NamedRow extends AuditRow {
  readonly actorName: string | null;
  readonly subjectName: string | null;
}

/** Acts, newest first: the outcome of each, or its beginning if it has no outcome yet. */
export async function searchRows(
  database: Database,
  filter: AuditFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly NamedRow[]> {
  const names = ["actor", "operation", "subject", "requestId"] as const;
  const name = names.find((each) => filter[each] !== undefined);
  const condition = name === undefined ? "" : `AND entry.${filterColumns[name]} = ?3`;
  const query = `SELECT ${COLUMNS}, actors.name AS "actorName", subjects.name AS "subjectName"
    FROM audit_rows AS entry LEFT JOIN staff AS actors ON actors.id = entry.actor
      LEFT JOIN staff AS subjects ON subjects.id = entry.subject
    WHERE entry.seq < ?1 ${condition}
      AND (entry.phase = 'done' OR NOT EXISTS
        (SELECT 1 FROM audit_rows AS later WHERE later.act = entry.act AND later.phase = 'done'))
    ORDER BY entry.seq DESC LIMIT ?2`;
  const values = name === undefined ? [] : [filter[name] ?? ""];
  const bound = database.prepare(query).bind(before, limit, ...values);
  return (await bound.all<NamedRow>()).results;
}

/** Every row after `after` in order, with its digest. */
export async function readSealed(database: Database, after: number, limit: number): Promise<readonly SealedRow[]> {
  const query = `SELECT ${COLUMNS}, audit_seals.digest FROM audit_rows AS entry
    LEFT JOIN audit_seals ON audit_seals.seq = entry.seq WHERE entry.seq > ?1 ORDER BY entry.seq LIMIT ?2`;
  return (await database.prepare(query).bind(after, limit).all<SealedRow>()).results;
}
