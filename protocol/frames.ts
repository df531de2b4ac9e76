/**
 * The stream of a run: server-sent events, one row per event with the schema of its `data`. The `id` of each frame
 * grows within its run, and `done` is always the last one.
 */
import * as z from "zod";
import { runErrorCode } from "./errors.ts";
import { growing, jsonObject, pascalCase, timestamp, type TypeOf } from "./json.ts";
import { endedRunStatus, finishReason } from "./records.ts";

const inRun = { sessionId: z.string(), requestId: z.string() };

export const callStatus = z.enum(["isRunning", "done", "error"]);

/** A call of a tool, as frames and socket events describe it. */
export const call = {
  ...inRun,
  toolName: z.string(),
  args: jsonObject().meta({ description: "The arguments, with a copy of `toolName`." }),
  status: callStatus,
  output: z.string().optional().meta({ description: "A text unchanged, any other value as JSON." }),
  error: z.string().optional(),
  agent: z.string().optional().meta({ description: "The sub-agent that makes the call; absent for the main agent." }),
};

export const failureKinds = [
  "rate_limit",
  "billing",
  "auth",
  "timeout",
  "server",
  "network",
  "budget_exhausted",
  "unknown",
] as const;
const failureKind = growing(failureKinds, "unknown");

/** The budget of its turn that a run has used up. */
export const budgetLimits = ["tokens", "tools", "time", "credits", "day"] as const;
const budgetLimit = growing(budgetLimits, "tokens");
export type BudgetLimit = TypeOf<typeof budgetLimit>;

export type FailureKind = TypeOf<typeof failureKind>;

/** Why a run failed, or what went wrong in a run that continues. */
const errorData = z.object({
  error: z.string().meta({ description: "A sentence for the user." }),
  kind: failureKind,
  code: runErrorCode.meta({
    description: "The error as one word for programs, narrower than `kind`. New codes are added over time.",
  }),
  retryable: z.boolean(),
  source: z
    .enum(["provider", "platform"])
    .optional()
    .meta({ description: "`provider` if the model service failed, `platform` if the oracle failed." }),
  provider: z.string().optional(),
  providerLabel: z.string().optional(),
  status: z.int().optional().meta({ description: "The HTTP status of the model service." }),
  limit: z.optional(budgetLimit).meta({ description: "For `budget_exhausted`: the budget that the run used up." }),
  detail: z.string().optional().meta({
    description:
      "One word for programs. After each of these values the run continues: `answer_cut_off`, `answer_filtered`, `answer_empty`, `conversation_shortened`, `conversation_summarised`, `model_retry`, `client_tool_left_out`, `delegation_required`, `middleware_failed`.",
  }),
  retryAfterMs: z
    .int()
    .optional()
    .meta({ description: "Milliseconds to wait before the next request to the model service." }),
  ...inRun,
  runId: z.string(),
  timestamp: timestamp(),
});

export const frames = {
  run: z
    .object({
      runId: z.string(),
      ...inRun,
      resumed: z.literal(true).optional(),
      attempt: z.int().optional(),
      partialLength: z
        .int()
        .min(0)
        .optional()
        .meta({ description: "UTF-16 units of the answer that a restart kept. Discard text beyond that length." }),
    })
    .meta({ description: "The run starts, or continues after a restart of the server (`resumed`)." }),
  reasoning: z
    .object({
      ...inRun,
      reasoning: z.string().meta({ description: "A piece of the model's thinking." }),
      reasoningDetails: z.array(z.object({ type: z.literal("thinking"), text: z.string() })).optional(),
      isComplete: z.boolean(),
      timestamp: timestamp(),
    })
    .meta({ description: "The model's thinking. `isComplete` marks its end." }),
  tool_call: z
    .object({ ...call, eventId: z.string() })
    .meta({ description: "A tool is called or has returned. The two frames of one call have the same `eventId`." }),
  action_call: z
    .object({ ...call, toolCallId: z.string() })
    .meta({ description: "An AG-UI action of the client is called or has returned." }),
  message: z
    .object({ content: z.string().meta({ description: "A piece of the answer." }), timestamp: timestamp() })
    .meta({ description: "The next piece of the answer." }),
  "router.update": z
    .object({ step: z.string(), ...inRun, runId: z.string() })
    .meta({ description: "Another agent takes over: `step` is a sub-agent's name, or `agent` for the main one." }),
  error: errorData.meta({ description: "An error that ended the run, or a warning in a run that continues." }),
  done: z
    .object({
      runId: z.string(),
      requestId: z.string(),
      status: endedRunStatus,
      finishReason: z
        .optional(finishReason)
        .meta({ description: "Why the model stopped. Present only if the run finished." }),
      messageId: z.string().optional(),
      aborted: z.literal(true).optional(),
      failed: z.literal(true).optional(),
      interrupted: z.literal(true).optional(),
      partialText: z
        .string()
        .optional()
        .meta({ description: "For a run that did not finish: the stored text, which replaces the text shown so far." }),
      delegationRequired: z.literal(true).optional(),
    })
    .meta({ description: "The run has ended. No frame follows." }),
};

export type FrameName = keyof typeof frames;
export type FrameData<Name extends FrameName> = TypeOf<(typeof frames)[Name]>;
/** One event of a run. */
export type RunEvent = { [Name in FrameName]: { readonly event: Name; readonly data: FrameData<Name> } }[FrameName];

/** A frame with its data parsed, for descriptions of the protocol. */
export const streamFrame = z
  .union(
    Object.entries(frames).map(([event, data]) =>
      z
        .object({ event: z.literal(event), id: z.int().meta({ description: "Grows within a run." }), data })
        .meta({ id: `${pascalCase(event)}Frame` }),
    ),
  )
  .meta({ id: "StreamFrame", description: "One server-sent event with parsed `data`." });

/** Undefined for an event of a newer server; `malformed` if the data does not fit this version's schema. */
export function readFrame(event: string, data: unknown): RunEvent | "malformed" | undefined {
  if (!isFrameName(event)) return undefined;
  const parsed = frames[event].safeParse(data);
  return parsed.success ? ({ event, data: parsed.data } as RunEvent) : "malformed";
}

function isFrameName(event: string): event is FrameName {
  return Object.hasOwn(frames, event);
}
