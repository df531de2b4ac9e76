/** One call of a model, as middleware and hooks see it. */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { FinishReason } from "../../protocol/records.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";

/** Middleware that changes it passes a copy to `next`. */
export interface ModelCallRequest {
  readonly system: string;
  readonly messages: readonly LanguageModelV4Message[];
  readonly tools: readonly ModelTool[];
  /** The id of a model; an unknown one means the default model. */
  readonly model: string | undefined;
  /**
   * The longest answer, tokens: what the operator allows for the model. Middleware may ask for a shorter one; a longer one is
   * not given.
   */
  readonly maxOutputTokens?: number;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ModelCallResult {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: FinishReason;
  /** Undefined where the service gives no count. */
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

export interface ModelToolCall {
  /** The id that the model gave the call. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: not yet checked. */
  readonly args: JsonValue;
}
