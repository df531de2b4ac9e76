/**
 * The JSON and the words that a session reads back from its storage, as schemas. They are pinned to the types that are
 * written by `satisfies`, and ignore members that a newer version may have added.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../workers/platform/json.ts";
import type { Call } from "./run-store.ts";
import type { RunFailure, RunRequest } from "../rpc.ts";
import type {
  FinishReason,
  MessageRecord,
  RunStatus,
  SessionRecord,
  ToolCallRecord,
} from "../../../protocol/records.ts";

const jsonObject = z.custom<JsonObject>(isJsonObject);

/** A tool call's arguments. */
export const storedArguments = jsonObject;

export const runStatus = z.enum([
  "queued",
  "running",
  "recovering",
  "finished",
  "aborted",
  "interrupted",
  "failed",
]) satisfies z.ZodType<RunStatus>;

export const callStatus = z.enum(["isRunning", "done", "error"]) satisfies z.ZodType<Call["status"]>;

export const finishReason = z.enum([
  "stop",
  "length",
  "content_filter",
  "tool_calls",
  "other",
]) satisfies z.ZodType<FinishReason>;

export const runFailure = z.object({
  kind: z.string(),
  message: z.string(),
  retryAfterMs: z.number().optional(),
}) satisfies z.ZodType<RunFailure>;

export const sessionRecord = z.object({
  sessionId: z.string(),
  title: z.string(),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  oracleName: z.string(),
  oracleDid: z.string(),
  oracleEntityDid: z.string(),
  roomId: z.string().optional(),
}) satisfies z.ZodType<SessionRecord>;

const toolCall = z.object({
  id: z.string(),
  name: z.string(),
  args: jsonObject,
  status: z.enum(["done", "error"]),
  output: z.string().optional(),
  error: z.string().optional(),
}) satisfies z.ZodType<ToolCallRecord>;

export const messageRecord = z.object({
  id: z.string(),
  type: z.enum(["human", "ai"]),
  content: z.string(),
  createdAt: z.string(),
  toolCalls: z.array(toolCall).optional(),
  reasoning: z.string().optional(),
  isReasoning: z.literal(false),
  isComplete: z.literal(true),
  attachment: jsonObject.optional(),
  attachments: z.array(jsonObject).optional(),
}) satisfies z.ZodType<MessageRecord>;

const clientTool = z.object({
  name: z.string(),
  description: z.string(),
  schema: jsonObject,
  hasRender: z.boolean().optional(),
});

export const turnRequest = z.object({
  runKey: z.string().optional(),
  clientMessageId: z.string().optional(),
  requestId: z.string(),
  client: z.enum(["portal", "slack", "ussd"]),
  message: z.string(),
  model: z.string().optional(),
  multitask: z.enum(["interrupt", "enqueue"]),
  timezone: z.string().optional(),
  answerStyle: z.string().optional(),
  attachments: z.array(
    z.object({
      mxcUri: z.string().optional(),
      eventId: z.string().optional(),
      filename: z.string(),
      mimetype: z.string(),
      size: z.number().optional(),
      category: z.string().optional(),
    }),
  ),
  tools: z.array(clientTool),
  agActions: z.array(clientTool),
  mcpInvocations: z.record(z.string(), z.string()),
  homeServer: z.string().optional(),
  metadata: jsonObject,
  delegation: z
    .object({
      token: z.string(),
      expiration: z.number().nullable(),
      capabilities: z.array(z.object({ can: z.string(), with: z.string() })),
    })
    .optional(),
}) satisfies z.ZodType<RunRequest>;
