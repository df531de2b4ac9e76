/**
 * The bodies that clients send, with their limits: the server parses with these schemas, and clients use their types.
 */
import * as z from "zod";
import { depthOf, jsonObject, type InputOf, type TypeOf } from "./json.ts";
import {
  MAX_ATTACHMENTS,
  MAX_CLIENT_MESSAGE_ID_LENGTH,
  MAX_CLIENT_TOOLS,
  MAX_DEPTH,
  MAX_FILENAME_LENGTH,
  MAX_SCHEMA_BYTES,
} from "./limits.ts";

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

/** A tool that runs in the client. */
const clientTool = object({
  name: nonEmptyText(),
  description: text(),
  schema: boundedObject().refine((schema) => byteLength(schema) <= MAX_SCHEMA_BYTES, {
    error: `must be at most ${MAX_SCHEMA_BYTES} bytes of JSON`,
  }),
});

/** An AG-UI action of the client. */
const clientAction = clientTool.extend({ hasRender: flag().optional() });

/**
 * An encrypted Matrix file (EncryptedFile, version 2), with the key that only the client has. Its content is checked
 * when the file is read, so that an invalid one fails the file and not the message.
 */
export const encryptedFile = object({
  url: nonEmptyText().meta({ description: "The address of the ciphertext. Overrides `mxcUri`." }),
  key: object({ k: text(), alg: text().optional(), kty: text().optional() }).meta({ description: "A JSON Web Key." }),
  iv: text(),
  hashes: object({ sha256: text() }),
  v: text(),
}).meta({ id: "EncryptedFile" });

const attachment = object({
  mxcUri: nonEmptyText().optional(),
  eventId: text().regex(/^\$/, "must start with $").optional(),
  filename: nonEmptyText().max(MAX_FILENAME_LENGTH, `must be at most ${MAX_FILENAME_LENGTH} characters`),
  mimetype: nonEmptyText(),
  size: z.number({ error: "must be a number" }).optional(),
  file: encryptedFile.optional().meta({ description: "How to decrypt the file. Deleted after the run." }),
})
  .refine(({ mxcUri, eventId }) => mxcUri !== undefined || eventId !== undefined, {
    error: "must have an mxcUri or an eventId",
  })
  .meta({ anyOf: [{ required: ["mxcUri"] }, { required: ["eventId"] }] });

/** The capabilities of a turn's client. Rules depend on these members, never on the name of a client. */
export const clientCapabilities = object({
  approve: flag().meta({
    description: "The user can approve a tool call while the run waits. If false, such calls are denied.",
  }),
  openLinks: flag().meta({ description: "The client shows links only to its user, who can open them in a browser." }),
  page: flag().meta({ description: "The client has a page with a socket for browser tools, actions and questions." }),
  longestAnswer: z
    .int({ error: "must be a whole number" })
    .min(1, "must be at least 1")
    .exactOptional()
    .meta({ description: "UTF-16 units of the longest answer that the client can show." }),
});
export type ClientCapabilities = TypeOf<typeof clientCapabilities>;

/** The default for a client that declares nothing: a web page. */
export const WEB_CLIENT: ClientCapabilities = { approve: true, openLinks: true, page: true };

/** `POST /messages/:sessionId`. Unknown members are ignored at every level. */
export const sendMessageBody = z
  .object({
    message: nonEmptyText().meta({ description: "The user's text." }),
    stream: flag().default(false).meta({ description: "true: server-sent events; false: one JSON reply." }),
    returnAllMessages: flag()
      .default(false)
      .meta({ description: "Without `stream`: return the whole transcript too." }),
    tools: listOf(clientTool, MAX_CLIENT_TOOLS).default([]).meta({ description: "Tools that run in the browser." }),
    agActions: listOf(clientAction, MAX_CLIENT_TOOLS).default([]).meta({ description: "AG-UI actions of the client." }),
    attachments: listOf(attachment, MAX_ATTACHMENTS).default([]),
    mcpInvocations: z
      .record(z.string(), text(), { error: "must map tool names to invocations" })
      .default({})
      .meta({ description: "MCP tool name to a base64 CAR invocation." }),
    capabilities: clientCapabilities
      .partial()
      .optional()
      .meta({ description: "The capabilities of the client. Omitted members default to true, and to no limit." }),
    timezone: text().optional().meta({ description: "IANA name. Overrides the header `x-timezone`." }),
    homeServer: text().optional().meta({ description: "The user's Matrix homeserver." }),
    metadata: boundedObject()
      .default({})
      .meta({
        description: `Kept with the run. \`clientMessageId\`, a text of 1 to ${MAX_CLIENT_MESSAGE_ID_LENGTH} characters, makes sending idempotent: a request with the same id in the same session returns the run of the first one.`,
      }),
    model: text().optional().meta({ description: "A model's id. An unknown id means the default model." }),
    multitask: z
      .enum(["interrupt", "enqueue"], { error: "must be interrupt or enqueue" })
      .default("interrupt")
      .meta({ description: "How the message affects a run that is still active." }),
  })
  .meta({ id: "SendMessage" });

/** A body after the server has parsed it and filled in defaults. */
export type SendMessage = TypeOf<typeof sendMessageBody>;
/** A body that a client can send. */
export type SendMessageInput = InputOf<typeof sendMessageBody>;
/** A browser tool (`tools`) or an AG-UI action (`agActions`). */
export type ClientTool = TypeOf<typeof clientAction>;
export type Attachment = TypeOf<typeof attachment>;

/** `POST /messages/abort`. */
export const abortBody = z.object({ sessionId: z.string({ error: "must be a string" }) });

/** `POST /runs/:runId/approvals/:toolCallId`. */
export const approvalBody = z.object({ approved: z.boolean({ error: "must be true or false" }) });

const hint = (type: string, description: string) => z.unknown().optional().meta({ type, description });

/** `POST /delegation`. Only `raw` counts; hints that disagree with it are ignored. */
export const storeDelegationBody = z
  .object({
    raw: nonEmptyText().meta({ description: "Base64 CAR of the delegation from the user to this oracle." }),
    issuer: hint("string", "The user's DID. A hint that the oracle ignores."),
    audience: hint("string", "This oracle's DID. A hint that the oracle ignores."),
    expiration: hint("number", "Unix seconds. A hint that the oracle ignores."),
  })
  .meta({ id: "StoreDelegation" });

function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
