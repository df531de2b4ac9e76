/**
 * The built-in development model (contract/oracle.md section 10.6): deterministic, offline, a pure function of the
 * messages, the tools and the preferences in the system prompt. `local-model/` holds its mind and its voice; this
 * file only gives them the form of a language model of the AI SDK.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { answer } from "./local-model/answer.ts";
import { play } from "./local-model/play.ts";
import type { Timers } from "./timers.ts";

export interface LocalModelParts {
  readonly modelId: string;
  readonly timers: Timers;
  /** Ids of tool calls; unique, as other models' are. */
  readonly mintId: () => string;
}

export function createLocalModel({ modelId, timers, mintId }: LocalModelParts): LanguageModelV4 {
  const perform = (options: LanguageModelV4CallOptions, signal: AbortSignal) =>
    play(answer(options), { timers, mintId, signal, inputTokens: countWords(options) });
  return {
    specificationVersion: "v4",
    provider: "local",
    modelId,
    supportedUrls: {},
    doStream: async (options) => {
      const gone = new AbortController();
      const signals = options.abortSignal === undefined ? [gone.signal] : [gone.signal, options.abortSignal];
      const parts = perform(options, AbortSignal.any(signals));
      return { stream: toStream(parts, gone) };
    },
    doGenerate: async (options) => collect(perform(options, options.abortSignal ?? new AbortController().signal)),
  };
}

/** One part per pull: a reader who stops reading stops the model. */
function toStream(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  gone: AbortController,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      pull: async (controller) => {
        const next = await parts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: 0 },
  );
}

async function collect(parts: AsyncIterable<LanguageModelV4StreamPart>): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  let block = "";
  for await (const part of parts) {
    if (part.type === "text-start" || part.type === "reasoning-start") block = "";
    if (part.type === "text-delta" || part.type === "reasoning-delta") block += part.delta;
    if (part.type === "text-end") content.push({ type: "text", text: block });
    if (part.type === "reasoning-end") content.push({ type: "reasoning", text: block });
    if (part.type === "tool-call") content.push(part);
    if (part.type === "error") throw part.error;
    if (part.type === "finish") return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
  }
  throw new Error("The local model ended without a finish");
}

function countWords({ prompt }: LanguageModelV4CallOptions): number {
  const texts = prompt.flatMap((message) =>
    message.role === "system"
      ? [message.content]
      : message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  return texts.reduce((words, text) => words + (text.match(/\S+/g)?.length ?? 0), 0);
}
