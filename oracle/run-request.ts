/** What a run is asked to do, as the surface passes it on and the session stores it until the run has ended; why it failed. */
import * as z from "zod";
import { budgetLimits, failureKinds } from "../protocol/frames.ts";
import { jsonObject, type TypeOf } from "../protocol/json.ts";
import { clientCapabilities } from "../protocol/requests.ts";
import type { TokenGrant } from "./user-vault-rpc.ts";
import { delegation } from "./framework/delegation.ts";

/** Bounds are checked where the request is received, so that a stored one stays readable when they change. */
const clientTool = z.object({
  name: z.string(),
  description: z.string(),
  schema: jsonObject(),
  hasRender: z.boolean().optional(),
});

/** Erased with the request when the run has ended: the transcript has no keys. */
const encryptedFile = z.object({
  url: z.string(),
  key: z.object({ k: z.string(), alg: z.string().optional(), kty: z.string().optional() }),
  iv: z.string(),
  hashes: z.object({ sha256: z.string() }),
  v: z.string(),
});

const attachment = z.object({
  mxcUri: z.string().optional(),
  eventId: z.string().optional(),
  filename: z.string(),
  mimetype: z.string(),
  size: z.number().optional(),
  category: z.string().optional(),
  file: encryptedFile.optional(),
});
export type Attachment = TypeOf<typeof attachment>;

export const runRequest = z.object({
  /** A UUID that becomes the second half of the run's id: what the run used is counted under it. */
  runKey: z.string().optional(),
  /** The client's own id of the message: sent again, it returns the run that the first request started. */
  clientMessageId: z.string().optional(),
  requestId: z.string(),
  client: z.string(),
  /** Requests of an earlier version have none: `WEB_CLIENT`. */
  capabilities: clientCapabilities.optional(),
  /** The session belongs to a place where several people speak: nothing personal is read or kept for it. */
  isShared: z.literal(true).optional(),
  /** The message holds words that the user did not write. */
  isForeign: z.literal(true).optional(),
  /** The DID whose limits and credits the run counts against, when that is not the session's owner. */
  payer: z.string().optional(),
  /** The message ends the questions that earlier runs of the session have asked, so that none of them keeps it waiting. */
  endsQuestions: z.literal(true).optional(),
  message: z.string(),
  model: z.string().optional(),
  multitask: z.enum(["interrupt", "enqueue"]),
  timezone: z.string().optional(),
  /** How the answer should be written, such as `in Kiswahili, as plain text`: for the model, never shown to the user. */
  answerStyle: z.string().optional(),
  attachments: z.array(attachment),
  tools: z.array(clientTool),
  agActions: z.array(clientTool),
  mcpInvocations: z.record(z.string(), z.string()),
  homeServer: z.string().optional(),
  metadata: jsonObject(),
  /** The delegation of the request's own header; kept with the run and erased at its end. */
  delegation: delegation.optional(),
});
export type RunRequest = TypeOf<typeof runRequest>;

/** What comes beside a request and stays in memory until its run has ended: it is never stored. */
export interface Unstored {
  /** The user's Matrix token. */
  readonly matrixAccessToken?: string | undefined;
  /** Of what plugins keep for the user, when the run was counted; none for a run that had to wait for another. */
  readonly revision?: string | undefined;
  /** What was reserved of the day's tokens when the run was counted. */
  readonly grant?: TokenGrant | undefined;
}

export const runFailure = z.object({
  kind: z.string(),
  /** Runs of an earlier version have neither. */
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  /** Of `budget_exhausted`: the budget. */
  limit: z.string().optional(),
  message: z.string(),
  /** When the model's provider wants to be asked again, milliseconds from the failure. */
  retryAfterMs: z.number().optional(),
});
export type RunFailure = TypeOf<typeof runFailure>;

/** The failure that middleware ends a run with (`TurnFailure` of the plugin interface). */
export const endFailure = z.object({
  kind: z.enum(failureKinds),
  limit: z.enum(budgetLimits).exactOptional(),
  code: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  message: z.string().refine((message) => message.trim() !== ""),
  retryable: z.boolean(),
});

/** How a hook has ended the run: with a message, with a failure, or because that gate did not work. */
export const storedVerdict = z.union([
  z.object({ message: z.string() }),
  z.object({ gate: z.string() }),
  z.object({ failure: endFailure }),
]);
export type Verdict = Readonly<z.infer<typeof storedVerdict>>;
