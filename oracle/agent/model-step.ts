/**
 * One step of the model: passes its text and thinking on as they arrive, and returns its text and the tool calls that it
 * wants.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { FinishReason } from "../../protocol/records.ts";
import type { ModelCallResult, ModelToolCall } from "../framework/model-call.ts";
import { type JsonValue, parseJson } from "../../platform/json.ts";

/**
 * How much a model that never waits may stream before the event loop gets a turn, UTF-16 units. Without it neither
 * stored frames nor other sessions of the isolate would get any time.
 */
const UNINTERRUPTED_SIZE = 4096;
/** The same before its first turn: the first frame leaves early, and an answer that is shorter is stored with its end. */
const FIRST_UNINTERRUPTED_SIZE = 256;
/** What a part counts for beside its text. */
const PART_SIZE = 8;

export interface StepRequest {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
  /** So much of the answer has arrived, UTF-16 units: the input of a tool too, before the call is complete. */
  readonly received?: (units: number) => void;
}

/** What the model's service failed with is its cause, for the caller to classify. Whatever else is thrown is our own mistake. */
export class ModelError extends Error {
  override readonly name = "ModelError";

  constructor(cause: unknown) {
    super("the model failed", { cause });
  }
}

/** Throws a ModelError when the model fails. */
export async function runModelStep({ stream, say, think, received }: StepRequest): Promise<ModelCallResult> {
  const toolCalls: ModelToolCall[] = [];
  /** Tool calls whose input has come in parts. */
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
 * The same parts. The event loop gets a turn whenever `UNINTERRUPTED_SIZE` has come without a wait, the first time sooner.
 * Leaving the loop cancels the model's request.
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

/** What is no JSON stays the text that the model wrote. */
function toolCall({
  toolCallId: id,
  toolName: name,
  input,
}: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): ModelToolCall {
  if (input.trim() === "") return { id, name, args: {} };
  const parsed = parseJson(input);
  return { id, name, args: parsed.ok ? (parsed.value as JsonValue) : input };
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
