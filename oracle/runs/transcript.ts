/**
 * The transcript: whole runs in order, a human record when a run is accepted and at most one ai record when it ends. A cursor is
 * the random half of a run's id, so it is meaningless in another session. Damaged records are omitted.
 */
import { messageRecord, type MessagePage, type MessageRecord, type ToolCallRecord } from "../../protocol/records.ts";
import { fail } from "../../platform/failure.ts";
import { success, type Result } from "../../platform/result.ts";
import { readStoredJson } from "../../platform/json.ts";
import type { RunRequest } from "../run-request.ts";
import type { Call } from "./step-store.ts";

/**
 * Maximum size of a page, characters of its records as JSON; a larger run gets a separate page. This keeps a response far below the
 * 32 MiB that an object may return, so that a transcript of any length can be read.
 */
export const PAGE_SIZE = 2 * 1024 * 1024;

/** How much of the calls' arguments, outputs and errors one record stores, UTF-16 units; the rest was shown but is not stored. */
export const KEPT_OUTPUT_SIZE = 256 * 1024;
/** How much of the model's thinking one record, and each of its steps, stores, UTF-16 units. */
export const KEPT_REASONING_SIZE = 64 * 1024;
/** Maximum size of a record, bytes of its JSON: a row holds 2 MB. A text alone always fits. */
const RECORD_SIZE = 2_000_000;

/** How much of the history stays in memory between two runs, characters of its JSON; a longer history is read each time. */
const REMEMBERED_SIZE = 256 * 1024;

/** The two records of a run. */
const HUMAN = 0;
const AI = 1;

export interface PageRequest {
  /** How many runs, 1 to 100. */
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  /** Without a cursor: the oldest runs instead of the newest ones. */
  readonly fromStart?: boolean;
}

/** The runs before a given run. */
export interface Past {
  /** Oldest first. */
  readonly records: readonly MessageRecord[];
  /** How many earlier runs are omitted. */
  readonly omitted: number;
}

export type Transcript = ReturnType<typeof createTranscript>;

/** `onDamage` is called with the run of a record that cannot be read. */
export function createTranscript(sql: SqlStorage, sessionId: string, onDamage: (run: number) => void) {
  function read(rows: readonly StoredMessage[]): readonly MessageRecord[] {
    return rows.flatMap(({ turn: run, record }) => {
      const message = readStoredJson(messageRecord, record);
      if (message === undefined) onDamage(run);
      return message === undefined ? [] : [message];
    });
  }

  /** The history as the last run read it: earlier runs have ended, so their records no longer change. */
  let remembered: readonly PastRecord[] = [];

  function insert(run: number, position: number, record: MessageRecord): void {
    sql.exec("INSERT INTO messages (turn, position, record) VALUES (?, ?, ?)", run, position, JSON.stringify(record));
  }

  /** The records with the ids of their runs, by which a client recognises parts of an active run that it has already shown. */
  function recordsOf(first: number, last: number): readonly MessageRecord[] {
    const rows = sql.exec<StoredMessage & { run_id: string }>(
      `SELECT turn, record, run_id FROM messages JOIN runs ON ordinal = turn
       WHERE turn BETWEEN ? AND ? ORDER BY turn, position`,
      first,
      last,
    );
    return rows.toArray().flatMap((row) => read([row]).map((record) => ({ ...record, runId: row.run_id })));
  }

  /** The run that a cursor names; undefined if there is none. */
  function runOf(cursor: string): number | undefined {
    return sql
      .exec<{ ordinal: number }>("SELECT ordinal FROM runs WHERE run_id = ?", `${sessionId}.${cursor}`)
      .toArray()[0]?.ordinal;
  }

  function runsBeside(where: string, bound: number, direction: "ASC" | "DESC", limit: number): readonly RunRow[] {
    return sql
      .exec<RunRow>(
        `SELECT ordinal, run_id, ended_at FROM runs WHERE ordinal ${where} ? ORDER BY ordinal ${direction} LIMIT ?`,
        bound,
        limit,
      )
      .toArray();
  }

  /**
   * The first of these runs, and those after it that fit the page. Unfinished runs are few and stay together, since they have no
   * cursors.
   */
  function fitting(found: readonly RunRow[]): readonly RunRow[] {
    let room = PAGE_SIZE;
    const tooMany = found.findIndex((run, index) => {
      room -= sizeOf(run);
      return index > 0 && room < 0 && run.ended_at !== null;
    });
    return tooMany < 0 ? found : found.slice(0, tooMany);
  }

  /** Measured run by run: measuring a record requires reading it. */
  function sizeOf({ ordinal }: RunRow): number {
    return sql
      .exec<{ size: number }>("SELECT COALESCE(SUM(LENGTH(record)), 0) AS size FROM messages WHERE turn = ?", ordinal)
      .one().size;
  }

  /** The records of these runs without the model's thinking, newest first, read lazily. */
  function* newestFirst(first: number, before: number): Generator<PastRecord> {
    const rows = sql.exec<StoredMessage>(
      `SELECT turn, CASE WHEN json_valid(record) THEN json_remove(record, '$.reasoning') ELSE record END AS record
       FROM messages WHERE turn < ? AND turn >= ? ORDER BY turn DESC, position DESC`,
      before,
      first,
    );
    for (const row of rows) yield { run: row.turn, size: row.record.length, message: read([row])[0] };
  }

  /** The records of these runs, from memory where possible: only newer runs are read. */
  function* pastOf(first: number, before: number): Generator<PastRecord> {
    const [newest] = remembered;
    if (newest === undefined || newest.run >= before) {
      yield* newestFirst(first, before);
      return;
    }
    yield* newestFirst(newest.run + 1, before);
    yield* remembered.filter(({ run }) => run >= first);
    const { run: oldest } = remembered.at(-1) ?? newest;
    if (oldest > first) yield* newestFirst(first, oldest);
  }

  return {
    addHuman: (run: number, record: MessageRecord): void => insert(run, HUMAN, record),
    addAi: (run: number, record: MessageRecord): void => insert(run, AI, bounded(record)),

    /** The ai record of a run, if it has one. */
    aiOf: (run: number): MessageRecord | undefined =>
      read(
        sql.exec<StoredMessage>("SELECT turn, record FROM messages WHERE turn = ? AND position = ?", run, AI).toArray(),
      )[0],

    /** The session's opening message. */
    opening: (): string => {
      const first = sql.exec<StoredMessage>("SELECT turn, record FROM messages ORDER BY turn, position LIMIT 1");
      return read(first.toArray())[0]?.content ?? "";
    },

    /**
     * The records of the runs between `after` and `run`, oldest first and without the model's thinking. Reading begins with the
     * newest record and ends when the records reach `size` characters of JSON.
     */
    between(after: number, run: number, size: number): Past {
      // Runs are numbered from 1 without gaps.
      const first = after + 1;
      const found: PastRecord[] = [];
      let room = size;
      for (const record of pastOf(first, run)) {
        found.push(record);
        room -= record.size;
        if (room < 0) break;
      }
      remembered = room >= 0 && size - room <= REMEMBERED_SIZE ? found : [];
      const records = found.toReversed().flatMap(({ run, message }) => withIds(run, message) ?? []);
      return { records, omitted: (found.at(-1)?.run ?? run) - 1 - after };
    },

    page({ limit, before, after, fromStart = false }: PageRequest): Result<MessagePage> {
      const cursor = before ?? after;
      const bound = cursor !== undefined ? runOf(cursor) : fromStart ? 0 : undefined;
      if (cursor !== undefined && bound === undefined) return fail("invalid_request", "Unknown cursor");
      const forward = before === undefined && bound !== undefined;
      // One extra run shows whether there is a further page.
      const found = forward
        ? runsBeside(">", bound, "ASC", limit + 1)
        : runsBeside("<", bound ?? Number.MAX_SAFE_INTEGER, "DESC", limit + 1);
      const page = fitting(found.slice(0, limit));
      const ordered = forward ? page : page.toReversed();
      const oldest = ordered[0];
      const newest = ordered.at(-1);
      if (oldest === undefined || newest === undefined) {
        const nothing = { messages: [], prevCursor: null, nextCursor: after ?? null };
        return success({ ...nothing, hasOlder: after !== undefined, hasNewer: before !== undefined });
      }
      const ended = ordered.findLast(({ ended_at }) => ended_at !== null);
      return success({
        messages: recordsOf(oldest.ordinal, newest.ordinal),
        prevCursor: cursorOf(oldest),
        nextCursor: ended === undefined ? (after ?? null) : cursorOf(ended),
        hasOlder: forward ? after !== undefined : found.length > page.length,
        hasNewer: forward ? found.length > page.length : before !== undefined,
      });
    },
  };
}

/** As stored: the column `turn` has the ordinal of the run. */
type StoredMessage = { turn: number; record: string };

/** The record with the ids of its attachments, which are derived from its run and not stored. */
function withIds(run: number, message: MessageRecord | undefined): MessageRecord | undefined {
  if (message?.attachments === undefined) return message;
  return {
    ...message,
    attachments: message.attachments.map((each, index) => ({ ...each, id: attachmentId(run, index) })),
  };
}

/** The name of an attachment in its session, by which a model can refer to it. */
export function attachmentId(run: number, index: number): string {
  return `a${run}_${index + 1}`;
}

/** A record as the model reads it: the length of its JSON, and its content unless it is damaged. */
interface PastRecord {
  readonly run: number;
  readonly size: number;
  readonly message: MessageRecord | undefined;
}

type RunRow = { ordinal: number; run_id: string; ended_at: number | null };

/** Drops the least important members of a record that is too large for its row, so that its run can end. */
function bounded(record: MessageRecord): MessageRecord {
  const { reasoning: _reasoning, ...spoken } = record;
  const { toolCalls: _toolCalls, ...text } = spoken;
  return [record, spoken].find((each) => encoder.encode(JSON.stringify(each)).length <= RECORD_SIZE) ?? text;
}

const encoder = new TextEncoder();

/** A runId is `<sessionId>.<uuid>`; the cursor is the part after the dot. */
function cursorOf(run: RunRow): string {
  return run.run_id.slice(run.run_id.indexOf(".") + 1);
}

/** The parts of a run's ai record. */
export interface RunAnswer {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly Call[];
}

interface Written {
  readonly id: string;
  readonly createdAt: string;
}

export function humanRecord(
  { id, createdAt }: Written,
  { message, attachments }: Pick<RunRequest, "message" | "attachments">,
): MessageRecord {
  // Omits the key of an encrypted file, which is not needed once the file was read.
  const files = attachments.map(({ file: _key, ...attachment }) => ({
    ...attachment,
    category: categoryOf(attachment),
  }));
  const [first] = files;
  const record = { id, type: "human", content: message, createdAt, isReasoning: false, isComplete: true } as const;
  return first === undefined ? record : { ...record, attachment: first, attachments: files };
}

const categories = ["image", "audio", "video", "text"];

function categoryOf({ category, mimetype }: RunRequest["attachments"][number]): string {
  if (category !== undefined) return category;
  const [family = ""] = mimetype.split("/");
  if (categories.includes(family)) return family;
  return family === "application" ? "document" : "unknown";
}

export function aiRecord({ id, createdAt }: Written, answer: RunAnswer): MessageRecord {
  const toolCalls = withinBounds(answer.calls.map(callRecord));
  const reasoning = answer.reasoning.slice(0, KEPT_REASONING_SIZE);
  return {
    id,
    type: "ai",
    content: answer.content,
    createdAt,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === "" ? {} : { reasoning }),
    isReasoning: false,
    isComplete: true,
  };
}

function callRecord(call: Call): ToolCallRecord {
  return {
    id: call.eventId,
    name: call.name,
    args: call.args,
    status: call.status === "error" ? "error" : "done",
    ...(call.output === undefined ? {} : { output: call.output }),
    ...(call.error === undefined ? {} : { error: call.error }),
    ...(call.agent === undefined ? {} : { agent: call.agent }),
  };
}

/** Calls are kept in order while they fit; the first that does not, and all after it, are replaced by a note. */
function withinBounds(records: readonly ToolCallRecord[]): readonly ToolCallRecord[] {
  let room = KEPT_OUTPUT_SIZE;
  return records.map((record) => {
    const { output, error, ...call } = record;
    room -= (output ?? "").length + (error ?? "").length + JSON.stringify(record.args).length;
    if (room >= 0) return record;
    return error === undefined
      ? { ...call, args: {}, output: JSON.stringify("The output was too large to be kept") }
      : { ...call, args: {}, error: "The error was too large to be kept" };
  });
}
