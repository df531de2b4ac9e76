/**
 * The tokens of a run: those of its finished steps, those that are stored beside them, and those of requests to a model that
 * have no final count yet. A request is stored before it is sent, at the estimate of its prompt, so that it counts however
 * its answer is broken off: by a stop, by a failure, or by the loss of the process.
 */
import type { ModelUsage } from "../model-usage.ts";
import { estimateTokens, type Step, type TokenUsage } from "./step-store.ts";

/** How much of an answer may arrive before it is stored that it did, UTF-16 units: this much of it is lost with a process. */
export const UNSTORED_SIZE = 4_096;
/**
 * What a model is taken to write in a second while it says nothing, tokens: it may reason where nobody sees it. Fewer than
 * hosted models do, since it may also have waited for its turn.
 */
export const UNSEEN_TOKENS_PER_SECOND = 20;

/** What a request to a model may cost. */
export interface ModelCallCost {
  /** The id of the model's row. */
  readonly model: string;
  /** An estimate; it counts until the service reports its own figure. */
  readonly promptTokens: number;
  /** The most that the prompt can have. */
  readonly mostPromptTokens: number;
  /** What the answer may have, as the service is asked to keep to. */
  readonly maxOutputTokens: number;
}

/** One request to a model, from before it is sent until a step or the run's record holds its tokens. */
export interface ModelCallUse {
  readonly maxOutputTokens: number;
  /** It is sent now, or again after a refusal. */
  sends(): void;
  /** The service refused it: it read nothing. */
  refused(): void;
  /** So much of an answer has arrived, UTF-16 units: text, thinking, or the input of a tool. */
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
  /** The most that it can come to. */
  most(): number;
}

export interface RunUsageOptions {
  readonly steps: readonly Pick<Step, "usage">[];
  readonly stored: TokenUsage;
  /** Stores what the run has used beside its steps. */
  readonly store: (tokens: TokenUsage) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function createRunUsage({ steps, stored, store, now }: RunUsageOptions) {
  let extra = stored;
  const open = new Set<OpenCall>();
  /** Whether what is stored holds a request that is settled by now. */
  let isStale = false;

  function save(): void {
    isStale = false;
    store([...open].reduce((sum, call) => sumOf(sum, call.tokens()), extra));
  }

  /** All but the open requests. */
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
    /** What these requests have used; the caller stores it, with a step or by `add`. */
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
    /** Tokens that no step of the main agent holds. */
    add(tokens: TokenUsage): void {
      extra = sumOf(extra, tokens);
      if (isStale || tokens.inputTokens + tokens.outputTokens > 0) save();
    },
    /** A step is stored that holds what was settled. */
    stepStored(): void {
      if (isStale) save();
    },
    used: (): TokenUsage => [...open].reduce((sum, call) => sumOf(sum, call.tokens()), settled()),
    /** What was used, and the most that open requests can come to. */
    committed(): number {
      const { inputTokens, outputTokens } = settled();
      return [...open].reduce((sum, call) => sum + call.most(), inputTokens + outputTokens);
    },
    hasOpenCalls: (): boolean => open.size > 0,
  };
}

const NONE: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** What one model used. */
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
