/**
 * The oracle's answers as schemas, for its API description. They are pinned to the wire types of the objects by
 * `satisfies`: a field that only one of them has does not compile.
 */
import * as z from "zod";
import type { ModelRow } from "../../durable-objects/chat-session/model-port.ts";
import type {
  FinishReason,
  MessagePage,
  MessageRecord,
  RunSummary,
  SessionRecord,
} from "../../durable-objects/chat-session/rpc.ts";
import { isJsonObject, type JsonObject } from "../platform/json.ts";

export const timestamp = () => z.string().meta({ format: "date-time" });

/** Any JSON object; what is inside belongs to someone else. */
export const jsonObject = (error = "must be an object") =>
  z.custom<JsonObject>(isJsonObject, { error }).meta({ type: "object", additionalProperties: true });

export const sessionRecord = z
  .object({
    sessionId: z.string().meta({ format: "uuid" }),
    title: z.string(),
    createdAt: timestamp(),
    lastUpdatedAt: timestamp(),
    oracleName: z.string(),
    oracleDid: z.string(),
    oracleEntityDid: z.string(),
    roomId: z.string().optional(),
  })
  .meta({ id: "Session" }) satisfies z.ZodType<SessionRecord>;

const toolCallRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    args: jsonObject(),
    status: z.enum(["done", "error"]),
    output: z.string().optional().meta({ description: "JSON text of the tool's result." }),
    error: z.string().optional(),
  })
  .meta({ id: "ToolCall" });

/** Why the model stopped, in the words of chat-completion services. */
export const finishReason = z.enum([
  "stop",
  "length",
  "content_filter",
  "tool_calls",
  "other",
]) satisfies z.ZodType<FinishReason>;

export const messageRecord = z
  .object({
    id: z.string(),
    type: z.enum(["human", "ai"]),
    content: z.string(),
    createdAt: timestamp(),
    toolCalls: z.array(toolCallRecord).optional(),
    reasoning: z.string().optional(),
    isReasoning: z.literal(false),
    isComplete: z.literal(true),
    attachment: jsonObject().optional(),
    attachments: z.array(jsonObject()).optional(),
  })
  .meta({ id: "Message" }) satisfies z.ZodType<MessageRecord>;

const cursor = z.string().nullable();

export const messagePage = z
  .object({
    messages: z.array(messageRecord),
    prevCursor: cursor.meta({ description: "The oldest turn of the page; null when the page is empty." }),
    nextCursor: cursor.meta({ description: "The newest ended turn of the page; null when there is none." }),
    hasOlder: z.boolean(),
    hasNewer: z.boolean(),
  })
  .meta({ id: "MessagePage" }) satisfies z.ZodType<MessagePage>;

export const runSummary = z
  .object({
    runId: z.string(),
    sessionId: z.string().meta({ format: "uuid" }),
    requestId: z.string(),
    client: z.string(),
    status: z.enum(["queued", "running", "recovering", "finished", "aborted", "interrupted", "failed"]),
    startedAt: timestamp(),
    updatedAt: timestamp(),
    lastSeq: z.int(),
  })
  .meta({ id: "Run" }) satisfies z.ZodType<RunSummary>;

export const modelRow = z
  .object({
    id: z.string(),
    label: z.string(),
    family: z.string(),
    tier: z.enum(["everyday", "balanced", "top"]),
    costLabel: z.enum(["$", "$$", "$$$"]),
    badge: z.enum(["Fast", "Balanced", "Smartest"]),
    blurb: z.string(),
    vision: z.boolean(),
    pricing: z.object({
      inputPerMillion: z.number(),
      outputPerMillion: z.number(),
      currency: z.literal("USD"),
      unit: z.literal("per_million_tokens"),
    }),
    isDefault: z.boolean(),
  })
  .meta({ id: "Model" }) satisfies z.ZodType<ModelRow>;
