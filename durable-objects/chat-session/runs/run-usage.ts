/**
 * The tokens of a run: those of its finished steps, those that are stored beside them, and those of models that are
 * answering now, so that an answer counts however it is broken off.
 */
import type { ModelUsage } from "../../../workers/oracle/framework/ended-turn.ts";
import { estimateTokens, type Step, type TokenUsage } from "./step-store.ts";

/** One request to a model, from its start until a step or the run's record holds its tokens. */
export interface ModelCallUse {
  /** The id of the model's row. */
  readonly model: string;
  /** An estimate, for a model that does not report what it used. */
  readonly promptTokens: number;
  /** Text and thinking so far, UTF-16 units. */
  received: number;
  /** Once the answer is complete. */
  reported?: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

export interface RunUsageOptions {
  readonly steps: readonly Pick<Step, "usage">[];
  readonly stored: TokenUsage;
  readonly store: (tokens: TokenUsage) => void;
}

export function createRunUsage({ steps, stored, store }: RunUsageOptions) {
  let extra = stored;
  const open = new Set<ModelCallUse>();

  return {
    begin(model: string, promptTokens: number): ModelCallUse {
      const use: ModelCallUse = { model, promptTokens, received: 0 };
      open.add(use);
      return use;
    },
    /** What these requests have used; the caller stores it. */
    settle(uses: readonly ModelCallUse[]): TokenUsage {
      for (const use of uses) open.delete(use);
      return uses.map(tokensOf).reduce(sumOf, NONE);
    },
    /** Tokens that no step of the main agent holds. */
    add(tokens: TokenUsage): void {
      if (tokens.inputTokens + tokens.outputTokens === 0) return;
      extra = sumOf(extra, tokens);
      store(extra);
    },
    used(): TokenUsage {
      let total = extra;
      for (const { usage } of steps) total = sumOf(total, usage);
      for (const use of open) total = sumOf(total, tokensOf(use));
      return total;
    },
  };
}

const NONE: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** Of a request that was broken off an estimate, once the model had begun to answer. */
function tokensOf({ model, promptTokens, received, reported }: ModelCallUse): TokenUsage {
  if (reported === undefined && received === 0) return NONE;
  return usageOf(model, {
    inputTokens: reported?.inputTokens ?? promptTokens,
    outputTokens: reported?.outputTokens ?? estimateTokens(received),
  });
}

/** What one model used. */
export function usageOf(model: string, { inputTokens, outputTokens }: TokenUsage): TokenUsage {
  return { inputTokens, outputTokens, models: [{ model, inputTokens, outputTokens }] };
}

function sumOf(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    models: merged(one.models ?? [], other.models ?? []),
  };
}

function merged(some: readonly ModelUsage[], others: readonly ModelUsage[]): readonly ModelUsage[] {
  if (some.length === 0) return others;
  const models = new Map(some.map((each) => [each.model, each]));
  for (const { model, inputTokens, outputTokens } of others) {
    const known = models.get(model);
    models.set(model, {
      model,
      inputTokens: inputTokens + (known?.inputTokens ?? 0),
      outputTokens: outputTokens + (known?.outputTokens ?? 0),
    });
  }
  return [...models.values()];
}
