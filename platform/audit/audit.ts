/**
 * The audit of one request: a row with its first change, and a row with its outcome after the response. A request that
 * changes nothing leaves no row.
 */
import type { Database } from "../database/database.ts";
import { hexOf } from "../digest.ts";
import { describeThrown, type Logger } from "../log.ts";
import { auditDatabase, type AuditedDatabase } from "./audited-database.ts";
import { appendRow } from "./store.ts";

/** The change of an act, for the row of its outcome. */
export interface AuditChange {
  /** The id of the thing, if the path does not name it. */
  readonly subject?: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

export interface Act {
  readonly actor: string;
  readonly network: string;
  readonly operation: string;
  /** The ids in the path. */
  readonly subject: string | null;
  readonly requestId: string;
}

export interface Audit extends AuditedDatabase {
  /** Never throws: the act is done, and the row of its beginning is stored. */
  readonly finish: (status: number, change: AuditChange | undefined, log: Logger) => Promise<void>;
}

const LONGEST_CHANGE = 4_096;
const ID_BYTES = 12;

/** `clock` returns Unix milliseconds. */
export function openAudit(original: Database, act: Act, clock: () => number): Audit {
  const id = hexOf(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  const { actor, network, operation, subject, requestId } = act;
  const { database, hasWritten, writeNow } = auditDatabase(original, () =>
    appendRow(original, {
      act: id,
      phase: "begun",
      at: clock(),
      actor,
      network,
      operation,
      subject,
      requestId,
      status: null,
      change: null,
    }),
  );
  return {
    database,
    hasWritten,
    writeNow,
    async finish(status, change, log) {
      if (!hasWritten()) return;
      try {
        const row = appendRow(original, {
          act: id,
          phase: "done",
          at: clock(),
          actor,
          network,
          operation,
          subject: change?.subject ?? subject,
          requestId,
          status,
          change: textOf(change),
        });
        await original.batch([...row]);
      } catch (thrown) {
        log.error("audit-incomplete", { act: id, reason: describeThrown(thrown) });
      }
    },
  };
}

function textOf(change: AuditChange | undefined): string | null {
  if (change?.before === undefined && change?.after === undefined) return null;
  const text = JSON.stringify({ before: change.before ?? null, after: change.after ?? null });
  return text.length <= LONGEST_CHANGE ? text : JSON.stringify({ omitted: text.length });
}

/** UTF-16 units, more than any id has: the log is kept forever, and the caller chooses the path. */
export const LONGEST_SUBJECT = 500;
/** PostgreSQL stores no NUL, and a terminal acts on the others. */
const CONTROL_CHARACTER = /\p{Cc}/gu;

/** The ids in a path: `null` if it has none. */
export function subjectOf(params: Readonly<Record<string, string>>): string | null {
  const ids = Object.values(params);
  return ids.length === 0 ? null : ids.join(" ").replaceAll(CONTROL_CHARACTER, "\uFFFD").slice(0, LONGEST_SUBJECT);
}
