/**
 * Asks a model again when its service refused before it said anything, and says what is waited for. A wait that the
 * service asks for is kept up to a minute; a longer one is the user's to decide on, so the failure tells it instead.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelFailure } from "../model-port.ts";

/** The longest wait between two tries, milliseconds. */
export const LONGEST_RETRY_WAIT_MS = 60_000;
/** The wait before the second try when the service names none, milliseconds; it doubles with each further one. */
export const FIRST_RETRY_WAIT_MS = 2_000;

export interface RetryParts {
  readonly maxRetries: number;
  readonly classify: (error: unknown) => ModelFailure;
  /** Rejects as soon as the signal fires. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Told before each wait. */
  readonly onWait: (failure: ModelFailure, milliseconds: number) => void;
}

/** The same model; only `doStream` is repeated, whose failures come before its first part. */
export function retrying(model: LanguageModelV4, parts: RetryParts): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const signal = options.abortSignal ?? new AbortController().signal;
      for (let retry = 0; ; retry += 1) {
        try {
          return await model.doStream(options);
        } catch (error) {
          if (signal.aborted || retry >= parts.maxRetries) throw error;
          const failure = parts.classify(error);
          const wait = waitBefore(failure, retry);
          if (wait === undefined) throw error;
          parts.onWait(failure, wait);
          await parts.pause(wait, signal);
        }
      }
    },
  };
}

/** Nothing when another try would not help, or not soon enough. */
function waitBefore(failure: ModelFailure, retry: number): number | undefined {
  if (!mayPass(failure)) return undefined;
  const { retryAfterMs } = failure;
  if (retryAfterMs === undefined) return FIRST_RETRY_WAIT_MS * 2 ** retry;
  return retryAfterMs <= LONGEST_RETRY_WAIT_MS ? retryAfterMs : undefined;
}

/** A service that was silent for our whole time-out is not waited for once more; one that says 408 itself is. */
function mayPass({ kind, retryable, status }: ModelFailure): boolean {
  return retryable && (kind !== "timeout" || status !== undefined);
}
