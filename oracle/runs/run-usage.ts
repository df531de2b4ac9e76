/**
 * The tokens of a run: in its finished steps, stored besides them, and in model requests without a final count. A request is stored
 * before it is sent, with its estimated prompt, so that it counts even if its answer is interrupted by a stop, a failure, or the
 * loss of the process.
 */
import type { ModelUsage } from "../model-usage.ts";
import { estimateTokens, type Step, type TokenUsage } from "./step-store.ts";

/** How much of an answer may arrive before the usage is stored again, UTF-16 units: a lost process loses at most this much. */
export const UNSTORED_SIZE = 4_096;
/**
 * Estimated tokens per second of a silent model, which may be reasoning. Hosted models write faster, but this one may also have
 * been queued.
 */
export const UNSEEN_TOKENS_PER_SECOND = 20;

/** The maximum cost of a model request. */
export interface ModelCallCost {
  /** The id of the model's row. */
  readonly model: string;
  /** An estimate, used until the service reports its own figure. */
  readonly promptTokens: number;
  /** An upper bound of the prompt's tokens. */
  readonly mostPromptTokens: number;
  /** The maximum tokens of the answer, as requested from the service. */
  readonly maxOutputTokens: number;
}

/** One model request, from before it is sent until a step or the run's record contains its tokens. */
export interface ModelCallUse {
  readonly maxOutputTokens: number;
  /** The request is sent, or retried after a refusal. */
  sends(): void;
  /** The service refused the request without reading it. */
  refused(): void;
  /** This many UTF-16 units of an answer have arrived: text, thinking, or a tool's input. */
  received(units: number): void;
  /** The answer is complete. */
  reported(usage: ModelCallReport): void;
}

export interface ModelCallReport {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

interface OpenCall extends ModelCallUse {
  tokens(): TokenUsage;
  /** The maximum cost of the request. */
  most(): number;
}

export interface RunUsageOptions {
  readonly steps: readonly Pick<Step, "usage">[];
  readonly stored: TokenUsage;
  /** Stores the run's usage besides its steps. */
  readonly store: (tokens: TokenUsage) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function createRunUsage({ steps, stored, store, now }: RunUsageOptions) {
  let extra = stored;
  const open = new Set<OpenCall>();
  /** Whether the stored usage includes a request that is settled by now. */
  let isStale = false;

  function save(): void {
    isStale = false;
    store([...open].reduce((sum, call) => sumOf(sum, call.tokens()), extra));
  }

  /** The usage of everything except open requests. */
  function settled(): TokenUsage {
    return steps.reduce((sum, { usage }) => sumOf(sum, usage), extra);
  }

  function openCall({ model, promptTokens, mostPromptTokens, maxOutputTokens }: ModelCallCost): OpenCall {
    let isSent = false;
    let sentAt = 0;
    let units = 0;
    let unstored = 0;
    let report: ModelCallReport | undefined;
    const output = (): number => {
      const unseen = Math.floor((now() - sentAt) / 1000) * UNSEEN_TOKENS_PER_SECOND;
      return Math.max(estimateTokens(units), Math.min(unseen, maxOutputTokens));
    };
    return {
      maxOutputTokens,
      sends() {
        isSent = true;
        sentAt = now();
        save();
      },
      refused() {
        isSent = false;
      },
      received(more) {
        units += more;
        unstored += more;
        if (unstored < UNSTORED_SIZE) return;
        unstored = 0;
        save();
      },
      reported(usage) {
        report = usage;
      },
      tokens() {
        if (!isSent) return NONE;
        const { inputTokens = promptTokens, outputTokens = output() } = report ?? {};
        return usageOf(model, { inputTokens, outputTokens });
      },
      most: () => mostPromptTokens + maxOutputTokens,
    };
  }

  return {
    begin(cost: ModelCallCost): ModelCallUse {
      const call = openCall(cost);
      open.add(call);
      return call;
    },
    /** The usage of these requests; the caller stores it, with a step or with `add`. */
    settle(uses: readonly ModelCallUse[]): TokenUsage {
      let sum = NONE;
      for (const call of open) {
        if (!uses.includes(call)) continue;
        open.delete(call);
        isStale = true;
        sum = sumOf(sum, call.tokens());
      }
      return sum;
    },
    /** Adds tokens that belong to no step of the main agent. */
    add(tokens: TokenUsage): void {
      extra = sumOf(extra, tokens);
      if (isStale || tokens.inputTokens + tokens.outputTokens > 0) save();
    },
    /** A step with the settled usage was stored. */
    stepStored(): void {
      if (isStale) save();
    },
    used: (): TokenUsage => [...open].reduce((sum, call) => sumOf(sum, call.tokens()), settled()),
    /** The usage, plus the maximum of open requests. */
    committed(): number {
      const { inputTokens, outputTokens } = settled();
      return [...open].reduce((sum, call) => sum + call.most(), inputTokens + outputTokens);
    },
    hasOpenCalls: (): boolean => open.size > 0,
  };
}

const NONE: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** The usage of one model. */
function usageOf(model: string, { inputTokens, outputTokens }: TokenUsage): TokenUsage {
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
