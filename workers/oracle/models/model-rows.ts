/**
 * The rows of `GET /models` as an operator may write them in `MODELS`: only `id` is demanded, the rest has defaults
 * that claim nothing (contract/oracle.md section 1; limits are ours).
 */
import * as z from "zod";
import type { ModelRecord } from "../../../protocol/records.ts";

/** A menu that a person can still read; also keeps the answer of a public route small. */
export const MAX_MODEL_ROWS = 64;

/** Less than this holds no instructions, tools and question together. */
const MIN_CONTEXT_TOKENS = 2_000;
/** The window of a model whose row does not name one: what nearly every hosted model has. */
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
      isDefault: z.boolean({ error: "isDefault must be true or false" }).optional(),
    }),
    { error: "must be a JSON list of models" },
  )
  .max(MAX_MODEL_ROWS, { error: `must hold at most ${MAX_MODEL_ROWS} models` });

export type PartialModelRow = z.output<typeof partialModelRows>[number];

/** `family` defaults to the part before the first slash of ids such as `vendor/model`. */
export function completeRow(row: PartialModelRow, provider: string, isDefault: boolean): ModelRecord {
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

/** What `/models` says when nothing is configured: nobody shall take it for a real model. */
export const builtInRow: PartialModelRow = {
  id: "local",
  label: "Built-in development model",
  family: "local",
  tier: "everyday",
  blurb: "Deterministic and offline: it repeats what you say and calls tools on command. For development only.",
};
