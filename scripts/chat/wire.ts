/**
 * What the oracle sends, as schemas: records of its JSON routes (contract/oracle.md sections 1, 3.3, 6.1, 7) and the
 * frames of a turn (section 4.2). Only what this client uses is named; more may come and is let through unread.
 */
import * as z from "zod";
import type { Frame } from "./frames.ts";

/** By its letters (DID Core 3.1): a server chooses its own name, which lands on terminals and in shell scripts. */
export const DID = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/;
export const didDocument = z.object({ id: z.string().regex(DID) });

/** The one error body of all routes; `message` is a sentence for the user. */
export const errorBody = z.object({
  message: z.string(),
  requestId: z.string().optional(),
  /** Of a 401: what is wrong with the token. */
  reason: z.string().optional(),
});

export const sessionRecord = z.object({ sessionId: z.string(), title: z.string(), lastUpdatedAt: z.string() });
export type SessionRecord = z.output<typeof sessionRecord>;

export const sessionList = z.object({ sessions: z.array(sessionRecord), total: z.int() });

const messageRecord = z.object({
  type: z.enum(["human", "ai"]),
  content: z.string(),
  toolCalls: z.array(z.object({ name: z.string(), status: z.string() })).optional(),
});
export type MessageRecord = z.output<typeof messageRecord>;

export const transcript = z.object({ messages: z.array(messageRecord) });

const modelRow = z.object({ id: z.string(), label: z.string(), blurb: z.string(), costLabel: z.string() });
export type ModelRow = z.output<typeof modelRow>;

export const modelList = z.object({ models: z.array(modelRow), default: z.string() });
export type ModelList = z.output<typeof modelList>;

export const preferences = z.record(z.string(), z.unknown());

export const abortReply = z.object({ success: z.boolean() });

export const activeRun = z.object({ run: z.object({ runId: z.string() }).nullable() });

const endings = z.enum(["finished", "aborted", "interrupted", "failed"]);
export type Ending = z.output<typeof endings>;

const call = {
  toolName: z.string(),
  args: z.record(z.string(), z.unknown()),
  status: z.enum(["isRunning", "done", "error"]),
  output: z.string().optional(),
  error: z.string().optional(),
};

const turnEvent = z.discriminatedUnion("event", [
  z.object({
    event: z.literal("run"),
    data: z.object({
      runId: z.string(),
      resumed: z.boolean().optional(),
      /** UTF-16 units of the answer that a restart kept. */
      partialLength: z.int().min(0).optional(),
    }),
  }),
  z.object({ event: z.literal("reasoning"), data: z.object({ reasoning: z.string() }) }),
  z.object({ event: z.literal("tool_call"), data: z.object({ ...call, eventId: z.string() }) }),
  z.object({ event: z.literal("action_call"), data: z.object({ ...call, toolCallId: z.string() }) }),
  z.object({ event: z.literal("message"), data: z.object({ content: z.string() }) }),
  z.object({
    event: z.literal("error"),
    data: z.object({
      error: z.string(),
      kind: z.string(),
      retryable: z.boolean(),
      /** Milliseconds until the model's service may be asked again. */
      retryAfterMs: z.number().optional(),
    }),
  }),
  z.object({
    event: z.literal("done"),
    data: z.object({
      status: endings,
      /** Of an ending other than `finished`: the text that the transcript kept, in place of what was shown. */
      partialText: z.string().optional(),
      delegationRequired: z.boolean().optional(),
    }),
  }),
]);
export type TurnEvent = z.output<typeof turnEvent>;

const eventNames: ReadonlySet<string> = new Set(turnEvent.options.map((option) => option.shape.event.value));

/** Undefined for an event that this client has no use for; `unreadable` for one whose data is not as promised. */
export function readEvent(frame: Frame): TurnEvent | "unreadable" | undefined {
  if (!eventNames.has(frame.event)) return undefined;
  const parsed = turnEvent.safeParse(frame);
  return parsed.success ? parsed.data : "unreadable";
}
