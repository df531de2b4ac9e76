/**
 * One request to a model through the AI SDK's provider interface: sends it, retries when the service refuses before its first
 * token, and reads the answer as it arrives. A wait that the service asks for is kept up to a minute; a longer one is the user's
 * decision, so the failure carries it.
 */
import type { LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { GATEWAY_STATUSES } from "../../platform/http/gateway-statuses.ts";
import type { ModelCallUse } from "../runs/run-usage.ts";
import type { ModelFailure, ModelProvider } from "../models/model-port.ts";
import { pause } from "../../platform/pause.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { After } from "../runs/frames.ts";
import type { ModelCallRequest, ModelTool, ModelCallResult, ModelToolCall } from "../framework/model-call.ts";
import type { FinishReason } from "../../protocol/records.ts";
import { type JsonValue, parseJson } from "../../platform/json.ts";
import { createThinkingTags } from "../models/thinking-tags.ts";

/** Maximum wait between two tries, milliseconds. */
export const LONGEST_RETRY_WAIT_MS = 60_000;
/** Wait before the second try if the service names none, milliseconds; it doubles with each further try. */
export const FIRST_RETRY_WAIT_MS = 2_000;

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly classify: (error: unknown) => ModelFailure;
  /** Rejects as soon as the signal fires. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called before each wait. */
  readonly onWait: (failure: ModelFailure, milliseconds: number) => void;
}

/** Shows waits to the user. `after` runs the work once after that time; the function it returns cancels it. */
export function retryPolicy(
  models: Pick<ModelProvider, "maxRetries" | "classify">,
  active: Pick<ActiveRun, "notice">,
  after: After,
): RetryPolicy {
  return {
    maxRetries: models.maxRetries,
    classify: models.classify,
    pause: (milliseconds, signal) => pause(milliseconds, signal, after),
    onWait: (failure, milliseconds) => active.notice(waiting(failure, milliseconds)),
  };
}

function waiting(failure: ModelFailure, milliseconds: number): ModelFailure {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const reason =
    failure.kind === "rate_limit" ? "The model is receiving too many requests." : "The model did not answer.";
  return {
    ...failure,
    message: `${reason} Trying again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    detail: "model_retry",
    retryable: true,
    retryAfterMs: milliseconds,
  };
}

export type ModelRequest = Required<Pick<Parameters<LanguageModelV4["doStream"]>[0], "prompt" | "abortSignal">> & {
  readonly tools: LanguageModelV4FunctionTool[];
};

/** Counts the requests of one answer. */
export interface CallMeter {
  /** Reserves the cost of a request; throws when the budget has too little left. */
  readonly begin: () => Promise<ModelCallUse>;
  /** The request has failed and costs what it has used so far. */
  readonly lost: (use: ModelCallUse) => void;
}

/** An open answer and its counter. */
interface OpenAnswer {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  readonly use: ModelCallUse;
}

/**
 * Only opening the stream is retried, since a later failure comes after a part of the answer. A request counts from before it is
 * sent, unless the service refuses it. If the service may have read the prompt, the retry counts as a separate request.
 */
export async function openModelStream(
  model: LanguageModelV4,
  { prompt, abortSignal, tools }: ModelRequest,
  meter: CallMeter,
  { maxRetries, classify, pause, onWait }: RetryPolicy,
): Promise<OpenAnswer> {
  const options = {
    prompt,
    abortSignal,
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: "auto" as const } }),
  };
  let use = await meter.begin();
  for (let retry = 0; ; retry += 1) {
    if (abortSignal.aborted) throw new ModelError(abortSignal.reason);
    use.sends();
    try {
      const { stream } = await model.doStream({ ...options, maxOutputTokens: use.maxOutputTokens });
      return { stream, use };
    } catch (error) {
      if (abortSignal.aborted) throw new ModelError(error);
      const failure = classify(error);
      const isRead = mayBeRead(failure);
      if (isRead) meter.lost(use);
      else use.refused();
      if (retry >= maxRetries) throw new ModelError(error);
      const wait = waitBefore(failure, retry);
      if (wait === undefined) throw new ModelError(error);
      onWait(failure, wait);
      await pause(wait, abortSignal);
      if (isRead) use = await meter.begin();
    }
  }
}

/** Undefined when a retry would not help, or not soon enough. */
function waitBefore(failure: ModelFailure, retry: number): number | undefined {
  if (!isTemporary(failure)) return undefined;
  const { retryAfterMs } = failure;
  if (retryAfterMs === undefined) return FIRST_RETRY_WAIT_MS * 2 ** retry;
  return retryAfterMs <= LONGEST_RETRY_WAIT_MS ? retryAfterMs : undefined;
}

/** A service that exceeds our own time limit is not retried; a service that answers 408 is. */
function isTemporary({ kind, retryable, status }: ModelFailure): boolean {
  return retryable && (kind !== "timeout" || status !== undefined);
}

/** Failures without a status: a lost connection, a silent service, an answer that breaks the protocol. */
const READ_KINDS: ReadonlySet<ModelFailure["kind"]> = new Set(["network", "timeout", "server"]);

/** Whether the service may have read the prompt, and bill it. An error response is not billed. */
function mayBeRead({ kind, status }: ModelFailure): boolean {
  return status === undefined ? READ_KINDS.has(kind) : GATEWAY_STATUSES.has(status);
}

/** The tools in the form of the provider interface. */
export function functionTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
  }));
}

export interface Question extends Pick<ModelCallRequest, "system" | "messages"> {
  readonly abortSignal: AbortSignal;
}

/** One complete answer to a question without tools. */
export async function askOnce(
  model: LanguageModelV4,
  question: Question,
  meter: CallMeter,
  retry: RetryPolicy,
): Promise<ModelCallResult> {
  const { system, messages } = question;
  const prompt: ModelRequest["prompt"] = [{ role: "system", content: system }, ...messages];
  const asked = { prompt, tools: [], abortSignal: question.abortSignal };
  const { stream, use } = await openModelStream(model, asked, meter, retry);
  const answer = await runModelStep({
    stream,
    say: () => undefined,
    think: () => undefined,
    received: (units) => use.received(units),
  });
  use.reported(answer.usage);
  return answer;
}

/**
 * How much a model that never waits may stream before it yields to the event loop, UTF-16 units. Without this limit, storage and
 * the isolate's other sessions would starve.
 */
const UNINTERRUPTED_SIZE = 4096;
/** The limit before the first yield, UTF-16 units: the first frame leaves early, and a shorter answer is stored with its end. */
const FIRST_UNINTERRUPTED_SIZE = 256;
/** Cost of a part besides its text. */
const PART_SIZE = 8;

export interface StepRequest {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
  /** Called with the UTF-16 units that have arrived, including a tool's input before its call is complete. */
  readonly received?: (units: number) => void;
}

/** Its cause is the service's failure, for the caller to classify. Any other error is a bug. */
export class ModelError extends Error {
  override readonly name = "ModelError";

  constructor(cause: unknown) {
    super("the model failed", { cause });
  }
}

/**
 * Reads one answer: passes text and thinking on, and returns the text with the tool calls. Throws a ModelError when the model
 * fails.
 */
export async function runModelStep({ stream, say, think, received }: StepRequest): Promise<ModelCallResult> {
  const toolCalls: ModelToolCall[] = [];
  /** Tool calls whose input arrived in parts. */
  const streamed = new Set<string>();
  let said = "";
  const text = createThinkingTags({
    say(delta) {
      said += delta;
      say(delta);
    },
    think,
  });
  let end: Pick<ModelCallResult, "finishReason" | "usage"> = {
    finishReason: "other",
    usage: { inputTokens: undefined, outputTokens: undefined },
  };
  try {
    for await (const part of yielding(stream)) {
      if ("delta" in part) received?.(part.delta.length);
      if (part.type === "tool-input-delta") streamed.add(part.id);
      else if (part.type === "tool-call" && !streamed.has(part.toolCallId)) received?.(part.input.length);
      if (part.type === "text-delta") text.push(part.delta);
      else if (part.type === "reasoning-delta") think(part.delta);
      else if (part.type === "tool-call") toolCalls.push(toolCall(part));
      else if (part.type === "error") throw new ModelError(part.error);
      else if (part.type === "finish") {
        const { inputTokens, outputTokens } = part.usage;
        end = {
          finishReason: finishReasons[part.finishReason.unified] ?? "other",
          usage: { inputTokens: inputTokens.total, outputTokens: outputTokens.total },
        };
      }
    }
  } finally {
    text.flush();
  }
  return { text: said, toolCalls, ...end };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/**
 * Passes the parts on, and yields to the event loop after each `UNINTERRUPTED_SIZE` without a wait, the first time sooner. Leaving
 * the loop cancels the model's request.
 */
async function* yielding(stream: ReadableStream<LanguageModelV4StreamPart>) {
  const reader = stream.getReader();
  let room = FIRST_UNINTERRUPTED_SIZE;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(failed);
      if (done) return;
      yield value;
      room -= PART_SIZE + ("delta" in value ? value.delta.length : 0);
      if (room > 0) continue;
      room = UNINTERRUPTED_SIZE;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function failed(cause: unknown): never {
  throw new ModelError(cause);
}

/** Arguments that are not JSON stay the text that the model wrote. */
function toolCall({
  toolCallId: id,
  toolName: name,
  input,
}: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): ModelToolCall {
  if (input.trim() === "") return { id, name, args: {} };
  const parsed = parseJson(input);
  return { id, name, args: parsed.ok ? (parsed.value as JsonValue) : input };
}
