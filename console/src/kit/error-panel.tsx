/** A failed request on the screen: what happened in a sentence, the request id to quote, and what can be done now. */
import { type ApiFailure, failureOfThrown } from "../api/api-failure.ts";
import { credentials } from "../api/api.ts";
import type { CredentialName } from "../api/credentials.ts";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { ProblemList } from "./problem-list.tsx";
import { RequestId } from "./request-id.tsx";
import { SignInNotice } from "./sign-in-notice.tsx";
import { useSignInRequest } from "./sign-in-request.ts";

export interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: (() => unknown) | undefined;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const failure = failureOfThrown(error);
  const requestSignIn = useSignInRequest();
  const missing = missingKey(failure);
  const requestId = failure.requestId !== undefined && <RequestId id={failure.requestId} />;
  if (missing !== undefined)
    return (
      <div role="alert">
        <SignInNotice needs={missing}>{requestId}</SignInNotice>
      </div>
    );
  return (
    <div className="notice danger" role="alert">
      <Icon name="warning" />
      <div className="stack tight">
        <p>{sentence(failure)}</p>
        {failure.status === 429 && failure.retryAfter !== undefined && <p>{kitTexts.waitFor(failure.retryAfter)}</p>}
        {failure.problems.length > 0 && <ProblemList problems={failure.problems} />}
        <p className="row wrap">
          {onRetry !== undefined && (
            <button type="button" onClick={() => void onRetry()}>
              {kitTexts.retry}
            </button>
          )}
          {failure.status === 401 && (
            <button type="button" className="primary" onClick={requestSignIn}>
              {kitTexts.signIn}
            </button>
          )}
          {requestId}
        </p>
      </div>
    </div>
  );
}

/** The key that is missing, where nothing else has failed. */
function missingKey({ status, credential }: ApiFailure): CredentialName | undefined {
  const isMissing = status === 401 && credential !== undefined && credentials.read()[credential] === undefined;
  return isMissing ? credential : undefined;
}

/** What to tell a person. */
export function sentence(failure: ApiFailure): string {
  const missing = missingKey(failure);
  if (missing !== undefined) return `${kitTexts.needsKey[missing]}.`;
  if (failure.message !== "") return failure.message;
  if (failure.status === 0)
    return "The server did not answer. Check that it runs and that you are online, then try again.";
  return failure.status === 401
    ? "This needs a key that you have not entered, or that is not accepted any more."
    : kitTexts.failed(failure.status);
}
