/** The stored part of a conversation, and the functions that merge pages into it. Pure. */
import type { ChatMessage } from "../chat.ts";
import { hasTexts, isObject } from "../wire-members.ts";
import type { MessagePage, MessageRecord } from "../wire.ts";

export interface History {
  /** Oldest first. */
  readonly messages: readonly ChatMessage[];
  /** The cursor for the page before the oldest message; null if nothing is stored. */
  readonly prevCursor: string | null;
  /** The cursor for messages after the newest ended turn; null if no turn has ended. */
  readonly nextCursor: string | null;
  readonly hasOlder: boolean;
}

export const NO_HISTORY: History = { messages: [], prevCursor: null, nextCursor: null, hasOlder: false };

/**
 * Merges the newest page. If it does not overlap the known messages, it replaces them; the messages between can be
 * loaded again.
 */
export function foldNewest(history: History, page: MessagePage): History {
  const incoming = new Set(page.messages.map(({ id }) => id));
  const { prevCursor, hasOlder, nextCursor } = page;
  if (!history.messages.some(({ id }) => incoming.has(id))) {
    return {
      messages: page.messages.map((record) => unchangedOr(undefined, record)),
      prevCursor,
      hasOlder,
      nextCursor,
    };
  }
  return { ...history, messages: fold(history.messages, page.messages), nextCursor: nextCursor ?? history.nextCursor };
}

/** Merges a page after `nextCursor`. */
export function foldNewer(history: History, page: MessagePage): History {
  return {
    ...history,
    messages: fold(history.messages, page.messages),
    prevCursor: history.prevCursor ?? page.prevCursor,
    nextCursor: page.nextCursor ?? history.nextCursor,
  };
}

/** Merges a page before `prevCursor`. */
export function foldOlder(history: History, page: MessagePage): History {
  const known = new Set(history.messages.map(({ id }) => id));
  const older = page.messages.filter(({ id }) => !known.has(id)).map((record) => unchangedOr(undefined, record));
  return {
    ...history,
    messages: older.length === 0 ? history.messages : [...older, ...history.messages],
    prevCursor: page.prevCursor ?? history.prevCursor,
    hasOlder: page.hasOlder,
  };
}

/** Merges the whole transcript, for a server without pages. */
export function wholeTranscript(history: History, records: readonly MessageRecord[]): History {
  const known = new Map(history.messages.map((message) => [message.id, message]));
  const messages = records.map((record) => unchangedOr(known.get(record.id), record));
  return { messages: same(history.messages, messages), prevCursor: null, nextCursor: null, hasOlder: false };
}

/**
 * The page replaces the known messages of its range, in its own order: the answer of a turn comes before the messages
 * that were queued after it.
 */
function fold(messages: readonly ChatMessage[], records: readonly MessageRecord[]): readonly ChatMessage[] {
  if (records.length === 0) return messages;
  const incoming = new Set(records.map(({ id }) => id));
  const found = messages.findIndex(({ id }) => incoming.has(id));
  const start = found === -1 ? messages.length : found;
  const known = new Map(messages.slice(start).map((message) => [message.id, message]));
  const page = records.map((record) => unchangedOr(known.get(record.id), record));
  const rest = messages.slice(start).filter(({ id }) => !incoming.has(id));
  return same(messages, [...messages.slice(0, start), ...page, ...rest]);
}

function same(before: readonly ChatMessage[], after: readonly ChatMessage[]): readonly ChatMessage[] {
  const isSame = before.length === after.length && before.every((message, index) => message === after[index]);
  return isSame ? before : after;
}

function messageOf(record: MessageRecord): ChatMessage {
  const { id, type, content, createdAt, runId, toolCalls, reasoning, attachments, attachment } = record;
  const files = attachments ?? (attachment === undefined ? undefined : [attachment]);
  return {
    id,
    type,
    kind: "text",
    content,
    createdAt,
    ...(runId === undefined ? {} : { runId }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(reasoning === undefined ? {} : { reasoning }),
    isReasoning: false,
    isComplete: true,
    ...(files === undefined ? {} : { attachments: files as unknown as NonNullable<ChatMessage["attachments"]> }),
  };
}

/** The records that can be shown, each once, because a repeated id breaks the page that renders the list. */
export function shownRecords(records: readonly MessageRecord[]): readonly MessageRecord[] {
  const ids = new Set<string>();
  return records.filter((record) => {
    if (!isObject(record) || !hasTexts(record, ["id", "content"]) || ids.has(record.id)) return false;
    const { id, type, toolCalls = [] } = record;
    if ((type !== "human" && type !== "ai") || !Array.isArray(toolCalls) || !toolCalls.every(isObject)) return false;
    ids.add(id);
    return true;
  });
}

/** Returns `known` unchanged if the record has the same values. */
function unchangedOr(known: ChatMessage | undefined, record: MessageRecord): ChatMessage {
  const message = messageOf(record);
  return known !== undefined && JSON.stringify(known) === JSON.stringify(message) ? known : message;
}
