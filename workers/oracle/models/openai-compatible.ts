/**
 * Models behind an OpenAI-compatible chat-completions endpoint: OpenAI, OpenRouter, vLLM, Ollama and their like. The
 * protocol is the SDK's; ours is how long to wait and where the key may go (`bounded-fetch.ts`).
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { boundFetch, type Fetch } from "./bounded-fetch.ts";
import type { ModelConfig } from "./config.ts";
import type { Timers } from "./timers.ts";

export function openAiCompatibleModels(
  config: Pick<ModelConfig, "baseUrl" | "apiKey" | "timeoutMs">,
  fetch: Fetch,
  timers: Timers,
): (modelId: string) => LanguageModelV4 {
  return createOpenAICompatible({
    name: "openai-compatible",
    baseURL: config.baseUrl,
    includeUsage: true,
    fetch: boundFetch(fetch, timers, config.timeoutMs),
    ...(config.apiKey === undefined ? {} : { apiKey: config.apiKey }),
  });
}
