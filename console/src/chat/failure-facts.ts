/** The meaning of a chat failure for its user, and its form in the rest of the console. */
import { OfflineError, RequestError, SigningError, TurnError } from "@twinedge/sdk/core";
import { ApiFailure } from "../api/api-failure.ts";
import { chatTexts } from "../texts/chat.ts";

export interface FailureFacts {
  /** The oracle's own sentence. */
  readonly sentence: string;
  /** The next step. */
  readonly advice: string;
  readonly requestId: string | undefined;
  /** The link to show: to the user's credits, or to a new conversation. */
  readonly way: "credits" | "new" | undefined;
  /** Whether there was no answer: without a network, the page's notice explains it. */
  readonly isUnreached?: boolean;
}

const words = chatTexts.failures;

export function failureFacts(error: unknown): FailureFacts {
  if (error instanceof RequestError) return refusalFacts(error);
  const sentence = error instanceof Error ? error.message : String(error);
  const none = { sentence, requestId: undefined, way: undefined };
  if (error instanceof TurnError) return { ...none, advice: adviceForKind(error.kind) };
  if (isUnreached(error)) return { ...none, advice: words.offline, isUnreached: true };
  if (error instanceof SigningError) return { ...none, advice: words.signing };
  return { ...none, advice: words.other };
}

/** Whether the oracle could not be reached at all. */
export function isUnreached(error: unknown): error is OfflineError {
  return error instanceof OfflineError;
}

/** For a turn that the oracle had accepted and that failed later. */
export function adviceForKind(kind: string): string {
  return (Object.hasOwn(words.kinds, kind) && words.kinds[kind]) || words.unknownKind;
}

function refusalFacts({ status, message, requestId, retryAfterMs }: RequestError): FailureFacts {
  const facts = { sentence: message, requestId };
  switch (status) {
    case 401:
    case 403:
      return { ...facts, advice: words.unauthorized, way: undefined };
    case 402:
      return { ...facts, advice: words.payment, way: "credits" };
    case 404:
      return { ...facts, advice: words.gone, way: "new" };
    case 409:
      return { ...facts, advice: words.full, way: "new" };
    case 429:
      return {
        ...facts,
        advice: retryAfterMs === undefined ? words.limited : words.limitedFor(Math.ceil(retryAfterMs / 1000)),
        way: undefined,
      };
    default:
      return { ...facts, advice: status >= 500 ? words.server : words.other, way: undefined };
  }
}

/**
 * For `<Loaded>` and dialogs, which show failures of every surface. They offer to sign in after a 401, which would not help here.
 */
export function asApiFailure(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error instanceof OfflineError ? new TypeError(error.message) : error;
  const { status, code = "", message, requestId, retryAfterMs } = error;
  return new ApiFailure({
    status: status === 401 ? 403 : status,
    code,
    message: status === 401 ? words.unauthorized : message,
    requestId,
    retryAfter: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000),
  });
}
