/**
 * The models' part of the configuration: the rows of `GET /models` from `MODELS`, the default row, and whether the chosen provider
 * has what it needs.
 */
import * as z from "zod";
import type { ModelRecord } from "../../protocol/records.ts";
import {
  type ConfigExamples,
  type ConfigResult,
  integerVariable,
  jsonVariable,
  parseConfig,
  textVariable,
} from "../../platform/config.ts";

/** A menu of this size is still readable, and the answer of a public route stays small. */
export const MAX_MODEL_ROWS = 64;

/** A smaller window cannot hold instructions, tools and question together. */
const MIN_CONTEXT_TOKENS = 2_000;
/** A shorter answer is useless. */
const MIN_MAX_OUTPUT_TOKENS = 256;
/** The window of a model whose row does not name one: nearly every hosted model has at least this. */
export const DEFAULT_CONTEXT_TOKENS = 32_000;

const tiers = {
  everyday: { costLabel: "$", badge: "Fast" },
  balanced: { costLabel: "$$", badge: "Balanced" },
  top: { costLabel: "$$$", badge: "Smartest" },
} as const;

const price = z.number({ error: "a price must be a number" }).min(0, { error: "a price must be at least 0" });

export const partialModelRows = z
  .array(
    z.object({
      id: z.string({ error: "each model needs an id" }).min(1, { error: "each model needs an id" }).max(200),
      label: z.string().min(1).max(200).optional(),
      family: z.string().min(1).max(100).optional(),
      tier: z.enum(["everyday", "balanced", "top"], { error: "tier must be everyday, balanced or top" }).optional(),
      costLabel: z.enum(["$", "$$", "$$$"], { error: "costLabel must be $, $$ or $$$" }).optional(),
      badge: z.enum(["Fast", "Balanced", "Smartest"], { error: "badge must be Fast, Balanced or Smartest" }).optional(),
      blurb: z.string().max(1000).optional(),
      vision: z.boolean({ error: "vision must be true or false" }).optional(),
      pricing: z.object({ inputPerMillion: price.optional(), outputPerMillion: price.optional() }).optional(),
      contextTokens: z
        .int({ error: "contextTokens must be a whole number" })
        .min(MIN_CONTEXT_TOKENS, { error: `contextTokens must be at least ${MIN_CONTEXT_TOKENS}` })
        .optional(),
      maxOutputTokens: z
        .int({ error: "maxOutputTokens must be a whole number" })
        .min(MIN_MAX_OUTPUT_TOKENS, { error: `maxOutputTokens must be at least ${MIN_MAX_OUTPUT_TOKENS}` })
        .optional(),
      isDefault: z.boolean({ error: "isDefault must be true or false" }).optional(),
    }),
    { error: "must be a JSON list of models" },
  )
  .max(MAX_MODEL_ROWS, { error: `must list at most ${MAX_MODEL_ROWS} models` });

export type PartialModelRow = z.output<typeof partialModelRows>[number];

/** `family` defaults to the part before the first slash of ids such as `vendor/model`. */
function completeRow(row: PartialModelRow, provider: string, isDefault: boolean): ModelRecord {
  const tier = row.tier ?? "balanced";
  const [vendor = "", name] = row.id.split("/");
  const label = row.label ?? row.id;
  return {
    id: row.id,
    label,
    family: row.family ?? (name === undefined || vendor.startsWith("@") || vendor === "" ? provider : vendor),
    tier,
    costLabel: row.costLabel ?? tiers[tier].costLabel,
    badge: row.badge ?? tiers[tier].badge,
    blurb: row.blurb ?? label,
    vision: row.vision ?? false,
    pricing: {
      inputPerMillion: row.pricing?.inputPerMillion ?? 0,
      outputPerMillion: row.pricing?.outputPerMillion ?? 0,
      currency: "USD",
      unit: "per_million_tokens",
    },
    isDefault,
  };
}

/** The row of `/models` when nothing is configured; it names itself, so that it is not taken for a real model. */
const builtInRow: PartialModelRow = {
  id: "local",
  label: "Built-in development model",
  family: "local",
  tier: "everyday",
  blurb: "Deterministic and offline: it repeats what you say and calls tools on command. For development only.",
};

/** Long enough for a reasoning model, short enough that a user still waits. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** Two retries bridge a short rate limit or a restart of the provider. */
const DEFAULT_MAX_RETRIES = 2;
/** About 25,000 characters: longer than a useful answer, with room for a model that reasons first. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;
const DEFAULT_BASE_URL = "https://api.openai.com/v1";

export type ProviderName = "local" | "openai-compatible" | "workers-ai";

export interface ModelConfig {
  readonly provider: ProviderName;
  readonly rows: readonly ModelRecord[];
  readonly defaultModelId: string;
  /** Context size in tokens, by model id. */
  readonly contextTokens: Readonly<Record<string, number>>;
  /** Maximum answer length in tokens, by model id. */
  readonly maxOutputTokens: Readonly<Record<string, number>>;
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
  ORACLE_MAX_OUTPUT_TOKENS: integerVariable(DEFAULT_MAX_OUTPUT_TOKENS, MIN_MAX_OUTPUT_TOKENS),
  AI: z.custom<Ai>().optional(),
});

const examples: ConfigExamples = {
  OPENAI_BASE_URL: "http://localhost:11434/v1",
  OPENAI_API_KEY: "the key that your provider issued",
  MODELS: '[{"id":"llama3.2"}]',
  DEFAULT_MODEL: "llama3.2",
};

/** Each problem names the variable that the operator has to change. */
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
  // Without MODELS, the built-in model is the only one; DEFAULT_MODEL is for other providers.
  const chosen = offered[0] === builtInRow ? undefined : env.DEFAULT_MODEL;
  if (new Set(ids).size !== ids.length) wrong("MODELS", "must not name a model twice");
  if (offered.filter((row) => row.isDefault === true).length > 1) wrong("MODELS", "must mark at most one default");
  if (chosen !== undefined && !ids.includes(chosen)) wrong("DEFAULT_MODEL", "must be the id of a model in MODELS");

  const defaultModelId = chosen ?? offered.find((row) => row.isDefault === true)?.id ?? ids[0] ?? "";
  return {
    provider: env.LLM_PROVIDER,
    rows: offered.map((row) => completeRow(row, env.LLM_PROVIDER, row.id === defaultModelId)),
    defaultModelId,
    contextTokens: Object.fromEntries(offered.map((row) => [row.id, row.contextTokens ?? DEFAULT_CONTEXT_TOKENS])),
    maxOutputTokens: Object.fromEntries(
      offered.map((row) => [row.id, row.maxOutputTokens ?? env.ORACLE_MAX_OUTPUT_TOKENS]),
    ),
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
