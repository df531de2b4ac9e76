/**
 * The built-in development model: deterministic, offline, a pure function of the messages, the tools and the preferences in the
 * system prompt. This file reads a prompt of the provider interface and streams a script; answer.ts decides the answer. It reads
 * the last user message with its readable attachments, the results of the tools called since, and the system prompt. It ignores
 * everything older, which keeps the model predictable.
 */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
  type LanguageModelV4Message,
  type LanguageModelV4ToolResultOutput,
  type LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { answer, type ProviderFailureKind, type Script, type Conversation } from "./answer.ts";
import { pause } from "../../../platform/pause.ts";
import type { Timers } from "../timeouts.ts";

export interface LocalModelParts {
  readonly modelId: string;
  readonly timers: Timers;
  /** Ids of tool calls, unique like other models' ids. */
  readonly mintId: () => string;
}

export function createLocalModel({ modelId, timers, mintId }: LocalModelParts): LanguageModelV4 {
  const perform = (options: LanguageModelV4CallOptions, signal: AbortSignal) =>
    play(answer(readConversation(options)), { timers, mintId, signal, inputTokens: countWords(options) });
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

/** One part per pull: the model stops when its reader stops. */
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
  throw new Error("The local model ended without a finish part");
}

function countWords({ prompt }: LanguageModelV4CallOptions): number {
  const texts = prompt.flatMap((message) =>
    message.role === "system"
      ? [message.content]
      : message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  return texts.reduce((words, text) => words + (text.match(/\S+/g)?.length ?? 0), 0);
}

export interface Stage {
  readonly timers: Timers;
  readonly mintId: () => string;
  readonly signal: AbortSignal;
  readonly inputTokens: number;
}

async function* play(script: Script, stage: Stage): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  let open: { readonly type: "text" | "reasoning"; readonly id: string } | undefined;
  let unified: "stop" | "tool-calls" | "error" = "stop";
  let blocks = 0;
  let words = 0;
  for (const beat of script) {
    stage.signal.throwIfAborted();
    if (open !== undefined && beat.type !== "pause" && beat.type !== open.type) {
      yield { type: `${open.type}-end`, id: open.id };
      open = undefined;
    }
    switch (beat.type) {
      case "text":
      case "reasoning":
        if (open === undefined) {
          open = { type: beat.type, id: `${beat.type}-${blocks}` };
          blocks += 1;
          yield { type: `${beat.type}-start`, id: open.id };
        }
        words += 1;
        yield { type: `${beat.type}-delta`, id: open.id, delta: beat.delta };
        break;
      case "pause":
        await pause(beat.milliseconds, stage.signal, stage.timers.after);
        break;
      case "call": {
        unified = "tool-calls";
        const id = stage.mintId();
        const input = JSON.stringify(beat.input);
        yield { type: "tool-input-start", id, toolName: beat.toolName };
        yield { type: "tool-input-delta", id, delta: input };
        yield { type: "tool-input-end", id };
        yield { type: "tool-call", toolCallId: id, toolName: beat.toolName, input };
        break;
      }
      case "fail":
        unified = "error";
        yield { type: "error", error: providerFailure(beat.kind) };
        break;
    }
  }
  if (open !== undefined) yield { type: `${open.type}-end`, id: open.id };
  yield { type: "finish", finishReason: { unified, raw: unified }, usage: usage(stage.inputTokens, words) };
}

/** Counts words as tokens: enough to show that usage is passed on. */
function usage(input: number, output: number): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

const RATE_LIMIT_SECONDS = "1";

interface ProviderRefusal {
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly isRetryable?: boolean;
  readonly cause?: Error;
}

const refusals: Readonly<Record<ProviderFailureKind, ProviderRefusal>> = {
  rate_limit: { statusCode: 429, responseHeaders: { "retry-after": RATE_LIMIT_SECONDS } },
  billing: { statusCode: 402 },
  auth: { statusCode: 401 },
  timeout: { statusCode: 408 },
  server: { statusCode: 500 },
  network: { isRetryable: true, cause: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) },
  // No service fails with these.
  unknown: {},
};

function providerFailure(kind: ProviderFailureKind): APICallError {
  return new APICallError({
    message: `The local model fails on request: ${kind}`,
    url: "local:model",
    requestBodyValues: {},
    ...refusals[kind],
  });
}

function readConversation(options: LanguageModelV4CallOptions): Conversation {
  const { prompt } = options;
  const texts = userTexts(prompt.findLast((message) => message.role === "user"));
  const lastStep = prompt.findLastIndex((message) => message.role !== "tool");
  return {
    systemPrompt: prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n"),
    userText: texts[0] ?? "",
    attachmentTexts: texts.slice(1),
    toolResults: prompt
      .slice(lastStep + 1)
      .flatMap((message): readonly object[] => (message.role === "tool" ? message.content : []))
      .filter(isToolResult)
      .map((part) => ({ toolName: part.toolName, output: outputText(part.output) })),
    tools: (options.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.type === "function" ? tool.description : undefined,
    })),
  };
}

/**
 * The message itself, then everything else that can be read as text: further text parts and inline text files; a line for other
 * files.
 */
function userTexts(message: LanguageModelV4Message | undefined): readonly string[] {
  if (message?.role !== "user") return [];
  return message.content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    const { data, mediaType } = part;
    if (data.type === "text") return [data.text];
    if (data.type !== "data") return [];
    const bytes = typeof data.data === "string" ? atob(data.data).length : data.data.byteLength;
    return [`${mediaType.startsWith("image") ? "Image" : "File"}: ${mediaType}, ${bytes} bytes`];
  });
}

function isToolResult(part: object): part is LanguageModelV4ToolResultPart {
  return "type" in part && part.type === "tool-result";
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "denied";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  }
}
