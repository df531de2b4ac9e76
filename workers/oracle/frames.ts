/**
 * The frames of a turn as schemas, for the API description: what `data` holds for each `event` of a stream. OpenAPI has no
 * place of its own for them, so they stand beside the stream as the schema of one item.
 */
import * as z from "zod";
import { finishReason, jsonObject, timestamp } from "./records.ts";

const turn = { sessionId: z.string(), requestId: z.string() };

const call = {
  ...turn,
  toolName: z.string(),
  args: jsonObject().meta({ description: "The arguments, and `toolName` once more." }),
  status: z.enum(["isRunning", "done", "error"]),
  output: z.string().optional().meta({ description: "A text as it is, anything else as JSON." }),
  error: z.string().optional(),
};

function frame<Name extends string, Data extends z.ZodType>(event: Name, data: Data) {
  return z.object({ event: z.literal(event), id: z.int().meta({ description: "Grows within a run." }), data });
}

export const turnFrame = z
  .discriminatedUnion("event", [
    frame(
      "run",
      z.object({
        runId: z.string(),
        ...turn,
        resumed: z.literal(true).optional(),
        attempt: z.int().optional(),
        partialLength: z
          .int()
          .optional()
          .meta({ description: "UTF-16 units of the answer that a restart kept; what was shown beyond them is void." }),
      }),
    ),
    frame(
      "reasoning",
      z.object({
        ...turn,
        reasoning: z.string().meta({ description: "A piece of the model's thinking." }),
        reasoningDetails: z.array(z.object({ type: z.literal("thinking"), text: z.string() })).optional(),
        isComplete: z.boolean(),
        timestamp: timestamp(),
      }),
    ),
    frame("tool_call", z.object({ ...call, eventId: z.string() })),
    frame("action_call", z.object({ ...call, toolCallId: z.string() })),
    frame(
      "message",
      z.object({ content: z.string().meta({ description: "A piece of the answer." }), timestamp: timestamp() }),
    ),
    frame(
      "error",
      z.object({
        error: z.string().meta({ description: "A sentence for the user." }),
        kind: z.enum(["rate_limit", "billing", "auth", "timeout", "server", "network", "unknown"]),
        retryable: z.boolean(),
        source: z.enum(["provider", "platform"]).optional(),
        provider: z.string().optional(),
        providerLabel: z.string().optional(),
        status: z.int().optional(),
        detail: z.string().optional().meta({
          description:
            "One word for programs. With one of these the turn goes on: `answer_cut_off`, `answer_filtered`, `answer_empty`, `conversation_shortened`, `model_retry`, `client_tool_left_out`, `delegation_required`.",
        }),
        retryAfterMs: z
          .int()
          .optional()
          .meta({ description: "Milliseconds until the model's service may be asked again." }),
        ...turn,
        runId: z.string(),
        timestamp: timestamp(),
      }),
    ),
    frame(
      "done",
      z.object({
        runId: z.string(),
        requestId: z.string(),
        status: z.enum(["finished", "aborted", "failed", "interrupted"]),
        finishReason: finishReason.optional().meta({ description: "Why the model stopped, of a finished turn." }),
        messageId: z.string().optional(),
        aborted: z.literal(true).optional(),
        failed: z.literal(true).optional(),
        interrupted: z.literal(true).optional(),
        partialText: z
          .string()
          .optional()
          .meta({ description: "Unless the turn finished: the text that was kept, in place of what was shown." }),
        delegationRequired: z.literal(true).optional(),
      }),
    ),
  ])
  .meta({ id: "TurnFrame", description: "One server-sent event, its `data` parsed." });
