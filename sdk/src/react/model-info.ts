/** The models that an oracle answers with, as `useModels` lists them. */

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
