/** Converts the stored transcript to messages of the AI SDK, the initial messages of a chat. */
import type { UIMessage } from "ai";
import type { Attachment, MessageRecord } from "../core/wire.ts";
import type { OracleMessageMetadata } from "./run-chunks.ts";

/**
 * Converts the records of a transcript (`GET /messages/:sessionId`) to `UIMessage`s, for the `messages` of `useChat`.
 * The id of an answer is the id of its run. A resumed stream uses the same id, so the answer never appears twice.
 *
 * @example
 * const { messages } = await client.http.json<{ messages: MessageRecord[] }>(`/messages/${sessionId}`);
 * useChat({ id: sessionId, messages: toUIMessages(messages), transport, resume: true });
 */
export function toUIMessages(records: readonly MessageRecord[]): UIMessage<OracleMessageMetadata>[] {
  return records.map((record) => (record.type === "human" ? fromUser(record) : fromOracle(record)));
}

function fromUser(record: MessageRecord): UIMessage<OracleMessageMetadata> {
  const files = (record.attachments ?? []).map((attachment) => {
    const { mxcUri, eventId = "", filename, mimetype } = attachment as Partial<Attachment>;
    return {
      type: "file" as const,
      url: mxcUri ?? eventId,
      mediaType: mimetype ?? "application/octet-stream",
      ...(filename === undefined ? {} : { filename }),
    };
  });
  return {
    id: record.id,
    role: "user",
    metadata: metadataOf(record),
    parts: [...files, { type: "text", text: record.content }],
  };
}

function fromOracle(record: MessageRecord): UIMessage<OracleMessageMetadata> {
  const parts: UIMessage["parts"] = [{ type: "step-start" }];
  if (record.reasoning !== undefined && record.reasoning !== "")
    parts.push({ type: "reasoning", text: record.reasoning, state: "done" });
  for (const { id, name, args, status, output, error } of record.toolCalls ?? []) {
    const call = { type: "dynamic-tool", toolCallId: id, toolName: name, input: args, providerExecuted: true } as const;
    if (status === "error") parts.push({ ...call, state: "output-error", errorText: error ?? "The call failed" });
    else parts.push({ ...call, state: "output-available", output: asText(output) });
  }
  if (record.content !== "") parts.push({ type: "text", text: record.content, state: "done" });
  return { id: record.runId ?? record.id, role: "assistant", metadata: metadataOf(record), parts };
}

function metadataOf({ id, runId, createdAt }: MessageRecord): OracleMessageMetadata {
  return { messageId: id, createdAt, ...(runId === undefined ? {} : { runId }) };
}

/** A stream contains a text unchanged and any other value as JSON. The transcript contains both as JSON. */
function asText(output: string | undefined): string {
  if (output === undefined) return "";
  try {
    const value: unknown = JSON.parse(output);
    return typeof value === "string" ? value : output;
  } catch {
    return output;
  }
}
