/**
 * The transcript: whole turns in order, a human record when a turn is accepted and one ai record when its run ends
 * (contract/oracle.md section 6). A cursor is the random half of a run's id, so it means nothing to another session.
 */
import { fault } from "../../workers/platform/errors.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";
import type { Attachment, MessagePage, MessageRecord, PageRequest } from "./rpc.ts";

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
      .map(({ record }) => JSON.parse(record) as MessageRecord);
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

  return {
    addHuman: (turn: number, record: MessageRecord): void => insert(turn, HUMAN, record),
    addAi: (turn: number, record: MessageRecord): void => insert(turn, AI, record),

    all: (): readonly MessageRecord[] => between(0, Number.MAX_SAFE_INTEGER),

    /** The ai record of a turn, when its run left one. */
    aiOf: (turn: number): MessageRecord | undefined => between(turn, turn).find(({ type }) => type === "ai"),

    /** The session's opening message. */
    opening: (): string => {
      const first = sql
        .exec<{ record: string }>("SELECT record FROM messages ORDER BY turn, position LIMIT 1")
        .toArray()[0];
      return first === undefined ? "" : (JSON.parse(first.record) as MessageRecord).content;
    },

    /** The records of the newest `count` turns before `turn`, oldest first: what the model is told of the past. */
    before(turn: number, count: number): readonly MessageRecord[] {
      const oldest = turns("<", turn, "DESC", count).at(-1);
      return oldest === undefined ? [] : between(oldest.ordinal, turn - 1);
    },

    page({ limit, before, after }: PageRequest): Result<MessagePage> {
      const cursor = before ?? after;
      const bound = cursor === undefined ? undefined : turnOf(cursor);
      if (cursor !== undefined && bound === undefined) return failure(fault("invalid_request", "Unknown cursor"));
      const forward = after !== undefined && bound !== undefined;
      // One turn more than asked for tells whether the page has a neighbour on the far side.
      const found = forward
        ? turns(">", bound, "ASC", limit + 1)
        : turns("<", bound ?? Number.MAX_SAFE_INTEGER, "DESC", limit + 1);
      const page = found.slice(0, limit);
      const ordered = forward ? page : page.toReversed();
      const oldest = ordered[0];
      const newest = ordered.at(-1);
      if (oldest === undefined || newest === undefined) {
        const nothing = { messages: [], prevCursor: null, nextCursor: after ?? null };
        return success({ ...nothing, hasOlder: forward, hasNewer: before !== undefined });
      }
      const ended = ordered.findLast(({ ended_at }) => ended_at !== null);
      return success({
        messages: between(oldest.ordinal, newest.ordinal),
        prevCursor: cursorOf(oldest),
        nextCursor: ended === undefined ? (after ?? null) : cursorOf(ended),
        hasOlder: forward ? true : found.length > limit,
        hasNewer: forward ? found.length > limit : before !== undefined,
      });
    },
  };
}

type Turn = { ordinal: number; run_id: string; ended_at: number | null };

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

function categoryOf({ category, mimetype }: Attachment): string {
  if (category !== undefined) return category;
  const [family = ""] = mimetype.split("/");
  if (categories.includes(family)) return family;
  return family === "application" ? "document" : "unknown";
}
