/**
 * The port to the language models. A provider is injected by `workers/index.ts`; the turn engine sees rows, a model
 * of the AI SDK and a classifier of failures, and nothing of any vendor.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";

/** One row of `GET /models` (contract/oracle.md section 1). */
export interface ModelRow {
  readonly id: string;
  readonly label: string;
  readonly family: string;
  readonly tier: "everyday" | "balanced" | "top";
  readonly costLabel: "$" | "$$" | "$$$";
  readonly badge: "Fast" | "Balanced" | "Smartest";
  readonly blurb: string;
  readonly vision: boolean;
  readonly pricing: {
    readonly inputPerMillion: number;
    readonly outputPerMillion: number;
    readonly currency: "USD";
    readonly unit: "per_million_tokens";
  };
  readonly isDefault: boolean;
}

export type ModelFailureKind = "rate_limit" | "billing" | "auth" | "timeout" | "server" | "network" | "unknown";

/** A provider's failure in the contract's words (contract/oracle.md section 4.3), fit to be shown to the user. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  readonly message: string;
  readonly retryable: boolean;
  /** `provider` when the model's side failed, `platform` when we did. */
  readonly source: "provider" | "platform";
  readonly provider?: string;
  readonly providerLabel?: string;
  readonly status?: number;
  readonly detail?: string;
  /** What the provider asked us to wait before the next try, milliseconds. */
  readonly retryAfterMs?: number;
}

export interface ModelProvider {
  readonly rows: readonly ModelRow[];
  /** The id of the row with `isDefault`. */
  readonly defaultModelId: string;
  /** How often a call that failed before its first chunk is repeated. */
  readonly maxRetries: number;
  /** The model with that id; the default one for an unknown id or none. */
  model(id: string | undefined): LanguageModelV4;
  /** How many tokens that model reads at once, its answer included. */
  contextTokens(id: string | undefined): number;
  /** What the service itself said of a failure, for the log: facts, never texts. */
  upstreamOf(error: unknown): { readonly upstreamStatus?: number; readonly upstreamCode?: string };
  /** Turns whatever the model threw or emitted as an error into the contract's words; never throws. */
  classify(error: unknown): ModelFailure;
  /** The title of a session from its first message, by a model or by rule. */
  title(firstMessage: string, signal: AbortSignal): Promise<string>;
}
