/** The models of an oracle. */
"use client";
import { useQuery } from "@tanstack/react-query";
import type { OracleOverrides } from "./chat-options.ts";
import { useOracleClient } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";

/** Models change only with a deployment. */
const STALE_AFTER_MS = 10 * 60_000;
const NO_MODELS: ModelInfo[] = [];

/** The result of `useModels`. */
export interface UseModelsResult {
  models: ModelInfo[];
  /** Undefined until the models are loaded. */
  defaultModelId: string | undefined;
  defaultModel: ModelInfo | undefined;
  isLoading: boolean;
  /** Why the models, or the address of the oracle, could not be read. */
  error: Error | null;
  refetch: () => void;
}

/**
 * The models that the user can choose. Pass a model's `id` to `useChat` as `model`. The list is public, so it is
 * available before the user has paid or signed anything.
 */
export function useModels(oracleDid: string, overrides: OracleOverrides = {}): UseModelsResult {
  const client = useOracleClient(oracleDid, overrides);
  const place = useOracleEndpoints(oracleDid, overrides);
  const { apiUrl } = place;
  const { data, isLoading, error, refetch } = useQuery({
    // The key contains no user, because the list is public.
    queryKey: ["twinedge", "models", oracleDid, apiUrl],
    // An unknown family is still a valid name.
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

/** A model's capability, for display. */
export type ModelTier = "everyday" | "balanced" | "top";
/** The maker of the model. An oracle may return other names. */
export type ModelFamily = "openai" | "google" | "anthropic" | "moonshotai" | "z-ai";

/** One model of an oracle. */
export interface ModelInfo {
  /** Pass it to `useChat` as `model`. */
  id: string;
  /** A name for display. */
  label: string;
  family: ModelFamily;
  tier: ModelTier;
  /** `$`, `$$` or `$$$`. */
  costLabel: string;
  /** `Fast`, `Balanced` or `Smartest`. */
  badge: string;
  /** One sentence for display. */
  blurb: string;
  /** It reads images. */
  vision: boolean;
  /** The price for the user. */
  pricing: {
    inputPerMillion: number;
    outputPerMillion: number;
    currency: "USD";
    unit: "per_million_tokens";
  };
  /** The default model. */
  isDefault: boolean;
}

/** The response of `GET /models`. */
export interface ModelsResponse {
  models: ModelInfo[];
  /** The id of the default model. */
  default: string;
}
