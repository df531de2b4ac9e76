/**
 * SendMessageDto (contract/oracle.md section 1): what `POST /messages/:sessionId` accepts, and how it becomes a turn.
 * Unknown members are ignored at every level, wrong types are a 400, and a schema's meaning is left to the session.
 */
import * as z from "zod";
import type { Delegation, TurnRequest } from "../../durable-objects/chat-session/rpc.ts";
import { depthOf, type JsonObject } from "../platform/json.ts";
import { jsonObject } from "./records.ts";
import { timezoneOf } from "./timezone.ts";

export const MAX_ATTACHMENTS = 10;
/** Client tools cost model tokens each turn; more than this is a mistake of the client. */
export const MAX_CLIENT_TOOLS = 64;
/** Bytes of JSON in one tool's schema. */
export const MAX_SCHEMA_BYTES = 32 * 1024;
/** Levels of nesting in a schema or in metadata: what is deeper would exhaust the stack of whoever walks through it. */
export const MAX_DEPTH = 100;
/** Characters: what file systems and Matrix clients agree on. */
export const MAX_FILENAME_LENGTH = 255;

/** Characters of an id by which a client repeats a message. */
const MAX_CLIENT_MESSAGE_ID = 128;

const text = () => z.string({ error: "must be a string" });
const flag = () => z.boolean({ error: "must be true or false" });
const nonEmptyText = () => z.string({ error: "must be a non-empty string" }).min(1, "must be a non-empty string");
const listOf = <Item extends z.ZodType>(item: Item, limit: number) =>
  z.array(item, { error: "must be a list" }).max(limit, `must hold at most ${limit} items`);
const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, { error: "must be an object" });

const boundedObject = () =>
  jsonObject().refine((value) => depthOf(value) <= MAX_DEPTH, {
    error: `must be nested at most ${MAX_DEPTH} levels deep`,
    abort: true,
  });

const clientTool = object({
  name: nonEmptyText(),
  description: text(),
  schema: boundedObject().refine((schema) => byteLength(schema) <= MAX_SCHEMA_BYTES, {
    error: `must be at most ${MAX_SCHEMA_BYTES} bytes of JSON`,
  }),
});

const attachment = object({
  mxcUri: nonEmptyText().optional(),
  eventId: text().regex(/^\$/, "must start with $").optional(),
  filename: nonEmptyText().max(MAX_FILENAME_LENGTH, `must be at most ${MAX_FILENAME_LENGTH} characters`),
  mimetype: nonEmptyText(),
  size: z.number({ error: "must be a number" }).optional(),
})
  .refine(({ mxcUri, eventId }) => mxcUri !== undefined || eventId !== undefined, {
    error: "must have an mxcUri or an eventId",
  })
  .meta({ anyOf: [{ required: ["mxcUri"] }, { required: ["eventId"] }] });

export const sendMessageSchema = z
  .object({
    message: nonEmptyText().meta({ description: "The user's text." }),
    stream: flag().default(false).meta({ description: "true: server-sent events; false: one JSON reply." }),
    returnAllMessages: flag().default(false).meta({ description: "Without `stream`: also the whole transcript." }),
    tools: listOf(clientTool, MAX_CLIENT_TOOLS).default([]).meta({ description: "Tools that run in the browser." }),
    agActions: listOf(clientTool.extend({ hasRender: flag().optional() }), MAX_CLIENT_TOOLS)
      .default([])
      .meta({ description: "AG-UI actions of the client." }),
    attachments: listOf(attachment, MAX_ATTACHMENTS).default([]),
    mcpInvocations: z
      .record(z.string(), text(), { error: "must map tool names to invocations" })
      .default({})
      .meta({ description: "MCP tool name to a base64 CAR invocation." }),
    timezone: text().optional().meta({ description: "IANA name; wins over the header `x-timezone`." }),
    homeServer: text().optional().meta({ description: "The user's Matrix homeserver." }),
    metadata: boundedObject()
      .default({})
      .meta({
        description: `Kept with the turn. \`clientMessageId\`, a text of 1 to ${MAX_CLIENT_MESSAGE_ID} characters, makes sending safe to repeat: the same id in the same session answers with the run that the first one started.`,
      }),
    model: text().optional().meta({ description: "A model's id; an unknown one means the default model." }),
    multitask: z
      .enum(["interrupt", "enqueue"], { error: "must be interrupt or enqueue" })
      .default("interrupt")
      .meta({ description: "What happens to a turn that is still running." }),
  })
  .meta({ id: "SendMessage" });

export type SendMessage = z.output<typeof sendMessageSchema>;

/** What a turn takes from the request around the body. */
export interface TurnCircumstances {
  /** Under which the turn was counted. */
  readonly turnId: string;
  readonly requestId: string;
  readonly headers: Headers;
  /** The delegation of the request's own header, verified. */
  readonly delegation: Delegation | undefined;
}

export function turnOf(body: SendMessage, { turnId, requestId, headers, delegation }: TurnCircumstances): TurnRequest {
  return {
    turnId,
    clientMessageId: clientMessageIdOf(body.metadata),
    requestId,
    client: "portal",
    message: body.message,
    model: body.model,
    multitask: body.multitask,
    timezone: timezoneOf(body.timezone, headers.get("x-timezone")),
    attachments: body.attachments,
    tools: firstOfEachName(body.tools),
    agActions: firstOfEachName(body.agActions),
    mcpInvocations: body.mcpInvocations,
    homeServer: body.homeServer ?? headers.get("x-matrix-homeserver") ?? undefined,
    metadata: body.metadata,
    delegation,
  };
}

/** Anything else under that name is the client's own affair. */
function clientMessageIdOf({ clientMessageId }: JsonObject): string | undefined {
  if (typeof clientMessageId !== "string" || clientMessageId === "") return undefined;
  return clientMessageId.length <= MAX_CLIENT_MESSAGE_ID ? clientMessageId : undefined;
}

function firstOfEachName<Tool extends { readonly name: string }>(tools: readonly Tool[]): readonly Tool[] {
  const first = new Map<string, Tool>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return [...first.values()];
}

function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
