/**
 * The chain of digests over the audit log. Each digest is the SHA-256 of the previous digest and of one row, so a row
 * that is changed, removed or added later breaks every digest after it. The server and `npm run audit` both use it.
 */

/** The digest before the first row. */
export const CHAIN_START = "0".repeat(64);

export interface AuditRow {
  /** Consecutive, from 1. */
  readonly seq: number;
  readonly act: string;
  readonly phase: "begun" | "done";
  /** Unix milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly network: string;
  readonly operation: string;
  readonly subject: string | null;
  readonly requestId: string;
  readonly status: number | null;
  /** JSON with `before` and `after`. */
  readonly change: string | null;
}

export interface SealedRow extends AuditRow {
  /** Null until the row is sealed, up to a minute later. */
  readonly digest: string | null;
}

export async function nextDigest(previous: string, row: AuditRow): Promise<string> {
  const { seq, act, phase, at, actor, network, operation, subject, requestId, status, change } = row;
  const members = [seq, act, phase, at, actor, network, operation, subject, requestId, status, change];
  const bytes = new TextEncoder().encode(`${previous}\n${JSON.stringify(members)}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The place and the kind of the first fault. */
export interface ChainFault {
  readonly seq: number;
  /** `unsealed`: a later row has a digest and this one has none. */
  readonly kind: "missing" | "changed" | "unsealed";
}

export interface ChainState {
  /** The last row that was checked; 0 before the first. */
  readonly seq: number;
  /** The digest of the last sealed row. */
  readonly digest: string;
  /** The first row without a digest, if one has been met. */
  readonly unsealedSince?: number;
}

/** Continues the check with the next rows, in order. */
export async function checkChain(from: ChainState, rows: readonly SealedRow[]): Promise<ChainState | ChainFault> {
  let { seq, digest, unsealedSince } = from;
  for (const row of rows) {
    if (row.seq !== seq + 1) return { seq: seq + 1, kind: "missing" };
    seq = row.seq;
    if (row.digest === null) unsealedSince ??= row.seq;
    else if (unsealedSince !== undefined) return { seq: unsealedSince, kind: "unsealed" };
    else {
      digest = await nextDigest(digest, row);
      if (digest !== row.digest) return { seq: row.seq, kind: "changed" };
    }
  }
  return { seq, digest, ...(unsealedSince === undefined ? {} : { unsealedSince }) };
}
