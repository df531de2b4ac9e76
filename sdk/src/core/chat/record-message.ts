/** A stored record as a message. A record that did not change keeps the message that it was. */
import type { ChatMessage } from "../messages.ts";
import { hasTexts, isObject } from "../wire-members.ts";
import type { MessageRecord } from "../wire.ts";

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

/** The records that can be shown, each once: a list that repeats an id breaks the page that draws it. */
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

/** `known` itself when the record says nothing else. */
export function unchangedOr(known: ChatMessage | undefined, record: MessageRecord): ChatMessage {
  const message = messageOf(record);
  return known !== undefined && JSON.stringify(known) === JSON.stringify(message) ? known : message;
}
