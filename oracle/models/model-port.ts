/**
 * The port to the language models. A provider is injected by `workers/index.ts`; a run sees rows, a model
 * of the AI SDK and a classifier of failures, and nothing of any vendor.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { RunErrorCode } from "../../protocol/errors.ts";
import type { BudgetLimit, FailureKind } from "../../protocol/frames.ts";
import type { ModelRecord } from "../../protocol/records.ts";
import type { ModelUsage } from "../model-usage.ts";

/** A provider's failure, fit to be shown to the user. */
export interface ModelFailure {
  readonly kind: FailureKind;
  /** Left out where `detail`, or `kind` and `source`, say it. Plugins have words of their own. */
  readonly code?: RunErrorCode | (string & {});
  readonly message: string;
  readonly retryable: boolean;
  /** `provider` when the model's side failed, `platform` when we did. */
  readonly source: "provider" | "platform";
  readonly provider?: string;
  readonly providerLabel?: string;
  readonly status?: number;
  readonly detail?: string;
  /** Of a run that has used up one of its budgets. */
  readonly limit?: BudgetLimit;
  /** What the provider asked us to wait before the next try, milliseconds. */
  readonly retryAfterMs?: number;
}

export interface ModelProvider {
  readonly rows: readonly ModelRecord[];
  /** The id of the row with `isDefault`. */
  readonly defaultModelId: string;
  /** How often a call that failed before its first chunk is repeated. */
  readonly maxRetries: number;
  /** The model with that id; the default one for an unknown id or none. */
  model(id: string | undefined): LanguageModelV4;
  /** How many tokens that model reads at once, its answer included. */
  contextTokens(id: string | undefined): number;
  /** The longest answer that the operator allows for that model, tokens. */
  maxOutputTokens(id: string | undefined): number;
  /** What the service itself reported of a failure, for the log: facts, never texts. */
  upstreamOf(error: unknown): { readonly upstreamStatus?: number; readonly upstreamCode?: string };
  /** Classifies whatever the model threw or emitted as an error; never throws. */
  classify(error: unknown): ModelFailure;
  /** The title of a session from its first message, by a model where the meter permits its call, or by rule. */
  title(firstMessage: string, signal: AbortSignal, meter: TitleMeter): Promise<string>;
}

/** Counts what a title costs. */
export interface TitleMeter {
  /** Before the model is asked, with the most that it may use; whether it may be. */
  begin(most: ModelUsage): Promise<boolean>;
  /** What it used; no tokens where the service refused the call. Without this the most counts. */
  used(usage: ModelUsage): void;
}
