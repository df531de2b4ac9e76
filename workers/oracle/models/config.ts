/**
 * The models' slice of the configuration (contract/oracle.md section 10.6). It decides what can be decided without
 * a call: which rows there are, which one is the default, and whether the chosen provider has what it needs.
 */
import * as z from "zod";
import type { ModelRecord } from "../../../protocol/records.ts";
import {
  integerVariable,
  jsonVariable,
  parseConfig,
  textVariable,
  type ConfigExamples,
  type ConfigResult,
} from "../../platform/config.ts";
import {
  builtInRow,
  completeRow,
  DEFAULT_CONTEXT_TOKENS,
  partialModelRows,
  type PartialModelRow,
} from "./model-rows.ts";

/** Long enough for a reasoning model's silence, short enough that a user still waits. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** Two repetitions bridge a short rate limit or a restart at the provider's side. */
const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_BASE_URL = "https://api.openai.com/v1";

export type ProviderName = "local" | "openai-compatible" | "workers-ai";

export interface ModelConfig {
  readonly provider: ProviderName;
  readonly rows: readonly ModelRecord[];
  readonly defaultModelId: string;
  /** By the model's id: how many tokens it reads at once. */
  readonly contextTokens: Readonly<Record<string, number>>;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Milliseconds to the first chunk, and between two chunks. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

const variables = z.object({
  LLM_PROVIDER: z
    .enum(["local", "openai-compatible", "workers-ai", ""], {
      error: "must be local, openai-compatible or workers-ai",
    })
    .optional()
    .transform((name): ProviderName => (name === undefined || name === "" ? "local" : name)),
  OPENAI_BASE_URL: textVariable().refine((url) => url === undefined || isServiceAddress(url), {
    error: "must be an http or https address without user, query or fragment",
  }),
  OPENAI_API_KEY: textVariable(),
  DEFAULT_MODEL: textVariable(),
  MODELS: jsonVariable(partialModelRows, []),
  LLM_TIMEOUT_MS: integerVariable(DEFAULT_TIMEOUT_MS, 1),
  LLM_MAX_RETRIES: integerVariable(DEFAULT_MAX_RETRIES),
  AI: z.custom<Ai>().optional(),
});

const examples: ConfigExamples = {
  OPENAI_BASE_URL: "http://localhost:11434/v1",
  OPENAI_API_KEY: "the key that your provider issued",
  MODELS: '[{"id":"llama3.2"}]',
  DEFAULT_MODEL: "llama3.2",
};

/** Each problem names the variable that an operator has to change. */
const modelConfigSchema = variables.transform((env, context): ModelConfig => {
  const wrong = (variable: keyof typeof env, message: string): void => {
    context.addIssue({ code: "custom", path: [variable], message });
  };
  if (env.LLM_PROVIDER === "openai-compatible" && env.OPENAI_BASE_URL === undefined && env.OPENAI_API_KEY === undefined)
    wrong("OPENAI_API_KEY", "must be set unless OPENAI_BASE_URL names a service without keys");
  if (env.LLM_PROVIDER === "workers-ai" && env.AI === undefined)
    wrong("AI", "LLM_PROVIDER=workers-ai needs the AI binding");

  const offered = offeredModels(env.LLM_PROVIDER, env.MODELS, env.DEFAULT_MODEL);
  if (offered.length === 0) wrong("MODELS", "must name at least one model, unless DEFAULT_MODEL does");
  const ids = offered.map((row) => row.id);
  // Without MODELS the built-in model is all there is, whatever DEFAULT_MODEL says for the other providers.
  const chosen = offered[0] === builtInRow ? undefined : env.DEFAULT_MODEL;
  if (new Set(ids).size !== ids.length) wrong("MODELS", "must not name a model twice");
  if (offered.filter((row) => row.isDefault === true).length > 1) wrong("MODELS", "must mark one default at most");
  if (chosen !== undefined && !ids.includes(chosen)) wrong("DEFAULT_MODEL", "must be the id of a model in MODELS");

  const defaultModelId = chosen ?? offered.find((row) => row.isDefault === true)?.id ?? ids[0] ?? "";
  return {
    provider: env.LLM_PROVIDER,
    rows: offered.map((row) => completeRow(row, env.LLM_PROVIDER, row.id === defaultModelId)),
    defaultModelId,
    contextTokens: Object.fromEntries(offered.map((row) => [row.id, row.contextTokens ?? DEFAULT_CONTEXT_TOKENS])),
    baseUrl: env.OPENAI_BASE_URL ?? DEFAULT_BASE_URL,
    apiKey: env.OPENAI_API_KEY,
    timeoutMs: env.LLM_TIMEOUT_MS,
    maxRetries: env.LLM_MAX_RETRIES,
  };
});

export function parseModelConfig(env: object): ConfigResult<ModelConfig> {
  return parseConfig(modelConfigSchema, env, examples);
}

function offeredModels(
  provider: ProviderName,
  configured: readonly PartialModelRow[],
  defaultModel: string | undefined,
): readonly PartialModelRow[] {
  if (configured.length > 0) return configured;
  if (provider === "local") return [builtInRow];
  return defaultModel === undefined ? [] : [{ id: defaultModel }];
}

function isServiceAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}
