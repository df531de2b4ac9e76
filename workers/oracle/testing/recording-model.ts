/** A provider whose models record their requests, and which can delegate to another model. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelProvider } from "../../../oracle/models/model-port.ts";

/** `model` replaces the provider's own. */
export function recordingModels(
  provider: ModelProvider,
  model: LanguageModelV4 | undefined,
  requests: LanguageModelV4CallOptions[],
): ModelProvider {
  return {
    ...provider,
    maxRetries: model === undefined ? provider.maxRetries : 0,
    model: (id) => recording(model ?? provider.model(id), requests),
  };
}

function recording(model: LanguageModelV4, requests: LanguageModelV4CallOptions[]): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doStream(options) {
      requests.push(options);
      return model.doStream(options);
    },
    async doGenerate(options) {
      requests.push(options);
      return model.doGenerate(options);
    },
  };
}
