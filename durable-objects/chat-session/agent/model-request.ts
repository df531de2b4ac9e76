/**
 * One request to a model through the AI SDK's provider interface: how tools are described to it, and how it is sent again
 * when the model's service refuses before its first token. A wait that the service names is kept up to a minute; a longer
 * one is the user's decision, so the failure carries it.
 */
import type { LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { estimateTokens } from "../runs/step-store.ts";
import { ModelError, runModelStep } from "./model-step.ts";
import type { ModelFailure } from "../model-port.ts";
import type { ModelTool } from "../../../workers/oracle/framework/middleware.ts";

/** The longest wait between two tries, milliseconds. */
export const LONGEST_RETRY_WAIT_MS = 60_000;
/** The wait before the second try when the service names none, milliseconds; it doubles with each further one. */
export const FIRST_RETRY_WAIT_MS = 2_000;

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly classify: (error: unknown) => ModelFailure;
  /** Rejects as soon as the signal fires. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called before each wait. */
  readonly onWait: (failure: ModelFailure, milliseconds: number) => void;
}

export type ModelRequest = Required<Pick<Parameters<LanguageModelV4["doStream"]>[0], "prompt" | "abortSignal">> & {
  readonly tools: LanguageModelV4FunctionTool[];
};

/** Only opening the stream is repeated: a later failure comes after a part of the answer. */
export async function openModelStream(
  model: LanguageModelV4,
  { prompt, abortSignal, tools }: ModelRequest,
  { maxRetries, classify, pause, onWait }: RetryPolicy,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const options = {
    prompt,
    abortSignal,
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: "auto" as const } }),
  };
  for (let retry = 0; ; retry += 1) {
    try {
      return (await model.doStream(options)).stream;
    } catch (error) {
      if (abortSignal.aborted || retry >= maxRetries) throw new ModelError(error);
      const failure = classify(error);
      const wait = waitBefore(failure, retry);
      if (wait === undefined) throw new ModelError(error);
      onWait(failure, wait);
      await pause(wait, abortSignal);
    }
  }
}

/** Undefined when another try would not help, or not soon enough. */
function waitBefore(failure: ModelFailure, retry: number): number | undefined {
  if (!isTemporary(failure)) return undefined;
  const { retryAfterMs } = failure;
  if (retryAfterMs === undefined) return FIRST_RETRY_WAIT_MS * 2 ** retry;
  return retryAfterMs <= LONGEST_RETRY_WAIT_MS ? retryAfterMs : undefined;
}

/** A service that did not answer within our own time limit is not asked again; one that answers 408 itself is. */
function isTemporary({ kind, retryable, status }: ModelFailure): boolean {
  return retryable && (kind !== "timeout" || status !== undefined);
}

/** The tools as the provider interface has them. */
export function functionTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
  }));
}

export interface Question {
  readonly system: string;
  readonly text: string;
  readonly abortSignal: AbortSignal;
}

/** One answer without tools, whole. */
export async function askOnce(model: LanguageModelV4, { system, text, abortSignal }: Question, retry: RetryPolicy) {
  const prompt: ModelRequest["prompt"] = [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text }] },
  ];
  const stream = await openModelStream(model, { prompt, tools: [], abortSignal }, retry);
  const answer = await runModelStep({ stream, say: () => undefined, think: () => undefined });
  const { inputTokens, outputTokens } = answer.usage;
  return {
    text: answer.text,
    usage: {
      inputTokens: inputTokens ?? estimateTokens(system.length + text.length),
      outputTokens: outputTokens ?? estimateTokens(answer.text.length),
    },
  };
}
