/** One call of a model, as middleware and hooks see it. */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { FinishReason } from "../../protocol/records.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";

/** Middleware that changes it passes a copy to `next`. */
export interface ModelCallRequest {
  readonly system: string;
  readonly messages: readonly LanguageModelV4Message[];
  readonly tools: readonly ModelTool[];
  /** The id of a model; an unknown id selects the default model. */
  readonly model: string | undefined;
  /** Maximum answer length in tokens, as the operator allows for the model. Middleware may lower it, but not raise it. */
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
  /** Undefined if the service reports no count. */
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

export interface ModelToolCall {
  /** The model's id of the call. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them, not yet validated. */
  readonly args: JsonValue;
}
