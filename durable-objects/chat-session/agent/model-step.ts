/**
 * One step of the model: passes its text and thinking on as they arrive, and returns the tool calls that it wants.
 * Making them is tool-calls.ts's work, so that each is recorded before it begins.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import * as z from "zod";
import type { FinishReason } from "../../../protocol/records.ts";
import { type JsonObject, depthOf, isJsonObject, parseJson } from "../../../workers/platform/json.ts";
import type { BoundTool } from "./run-context.ts";

/** How large the arguments of one call may be, UTF-16 units of their JSON: a call is stored in one row and twice in frames. */
export const CALL_INPUT_SIZE = 128 * 1024;
/** How deep they may be nested: a recursive writer of JSON would run out of stack. */
export const CALL_INPUT_DEPTH = 100;
/**
 * How much a model that never waits may stream before the event loop gets a turn, UTF-16 units. Without it neither
 * stored frames nor other sessions of the isolate would get any time.
 */
const UNINTERRUPTED_SIZE = 4096;
/** What a part counts for beside its text. */
const PART_SIZE = 8;

export interface StepRequest {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  readonly tools: readonly BoundTool[];
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
}

export interface WantedCall {
  readonly modelCallId: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly args: JsonObject;
  /** Why the call cannot be made: an unknown tool, or arguments that its schema refuses or that cannot be stored. */
  readonly problem?: string;
}

export interface StepOutcome {
  readonly wanted: readonly WantedCall[];
  readonly finishReason: FinishReason;
  /** Undefined where the service gives no count. */
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

/** Throws what the model failed with; the caller classifies it. */
export async function runModelStep({ stream, tools, say, think }: StepRequest): Promise<StepOutcome> {
  const wanted: WantedCall[] = [];
  const text = createThinkingTags({ say, think });
  let end: Omit<StepOutcome, "wanted"> = {
    finishReason: "other",
    usage: { inputTokens: undefined, outputTokens: undefined },
  };
  try {
    for await (const part of yielding(stream)) {
      if (part.type === "text-delta") text.push(part.delta);
      else if (part.type === "reasoning-delta") think(part.delta);
      else if (part.type === "tool-call") wanted.push(wantedCall(part, tools));
      else if (part.type === "error") throw part.error;
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
  return { wanted, ...end };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/**
 * The same parts. The event loop gets a turn after the first delta, so that its frame leaves at once, and then whenever
 * `UNINTERRUPTED_SIZE` has come. Leaving the loop cancels the model's request.
 */
async function* yielding(stream: ReadableStream<LanguageModelV4StreamPart>) {
  const reader = stream.getReader();
  let room = UNINTERRUPTED_SIZE;
  let isFirst = true;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
      const size = "delta" in value ? value.delta.length : 0;
      room -= size + PART_SIZE;
      if (room > 0 && !(isFirst && size > 0)) continue;
      if (size > 0) isFirst = false;
      room = UNINTERRUPTED_SIZE;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function wantedCall(
  { toolCallId, toolName: name, input: text }: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>,
  tools: readonly BoundTool[],
): WantedCall {
  const call = { modelCallId: toolCallId, name };
  const parsed = text.trim() === "" ? { ok: true as const, value: {} } : parseJson(text);
  const input: unknown = parsed.ok ? parsed.value : text;
  if (!isBounded(input)) return { ...call, args: {}, problem: "The arguments are too large" };
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return { ...call, args: isJsonObject(input) ? input : {}, problem: "There is no such tool" };
  if (!isJsonObject(input)) return { ...call, args: {}, problem: REFUSED };
  const checked = checkArguments(tool, input);
  return { ...call, args: input, ...("problem" in checked ? checked : {}) };
}

function isBounded(input: unknown): boolean {
  return depthOf(input) <= CALL_INPUT_DEPTH && JSON.stringify(input).length <= CALL_INPUT_SIZE;
}

const REFUSED = "The arguments do not fit the tool";

/** The arguments as the tool's own schema reads them, or why it refuses them, for the model to read. */
export function checkArguments(
  tool: BoundTool,
  args: JsonObject,
): { readonly accepted: unknown } | { readonly problem: string } {
  if ("runsIn" in tool) {
    const reason = tool.problemOf(args);
    return reason === undefined ? { accepted: args } : { problem: `${REFUSED} (${reason})` };
  }
  if (!(tool.schema instanceof z.ZodType)) return { accepted: args };
  const parsed = tool.schema.safeParse(args);
  return parsed.success ? { accepted: parsed.data } : { problem: REFUSED };
}

const OPENING = "<think>";
const CLOSING = "</think>";

export interface ThinkingTags {
  push(text: string): void;
  /** What was held back because it could have become a tag. */
  flush(): void;
}

export interface ThinkingSink {
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
}

export function createThinkingTags({ say, think }: ThinkingSink): ThinkingTags {
  let state: "before" | "thinking" | "answer" = "before";
  let held = "";
  /** Blanks between the thinking and the answer belong to neither. */
  let thought = false;

  function step(): boolean {
    if (state === "before") {
      const begun = held.trimStart();
      if (begun.startsWith(OPENING)) {
        held = begun.slice(OPENING.length);
        state = "thinking";
        thought = true;
        return true;
      }
      if (OPENING.startsWith(begun)) return false;
      say(thought ? begun : held);
      held = "";
      state = "answer";
      return false;
    }
    const end = held.indexOf(CLOSING);
    if (end >= 0) {
      think(held.slice(0, end));
      held = held.slice(end + CLOSING.length);
      state = "before";
      return true;
    }
    const kept = lengthOfBegunTag(held, CLOSING);
    think(held.slice(0, held.length - kept));
    held = held.slice(held.length - kept);
    return false;
  }

  return {
    push(text) {
      if (state === "answer") return say(text);
      held += text;
      while (step());
    },
    flush() {
      if (state === "thinking") think(held);
      // Blanks alone are an answer only when nothing came before them.
      else if (!thought || held.trim() !== "") say(held);
      held = "";
    },
  };
}

/** How many characters at the end of the text may be the beginning of the tag. */
function lengthOfBegunTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
