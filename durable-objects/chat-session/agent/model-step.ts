/**
 * One step of the model through the AI SDK: streams its text and thinking out as they come and answers with the tool
 * calls that it wants. Running them is the turn's business, so that each is recorded before it begins.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import {
  jsonSchema,
  streamText,
  tool,
  type FinishReason as SdkFinishReason,
  type FlexibleSchema,
  type ModelMessage,
  type ToolSet,
} from "ai";
import * as z from "zod";
import { depthOf, isJsonObject, type JsonObject, type JsonValue } from "../../../workers/platform/json.ts";
import { joiningDeltas } from "./joined-deltas.ts";
import type { AgentTool } from "../plugin.ts";
import type { FinishReason } from "../../../protocol/records.ts";
import { createThinkingTags } from "./thinking-tags.ts";

/** How large the arguments of one call may be, UTF-16 units of their JSON: a call is stored in one row and twice in frames. */
export const CALL_INPUT_SIZE = 128 * 1024;
/** How deep they may be nested: whoever writes deeper values as JSON runs out of stack. */
export const CALL_INPUT_DEPTH = 100;

export interface StepRequest {
  /** Repeats what may be repeated by itself. */
  readonly model: LanguageModelV4;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
}

export interface WantedCall {
  readonly modelCallId: string;
  readonly name: string;
  readonly input: unknown;
  readonly args: JsonObject;
  /** Why the call cannot be made: an unknown tool, or arguments that its schema refuses or nobody could keep. */
  readonly problem?: string;
}

export interface StepOutcome {
  readonly wanted: readonly WantedCall[];
  readonly finishReason: FinishReason;
  /** Absent counts are the model's to give; a service that gives none leaves them undefined. */
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

/** Throws whatever the model failed with; the caller classifies it. */
export async function runModelStep(request: StepRequest): Promise<StepOutcome> {
  const { stream } = streamText({
    model: joiningDeltas(request.model),
    // The model repeats by itself what may be repeated, and says so.
    maxRetries: 0,
    instructions: request.system,
    messages: [...request.messages],
    tools: toolSet(request.tools),
    abortSignal: request.signal,
    // Failures are read from the stream; without a handler the SDK would also print them.
    onError: () => undefined,
  });
  const wanted: WantedCall[] = [];
  const text = createThinkingTags(request);
  let end: Pick<StepOutcome, "finishReason" | "usage"> = {
    finishReason: "other",
    usage: { inputTokens: undefined, outputTokens: undefined },
  };
  for await (const part of stream) {
    if (part.type === "text-delta") text.push(part.text);
    else if (part.type === "reasoning-delta") request.think(part.text);
    else if (part.type === "error") {
      text.flush();
      throw part.error;
    } else if (part.type === "tool-call") wanted.push(wantedCall(part, request.tools));
    else if (part.type === "finish-step") {
      const { inputTokens, outputTokens } = part.usage;
      end = { finishReason: finishReasons[part.finishReason], usage: { inputTokens, outputTokens } };
    }
  }
  text.flush();
  return { wanted, ...end };
}

const finishReasons: Readonly<Record<SdkFinishReason, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "other",
  interrupted: "other",
  other: "other",
};

function wantedCall(
  part: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown; readonly invalid?: boolean },
  tools: readonly AgentTool[],
): WantedCall {
  const { toolCallId: modelCallId, toolName: name, input } = part;
  const call = { modelCallId, name };
  if (!isBounded(input)) return { ...call, input: {}, args: {}, problem: "The arguments are too large" };
  const known = tools.find((tool) => tool.name === name);
  const unusable = part.invalid === true;
  return {
    ...call,
    input,
    args: isJsonObject(input) ? input : {},
    ...(unusable ? { problem: known === undefined ? "There is no such tool" : misfit(known, input) } : {}),
  };
}

/** What is no JSON at all, such as no input, is small. */
function isBounded(input: unknown): boolean {
  return depthOf(input) <= CALL_INPUT_DEPTH && (JSON.stringify(input) ?? "").length <= CALL_INPUT_SIZE;
}

/** The tools as the model sees them: described, never executed by the SDK. */
function toolSet(tools: readonly AgentTool[]): ToolSet {
  return Object.fromEntries(
    tools.map((each) => [each.name, tool({ description: each.description, inputSchema: schemaOf(each) })]),
  );
}

function schemaOf(each: AgentTool): FlexibleSchema<unknown> {
  const { inputSchema } = each;
  if (inputSchema instanceof z.ZodType) return inputSchema;
  if (!("runsIn" in each)) return jsonSchema(inputSchema);
  return jsonSchema(inputSchema, {
    validate(value) {
      const problem = isBounded(value) ? each.misfitOf(value as JsonValue) : "too large";
      return problem === undefined ? { success: true, value } : { success: false, error: new Error(problem) };
    },
  });
}

/** What to tell the model of arguments that were refused; the client's own schema says where they are wrong. */
function misfit(known: AgentTool, input: unknown): string {
  const reason = "runsIn" in known ? known.misfitOf((input ?? null) as JsonValue) : undefined;
  return `The arguments do not fit the tool${reason === undefined ? "" : ` (${reason})`}`;
}
