/**
 * The request of a run, as the surface passes it on and the session stores it until the run has ended, and the reason of a failed
 * run.
 */
import * as z from "zod";
import { budgetLimits, failureKinds } from "../protocol/frames.ts";
import { jsonObject, type TypeOf } from "../protocol/json.ts";
import { clientCapabilities } from "../protocol/requests.ts";
import type { TokenGrant } from "./user-vault-rpc.ts";
import { delegation } from "./framework/delegation.ts";

/** Limits are checked where the request is received, so that a stored request stays readable when they change. */
const clientTool = z.object({
  name: z.string(),
  description: z.string(),
  schema: jsonObject(),
  hasRender: z.boolean().optional(),
});

/** Erased with the request when the run has ended: the transcript contains no keys. */
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
  /** A UUID, the second half of the run's id: the run's usage is counted under it. */
  runKey: z.string().optional(),
  /** The client's own id of the message: a repeated message returns the run of the first request. */
  clientMessageId: z.string().optional(),
  requestId: z.string(),
  client: z.string(),
  /** Requests of an earlier version have none: `WEB_CLIENT`. */
  capabilities: clientCapabilities.optional(),
  /** The session belongs to a place that several people share: nothing personal is read or stored for it. */
  isShared: z.literal(true).optional(),
  /** The message contains text that the user did not write. */
  isForeign: z.literal(true).optional(),
  /** The DID whose limits and credits the run counts against, if it is not the session's owner. */
  payer: z.string().optional(),
  /** The message closes the questions of earlier runs in the session, so that none of them delays it. */
  endsQuestions: z.literal(true).optional(),
  message: z.string(),
  model: z.string().optional(),
  multitask: z.enum(["interrupt", "enqueue"]),
  timezone: z.string().optional(),
  /** The wanted form of the answer, such as `in Kiswahili, as plain text`: for the model, never shown to the user. */
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

/** The parts of a request that stay in memory until its run has ended and are never stored. */
export interface Unstored {
  /** The user's Matrix token. */
  readonly matrixAccessToken?: string | undefined;
  /** The revision of the user's plugin values when the run was counted; undefined for a run that waited for another. */
  readonly revision?: string | undefined;
  /** The reservation of the day's tokens from when the run was counted. */
  readonly grant?: TokenGrant | undefined;
}

export const runFailure = z.object({
  kind: z.string(),
  /** Absent from runs of an earlier version. */
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  /** The exhausted budget, for `budget_exhausted`. */
  limit: z.string().optional(),
  message: z.string(),
  /** When the model's provider may be retried, milliseconds from the failure. */
  retryAfterMs: z.number().optional(),
});
export type RunFailure = TypeOf<typeof runFailure>;

/** The failure with which middleware ends a run (`TurnFailure` of the plugin interface). */
export const endFailure = z.object({
  kind: z.enum(failureKinds),
  limit: z.enum(budgetLimits).exactOptional(),
  code: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  message: z.string().refine((message) => message.trim() !== ""),
  retryable: z.boolean(),
});

/** How a hook has ended the run: with a message, with a failure, or by failing as a gate. */
export const storedVerdict = z.union([
  z.object({ message: z.string() }),
  z.object({ gate: z.string() }),
  z.object({ failure: endFailure }),
]);
export type Verdict = Readonly<z.infer<typeof storedVerdict>>;
