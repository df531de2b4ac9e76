/** The records that the oracle's JSON routes return, and records in frames and events. */
import * as z from "zod";
import { growing, jsonObject, timestamp, type TypeOf } from "./json.ts";

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
  .meta({ id: "Session" });
export type SessionRecord = TypeOf<typeof sessionRecord>;

export const sessionList = z.object({
  sessions: z.array(sessionRecord),
  total: z.int().meta({ description: "The number of all sessions of the user, not only of this page." }),
});
export type SessionList = TypeOf<typeof sessionList>;

/** `erased`: complete. `pending`: the oracle continues it. */
export const erasureReceipt = z
  .discriminatedUnion("state", [
    z.object({
      state: z.literal("erased"),
      erasedAt: z.iso.datetime(),
      kept: z
        .array(z.object({ what: z.string(), why: z.string() }))
        .meta({ description: "The data that is kept, and the reason." }),
    }),
    z.object({ state: z.literal("pending"), requestedAt: z.iso.datetime() }),
  ])
  .meta({ id: "ErasureReceipt" });

export const sessionDeleted = z.object({ message: z.string() });

/** Why the model stopped, with the values of chat-completion services. */
export const finishReason = growing(["stop", "length", "content_filter", "tool_calls", "other"], "other");
export type FinishReason = TypeOf<typeof finishReason>;

export const toolCallRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    args: jsonObject(),
    status: z.enum(["done", "error"]),
    output: z.string().optional().meta({ description: "JSON text of the tool's result." }),
    error: z.string().optional(),
    agent: z.string().optional().meta({ description: "The sub-agent that made the call." }),
  })
  .meta({ id: "ToolCall" });
export type ToolCallRecord = TypeOf<typeof toolCallRecord>;

export const messageRecord = z
  .object({
    id: z.string(),
    type: z.enum(["human", "ai"]),
    content: z.string(),
    createdAt: timestamp(),
    runId: z.string().optional().meta({ description: "The run of the turn that the message belongs to." }),
    toolCalls: z.array(toolCallRecord).optional(),
    reasoning: z.string().optional(),
    isReasoning: z.literal(false),
    isComplete: z.literal(true),
    attachment: jsonObject().optional(),
    attachments: z.array(jsonObject()).optional(),
  })
  .meta({ id: "Message" });
export type MessageRecord = TypeOf<typeof messageRecord>;

export const transcript = z.object({ messages: z.array(messageRecord) });

export const messagePage = z
  .object({
    messages: z.array(messageRecord),
    prevCursor: z.string().nullable().meta({ description: "The oldest turn of the page. Null if the page is empty." }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: "The newest ended turn of the page. Null if there is none." }),
    hasOlder: z.boolean(),
    hasNewer: z.boolean(),
  })
  .meta({ id: "MessagePage" });
export type MessagePage = TypeOf<typeof messagePage>;

export const runStatus = z.enum(["queued", "running", "recovering", "finished", "aborted", "interrupted", "failed"]);
export type RunStatus = TypeOf<typeof runStatus>;

/** How a run can end. */
export const endedRunStatus = runStatus.extract(["finished", "aborted", "failed", "interrupted"]);
export type EndedRunStatus = TypeOf<typeof endedRunStatus>;

/** A run that has not ended. */
export const runRecord = z
  .object({
    runId: z.string(),
    sessionId: z.string().meta({ format: "uuid" }),
    requestId: z.string(),
    client: z.string(),
    status: runStatus,
    startedAt: timestamp(),
    updatedAt: timestamp(),
    lastSeq: z.int().meta({ description: "The id of the newest frame." }),
  })
  .meta({ id: "Run" });
export type RunRecord = TypeOf<typeof runRecord>;

export const activeRunReply = z.object({ run: runRecord.nullable() });

/** The answer to a message that was sent without `stream`. */
export const messageReply = z
  .object({
    message: z.object({ type: z.literal("ai"), content: z.string(), id: z.string() }),
    sessionId: z.string(),
    messages: z.array(messageRecord).optional().meta({ description: "Present with `returnAllMessages`." }),
    finishReason: z
      .optional(finishReason)
      .meta({ description: "Why the model stopped. Absent if the run was aborted." }),
    aborted: z.literal(true).optional(),
    delegationRequired: z.literal(true).optional(),
  })
  .meta({ id: "Reply" });
export type MessageReply = TypeOf<typeof messageReply>;

export const abortReply = z.object({
  success: z.boolean().meta({ description: "False if no run was active or queued." }),
});

export const approvalReply = z.object({ approved: z.boolean() });

const expiration = z.int().optional().meta({ description: "Unix seconds. Absent if nothing in the chain expires." });
export const delegationStored = z.object({ ok: z.literal(true), expiration });
export const delegationStatusRecord = z.object({ authorized: z.boolean(), expiration });
export const delegationDeleted = z.object({ ok: z.literal(true) });

/** The user's preferences for answers: only the fields that are set. */
export const preferencesRecord = z
  .object({
    agentName: z.string().optional(),
    userName: z.string().optional(),
    language: z.string().optional(),
    tone: z.string().optional(),
    length: z.string().optional(),
    format: z.string().optional(),
    formality: z.string().optional(),
    customInstructions: z.string().optional(),
    updatedAt: timestamp().optional(),
  })
  .meta({ id: "Preferences" });
export type PreferencesRecord = TypeOf<typeof preferencesRecord>;

export const modelRecord = z
  .object({
    id: z.string(),
    label: z.string(),
    family: z.string(),
    tier: growing(["everyday", "balanced", "top"], "everyday"),
    costLabel: growing(["$", "$$", "$$$"], "$$$"),
    badge: growing(["Fast", "Balanced", "Smartest"], "Balanced"),
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
  .meta({ id: "Model" });
export type ModelRecord = TypeOf<typeof modelRecord>;

/** How the oracle calls tools in the browser. Clients offer tools with side effects only if they know all three. */
export const frontendTools = z
  .object({
    protocolVersion: z.int().meta({ description: "2: each call has a unique id, and one result." }),
    execution: z.string().meta({ description: "`single-socket`: a call is sent to one tab only." }),
    timeoutOutcome: z
      .string()
      .meta({ description: "`unknown`: a call without a result may have been executed. It is not repeated." }),
  })
  .meta({ id: "FrontendTools" });
export const FRONTEND_TOOLS: TypeOf<typeof frontendTools> = {
  protocolVersion: 2,
  execution: "single-socket",
  timeoutOutcome: "unknown",
};

export const modelList = z.object({ models: z.array(modelRecord), default: z.string(), frontendTools });
export type ModelList = TypeOf<typeof modelList>;

/**
 * With the characters that DID Core allows: a server chooses its own name, which may appear on terminals and in shell
 * scripts.
 */
export const DID = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/;
/** `GET /.well-known/did.json`. */
export const didDocument = z
  .object({ id: z.string().regex(DID), service: z.array(jsonObject()) })
  .catchall(z.unknown());
