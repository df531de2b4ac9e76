/**
 * The models of the oracle, implementing the port of `oracle/models/model-port.ts`: one provider per isolate, chosen by the
 * configuration. OpenAI-compatible endpoints (OpenAI, OpenRouter, vLLM, Ollama) use the SDK's protocol.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelProvider } from "./model-port.ts";
import { type Fetch, type Timers, boundFetch } from "./timeouts.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_OUTPUT_TOKENS, type ModelConfig, type ProviderName } from "./config.ts";
import { classifyFailure, upstreamOf } from "./failures.ts";
import { createLocalModel } from "./local-model/model.ts";
import { titleByModel, titleByRule } from "./title.ts";
import { type AiBinding, workersAiModels } from "./workers-ai.ts";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

export interface ProviderParts {
  readonly fetch: Fetch;
  readonly timers: Timers;
  /** The AI binding, needed for `workers-ai` alone. */
  readonly ai?: AiBinding;
  /** Milliseconds since the epoch, to read `Retry-After` dates. */
  readonly now: () => number;
  readonly mintId: () => string;
}

const labels: Readonly<Record<ProviderName, string>> = {
  local: "Built-in development model",
  "openai-compatible": "Model service",
  "workers-ai": "Workers AI",
};

export function createModelProvider(config: ModelConfig, parts: ProviderParts): ModelProvider {
  const known = new Set(config.rows.map((row) => row.id));
  const make = modelFactory(config, parts);
  const idOf = (id: string | undefined): string => (id !== undefined && known.has(id) ? id : config.defaultModelId);
  const model = (id: string | undefined): LanguageModelV4 => make(idOf(id));
  const origin = { provider: config.provider, providerLabel: labels[config.provider] };
  return {
    rows: config.rows,
    defaultModelId: config.defaultModelId,
    maxRetries: config.maxRetries,
    model,
    contextTokens: (id) => config.contextTokens[idOf(id)] ?? DEFAULT_CONTEXT_TOKENS,
    maxOutputTokens: (id) => config.maxOutputTokens[idOf(id)] ?? DEFAULT_MAX_OUTPUT_TOKENS,
    upstreamOf,
    classify: (error) => classifyFailure(error, origin, parts.now),
    title: async (firstMessage, signal, meter) =>
      config.provider === "local"
        ? titleByRule(firstMessage)
        : titleByModel({ id: config.defaultModelId, model: model(undefined) }, firstMessage, signal, meter),
  };
}

function modelFactory(config: ModelConfig, parts: ProviderParts): (modelId: string) => LanguageModelV4 {
  const { fetch, timers, ai, mintId } = parts;
  switch (config.provider) {
    case "local":
      return (modelId) => createLocalModel({ modelId, timers, mintId });
    case "openai-compatible":
      return openAiCompatibleModels(config, fetch, timers);
    case "workers-ai":
      // The configuration check has already refused a missing binding.
      if (ai === undefined) throw new Error("LLM_PROVIDER=workers-ai needs the AI binding");
      return workersAiModels(ai, timers, config.timeoutMs);
  }
}

function openAiCompatibleModels(
  config: Pick<ModelConfig, "baseUrl" | "apiKey" | "timeoutMs">,
  fetch: Fetch,
  timers: Timers,
): (modelId: string) => LanguageModelV4 {
  return createOpenAICompatible({
    name: "openai-compatible",
    baseURL: config.baseUrl,
    includeUsage: true,
    ...(isOpenAi(config.baseUrl) ? { transformRequestBody: withCompletionTokens } : {}),
    fetch: boundFetch(fetch, timers, config.timeoutMs),
    ...(config.apiKey === undefined ? {} : { apiKey: config.apiKey }),
  });
}

function isOpenAi(baseUrl: string): boolean {
  return /(?:^|\.)openai\.com$/.test(new URL(baseUrl).hostname);
}

/** OpenAI's reasoning models refuse `max_tokens`. All of OpenAI's models read the newer name, which other services may not know. */
function withCompletionTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
