/** The models that an oracle answers with. */
"use client";
import { useQuery } from "@tanstack/react-query";
import type { OracleOverrides } from "./chat-options.ts";
import { useOracleClient } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";

/** Models change with a deployment. */
const STALE_AFTER_MS = 10 * 60_000;
const NO_MODELS: ModelInfo[] = [];

/** What `useModels` returns. */
export interface UseModelsResult {
  models: ModelInfo[];
  /** undefined until they are read. */
  defaultModelId: string | undefined;
  defaultModel: ModelInfo | undefined;
  isLoading: boolean;
  /** Why they, or where the oracle is, could not be read. */
  error: Error | null;
  refetch: () => void;
}

/**
 * The models that the user may choose from: hand a model's `id` to `useChat` as `model`. The list is public, so it is there
 * before the user has paid or signed anything.
 */
export function useModels(oracleDid: string, overrides: OracleOverrides = {}): UseModelsResult {
  const client = useOracleClient(oracleDid, overrides);
  const place = useOracleEndpoints(oracleDid, overrides);
  const { apiUrl } = place;
  const { data, isLoading, error, refetch } = useQuery({
    // Of no user.
    queryKey: ["twinedge", "models", oracleDid, apiUrl],
    // A family that this list of names does not know is a name all the same.
    queryFn: async () => (await client.models()) as unknown as ModelsResponse,
    enabled: apiUrl !== null,
    ...readsAlways,
    staleTime: STALE_AFTER_MS,
    retry: false,
  });
  const models = data?.models ?? NO_MODELS;
  const defaultModelId = data?.default;
  const defaultModel = models.find(({ id }) => id === defaultModelId) ?? models.find(({ isDefault }) => isDefault);
  return {
    models,
    defaultModelId,
    defaultModel,
    isLoading: isLoading || place.isLoading,
    error: error ?? place.error,
    refetch: () => void refetch(),
  };
}

/** How capable a model is, for people. */
export type ModelTier = "everyday" | "balanced" | "top";
/** Who makes the model. An oracle may name others than these. */
export type ModelFamily = "openai" | "google" | "anthropic" | "moonshotai" | "z-ai";

/** One model that an oracle answers with. */
export interface ModelInfo {
  /** Handed to `useChat` as `model`. */
  id: string;
  /** A name for people. */
  label: string;
  family: ModelFamily;
  tier: ModelTier;
  /** `$`, `$$` or `$$$`. */
  costLabel: string;
  /** `Fast`, `Balanced` or `Smartest`. */
  badge: string;
  /** One sentence for people. */
  blurb: string;
  /** It reads images. */
  vision: boolean;
  /** What the user pays. */
  pricing: {
    inputPerMillion: number;
    outputPerMillion: number;
    currency: "USD";
    unit: "per_million_tokens";
  };
  /** The one that answers when none is chosen. */
  isDefault: boolean;
}

/** The answer of `GET /models`. */
export interface ModelsResponse {
  models: ModelInfo[];
  /** The id of the default model. */
  default: string;
}
