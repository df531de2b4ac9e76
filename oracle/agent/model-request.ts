/**
 * One request to a model through the AI SDK's provider interface: how tools are described to it, and how it is sent again
 * when the model's service refuses before its first token. A wait that the service names is kept up to a minute; a longer
 * one is the user's decision, so the failure carries it.
 */
import type {
  LanguageModelV4,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { GATEWAY_STATUSES } from "../../platform/http/gateway-statuses.ts";
import { CHARACTERS_PER_TOKEN } from "../runs/step-store.ts";
import type { ModelCallUse } from "../runs/run-usage.ts";
import { ModelError, runModelStep } from "./model-step.ts";
import type { ModelFailure } from "../models/model-port.ts";
import type { ModelCallRequest, ModelTool, ModelCallResult } from "../framework/model-call.ts";

/** The longest wait between two tries, milliseconds. */
export const LONGEST_RETRY_WAIT_MS = 60_000;
/** The wait before the second try when the service names none, milliseconds; it doubles with each further one. */
export const FIRST_RETRY_WAIT_MS = 2_000;
/** What an image or another file in a prompt is taken to have, tokens: services count 300 to 1,600 for a large image. */
export const FILE_TOKENS = 1_600;
/** The most that a service counts for one, tokens: small models that bill an image as many tiles come to about 37,000. */
export const MOST_FILE_TOKENS = 40_000;
/** What each message and each tool has beside its texts, tokens: its role, its marks. */
const FRAME_TOKENS = 8;

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

/** What counts the requests of one answer. */
export interface CallMeter {
  /** Reserves what a request may cost; throws when that is not there. */
  readonly begin: () => Promise<ModelCallUse>;
  /** The request has failed and costs what it has cost so far. */
  readonly lost: (use: ModelCallUse) => void;
}

/** The answer to a request, and what counts it. */
interface OpenAnswer {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  readonly use: ModelCallUse;
}

/**
 * Only opening the stream is repeated: a later failure comes after a part of the answer. Each request counts from before it is
 * sent, unless the service refuses it. After one that the service may have read, the next is a request of its own.
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

/** Without a status: a connection that was lost, a service that was silent for too long, an answer that is not of its protocol. */
const READ_KINDS: ReadonlySet<ModelFailure["kind"]> = new Set(["network", "timeout", "server"]);

/** The service may have read the prompt, and bill it. One that answers with an error itself does not. */
function mayBeRead({ kind, status }: ModelFailure): boolean {
  return status === undefined ? READ_KINDS.has(kind) : GATEWAY_STATUSES.has(status);
}

/** What a prompt has, tokens. */
export interface PromptSize {
  /** An estimate: what most texts come to. */
  readonly tokens: number;
  /** No tokenizer makes more of it: a token has at least one byte of a text as UTF-8. */
  readonly most: number;
}

type Prompt = Pick<ModelCallRequest, "system" | "messages" | "tools">;

/** Images and other files count too, wherever they stand. */
export function promptSize({ system, messages, tools }: Prompt): PromptSize {
  const size = { ascii: 0, other: 0, files: 0 };
  addText(size, system);
  for (const { content } of messages) addContent(size, content);
  for (const tool of tools) {
    const { ascii, other } = toolSize(tool);
    size.ascii += ascii;
    size.other += other;
  }
  const frames = (1 + messages.length + tools.length) * FRAME_TOKENS;
  return {
    // A unit beyond ASCII is a token of its own in most tokenizers, and three bytes at most.
    tokens: Math.ceil(size.ascii / CHARACTERS_PER_TOKEN) + size.other + size.files * FILE_TOKENS + frames,
    most: size.ascii + 3 * size.other + size.files * MOST_FILE_TOKENS + frames,
  };
}

interface TextSize {
  /** UTF-16 units. */
  ascii: number;
  other: number;
}

function addText(size: TextSize, text: string): void {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) other += 1;
  size.other += other;
  size.ascii += text.length - other;
}

function addContent(size: TextSize & { files: number }, content: LanguageModelV4Message["content"]): void {
  if (typeof content === "string") return addText(size, content);
  for (const part of content) {
    if (part.type === "text" || part.type === "reasoning") addText(size, part.text);
    else if (part.type === "file" || part.type === "reasoning-file") size.files += 1;
    else if (part.type === "tool-call") addText(size, part.toolName + JSON.stringify(part.input ?? null));
    else if (part.type === "tool-result") {
      const { output } = part;
      // Files that a tool returned are counted, not read: as JSON their bytes would be text.
      if (output.type !== "content") addText(size, JSON.stringify(output));
      else
        for (const each of output.value) {
          if (each.type === "text") addText(size, each.text);
          else size.files += 1;
        }
    }
  }
}

/** A tool stays the same over the steps of its turn. */
const toolSizes = new WeakMap<object, TextSize>();

function toolSize({ name, description, inputSchema }: ModelTool): TextSize {
  const known = toolSizes.get(inputSchema);
  if (known !== undefined) return known;
  const size = { ascii: 0, other: 0 };
  for (const text of [name, description, JSON.stringify(inputSchema)]) addText(size, text);
  toolSizes.set(inputSchema, size);
  return size;
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

export interface Question extends Pick<ModelCallRequest, "system" | "messages"> {
  readonly abortSignal: AbortSignal;
}

/** One answer, whole, to a question without tools. */
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
