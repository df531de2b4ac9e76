/**
 * The transcript: whole turns in order, a human record when a turn is accepted and one ai record when its run ends
 * (contract/oracle.md section 6). A cursor is the random half of a run's id, so it means nothing to another session.
 */
import { fail } from "../../../workers/platform/failure.ts";
import { success, type Result } from "../../../workers/platform/result.ts";
import { parseStoredJson } from "../../../workers/platform/stored-json.ts";
import type { Past } from "../agent/conversation.ts";
import type { PageRequest } from "../rpc.ts";
import type { MessagePage, MessageRecord } from "../../../protocol/records.ts";
import type { Attachment } from "../../../protocol/requests.ts";
import { messageRecord } from "./stored-records.ts";

/**
 * How much one page holds, characters of its records as JSON; one turn when that turn is larger. With it an answer
 * stays far below the 32 MiB that an object may answer with: no transcript is too long to be read.
 */
export const PAGE_SIZE = 2 * 1024 * 1024;

/** How large one record may be, bytes of its JSON: a row holds 2 MB. A text alone always fits. */
const RECORD_SIZE = 2_000_000;

/** Which half of a turn a record is. */
const HUMAN = 0;
const AI = 1;

export type Transcript = ReturnType<typeof createTranscript>;

export function createTranscript(sql: SqlStorage, sessionId: string) {
  function insert(turn: number, position: number, record: MessageRecord): void {
    sql.exec("INSERT INTO messages (turn, position, record) VALUES (?, ?, ?)", turn, position, JSON.stringify(record));
  }

  function between(first: number, last: number): readonly MessageRecord[] {
    return sql
      .exec<{ record: string }>(
        "SELECT record FROM messages WHERE turn BETWEEN ? AND ? ORDER BY turn, position",
        first,
        last,
      )
      .toArray()
      .map(({ record }) => toRecord(record));
  }

  /** The turn that a cursor names, or nothing. */
  function turnOf(cursor: string): number | undefined {
    return sql
      .exec<{ ordinal: number }>("SELECT ordinal FROM runs WHERE run_id = ?", `${sessionId}.${cursor}`)
      .toArray()[0]?.ordinal;
  }

  function turns(where: string, bound: number, direction: "ASC" | "DESC", limit: number): readonly Turn[] {
    return sql
      .exec<Turn>(
        `SELECT ordinal, run_id, ended_at FROM runs WHERE ordinal ${where} ? ORDER BY ordinal ${direction} LIMIT ?`,
        bound,
        limit,
      )
      .toArray();
  }

  /**
   * The first of these turns, and those behind it as long as they fit the page. Turns that have not ended are few and
   * stay together: no cursor leads to one.
   */
  function fitting(found: readonly Turn[]): readonly Turn[] {
    let room = PAGE_SIZE;
    const tooMany = found.findIndex((turn, index) => {
      room -= sizeOf(turn);
      return index > 0 && room < 0 && turn.ended_at !== null;
    });
    return tooMany < 0 ? found : found.slice(0, tooMany);
  }

  /** Asked turn by turn: measuring a record means to read it. */
  function sizeOf({ ordinal }: Turn): number {
    return sql
      .exec<{ size: number }>("SELECT COALESCE(SUM(LENGTH(record)), 0) AS size FROM messages WHERE turn = ?", ordinal)
      .one().size;
  }

  /** The oldest of the `count` turns before `turn`. */
  function oldestOf(turn: number, count: number): number {
    const { oldest } = sql
      .exec<{ oldest: number | null }>(
        "SELECT MIN(ordinal) AS oldest FROM (SELECT ordinal FROM runs WHERE ordinal < ? ORDER BY ordinal DESC LIMIT ?)",
        turn,
        count,
      )
      .one();
    return oldest ?? turn;
  }

  return {
    addHuman: (turn: number, record: MessageRecord): void => insert(turn, HUMAN, record),
    addAi: (turn: number, record: MessageRecord): void => insert(turn, AI, fitted(record)),

    /** The ai record of a turn, when its run left one. */
    aiOf: (turn: number): MessageRecord | undefined => between(turn, turn).find(({ type }) => type === "ai"),

    /** The session's opening message. */
    opening: (): string => {
      const first = sql
        .exec<{ record: string }>("SELECT record FROM messages ORDER BY turn, position LIMIT 1")
        .toArray()[0];
      return first === undefined ? "" : toRecord(first.record).content;
    },

    /**
     * The records of the newest `count` turns before `turn`, oldest first: what the model is told of the past. Nothing
     * is read behind the record with which they are `size` characters of JSON long.
     */
    before(turn: number, count: number, size: number): Past {
      const newestFirst = sql.exec<{ turn: number; record: string }>(
        "SELECT turn, record FROM messages WHERE turn < ? AND turn >= ? ORDER BY turn DESC, position DESC",
        turn,
        oldestOf(turn, count),
      );
      const records: MessageRecord[] = [];
      let oldest = turn;
      let room = size;
      for (const row of newestFirst) {
        records.push(toRecord(row.record));
        oldest = row.turn;
        room -= row.record.length;
        if (room < 0) break;
      }
      // Turns are numbered from 1 without gaps.
      return { records: records.toReversed(), leftOut: oldest - 1 };
    },

    page({ limit, before, after, fromStart = false }: PageRequest): Result<MessagePage> {
      const cursor = before ?? after;
      const bound = cursor !== undefined ? turnOf(cursor) : fromStart ? 0 : undefined;
      if (cursor !== undefined && bound === undefined) return fail("invalid_request", "Unknown cursor");
      const forward = before === undefined && bound !== undefined;
      // One turn more than asked for tells whether the page has a neighbour on the far side.
      const found = forward
        ? turns(">", bound, "ASC", limit + 1)
        : turns("<", bound ?? Number.MAX_SAFE_INTEGER, "DESC", limit + 1);
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
        messages: between(oldest.ordinal, newest.ordinal),
        prevCursor: cursorOf(oldest),
        nextCursor: ended === undefined ? (after ?? null) : cursorOf(ended),
        hasOlder: forward ? after !== undefined : found.length > page.length,
        hasNewer: forward ? found.length > page.length : before !== undefined,
      });
    },
  };
}

function toRecord(stored: string): MessageRecord {
  return parseStoredJson(messageRecord, stored, "message");
}

type Turn = { ordinal: number; run_id: string; ended_at: number | null };

/** Without what is least missed, should it be too large for its row: then a run could never end. */
function fitted(record: MessageRecord): MessageRecord {
  const { reasoning: _thoughts, ...spoken } = record;
  const { toolCalls: _calls, ...text } = spoken;
  return [record, spoken].find((each) => encoder.encode(JSON.stringify(each)).length <= RECORD_SIZE) ?? text;
}

const encoder = new TextEncoder();

/** A runId is `<sessionId>.<uuid>`; the cursor is what follows the dot. */
function cursorOf(turn: Turn): string {
  return turn.run_id.slice(turn.run_id.indexOf(".") + 1);
}

/** The record of what the user sent. */
export function humanRecord(id: string, content: string, createdAt: string, attachments: readonly Attachment[]) {
  const files = attachments.map((attachment) => ({ ...attachment, category: categoryOf(attachment) }));
  const [first] = files;
  const record: MessageRecord = { id, type: "human", content, createdAt, isReasoning: false, isComplete: true };
  return first === undefined ? record : { ...record, attachment: first, attachments: files };
}

const categories = ["image", "audio", "video", "text"];

function categoryOf({ category, mimetype }: Attachment & { readonly category?: string }): string {
  if (category !== undefined) return category;
  const [family = ""] = mimetype.split("/");
  if (categories.includes(family)) return family;
  return family === "application" ? "document" : "unknown";
}
