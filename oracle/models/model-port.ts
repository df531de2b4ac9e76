/**
 * The port to the language models. `workers/index.ts` injects a provider; a run sees rows, a model of the AI SDK and a classifier
 * of failures, and nothing vendor-specific.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { RunErrorCode } from "../../protocol/errors.ts";
import type { BudgetLimit, FailureKind } from "../../protocol/frames.ts";
import type { ModelRecord } from "../../protocol/records.ts";
import type { ModelUsage } from "../model-usage.ts";

/** A provider's failure, safe to show to the user. */
export interface ModelFailure {
  readonly kind: FailureKind;
  /** Omitted where `detail`, or `kind` and `source`, determine it. Plugins use their own codes. */
  readonly code?: RunErrorCode | (string & {});
  readonly message: string;
  readonly retryable: boolean;
  /** `provider` when the model's side failed, `platform` when we did. */
  readonly source: "provider" | "platform";
  readonly provider?: string;
  readonly providerLabel?: string;
  readonly status?: number;
  readonly detail?: string;
  /** The budget that the run has used up. */
  readonly limit?: BudgetLimit;
  /** The wait that the provider asked for before the next try, milliseconds. */
  readonly retryAfterMs?: number;
}

export interface ModelProvider {
  readonly rows: readonly ModelRecord[];
  /** The id of the row with `isDefault`. */
  readonly defaultModelId: string;
  /** How many retries a call gets that failed before its first chunk. */
  readonly maxRetries: number;
  /** The model with that id; the default model for an unknown id or none. */
  model(id: string | undefined): LanguageModelV4;
  /** The size of that model's window in tokens, its answer included. */
  contextTokens(id: string | undefined): number;
  /** The longest answer that the operator allows for that model, tokens. */
  maxOutputTokens(id: string | undefined): number;
  /** What the service itself reported about a failure, for the log: facts, never texts. */
  upstreamOf(error: unknown): { readonly upstreamStatus?: number; readonly upstreamCode?: string };
  /** Classifies any error that the model threw or emitted; never throws. */
  classify(error: unknown): ModelFailure;
  /** The title of a session from its first message: by a model if the meter permits its call, otherwise by rule. */
  title(firstMessage: string, signal: AbortSignal, meter: TitleMeter): Promise<string>;
}

/** Counts the cost of a title. */
export interface TitleMeter {
  /** Called before the model, with the most that it may use. Returns whether the call is permitted. */
  begin(most: ModelUsage): Promise<boolean>;
  /** The usage of the call; zero tokens if the service refused it. If this is never called, the most counts. */
  used(usage: ModelUsage): void;
}
