/** What a run tells its callers: a summary while it goes on, the whole reply to whoever waits for its end. */
import type { RunReply } from "../rpc.ts";
import type { RunRecord } from "../../../protocol/records.ts";
import type { Run } from "./run-store.ts";
import type { Transcript } from "./transcript.ts";

export function summaryOf(run: Run, sessionId: string, lastSeq: number): RunRecord {
  return {
    runId: run.runId,
    sessionId,
    requestId: run.requestId,
    client: run.client,
    status: run.status,
    startedAt: new Date(run.startedAt).toISOString(),
    updatedAt: new Date(run.updatedAt).toISOString(),
    lastSeq,
  };
}

export function replyOf(run: Run, transcript: Transcript): RunReply {
  const message = run.messageId === null ? undefined : transcript.aiOf(run.ordinal);
  return {
    runId: run.runId,
    status: run.status,
    content: message?.content ?? "",
    ...(run.messageId === null ? {} : { messageId: run.messageId }),
    ...(run.delegationRequired ? { delegationRequired: true } : {}),
    ...(run.finishReason === null ? {} : { finishReason: run.finishReason }),
    ...(run.failure === null ? {} : { failure: run.failure }),
  };
}
