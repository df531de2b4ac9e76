/**
 * Models of the AI binding. `workers-ai-provider` implements the protocol. We add timeouts, and turn an interrupted answer into an
 * error: the package only sets its finish reason.
 */
import { InvalidResponseDataError, type LanguageModelV4, type LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { createWorkersAI } from "workers-ai-provider";
import { type Timers, boundChunks, countsEvents, createDeadline } from "./timeouts.ts";

const TRUNCATED = "stream-truncated";

/** The one method of the binding that a language model needs; answers with a stream of server-sent events. */
export interface AiBinding {
  run(model: string, inputs: object, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

export function workersAiModels(
  binding: AiBinding,
  timers: Timers,
  timeoutMs: number,
): (modelId: string) => LanguageModelV4 {
  // The package declares the runtime's whole class but calls only `run`.
  const bounded = boundBinding(binding, timers, timeoutMs) as unknown as Ai;
  const provider = createWorkersAI({ binding: bounded });
  return (modelId) => reportBreaks(provider(modelId));
}

function boundBinding(binding: AiBinding, timers: Timers, milliseconds: number): AiBinding {
  return {
    run: async (model, inputs, options) => {
      const stop = new AbortController();
      const deadline = createDeadline(timers, milliseconds, (reason) => stop.abort(reason));
      const signal = options?.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
      deadline.arm();
      try {
        const output = await deadline.race(binding.run(model, inputs, { ...options, signal }));
        if (output instanceof ReadableStream)
          return boundChunks(output as ReadableStream<Uint8Array>, deadline, countsEvents());
        deadline.disarm();
        return output;
      } catch (error) {
        deadline.disarm();
        throw error;
      }
    },
  };
}

function reportBreaks(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => {
      const result = await model.doStream(options);
      return { ...result, stream: result.stream.pipeThrough(breakReporter()) };
    },
  };
}

function breakReporter(): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform: (part, controller) => {
      if (part.type === "finish" && part.finishReason.raw === TRUNCATED)
        controller.enqueue({
          type: "error",
          error: new InvalidResponseDataError({ data: undefined, message: "The answer ended early." }),
        });
      controller.enqueue(part);
    },
  });
}
