/**
 * The content for each state of a query: a skeleton while it loads, an error with the next step, and its data with its age in
 * words. Data that could not be refreshed stays, with a notice.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, createContext, useContext } from "react";
import { type ApiFailure, type FieldProblem, KEY_ENDED, failureOfThrown } from "../api/api-failure.ts";
import { credentials } from "../api/api.ts";
import type { CredentialName } from "../api/credentials.ts";
import { kitTexts } from "../texts/kit.ts";
import { Age } from "./age.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";

export interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data, unknown>;
  readonly children: (data: Data) => ReactNode;
  /** Shown until there is data; a few grey lines by default. */
  readonly loading?: ReactNode;
  /** Whether the age of the data is shown below it. */
  readonly showsAge?: boolean;
}

export function Loaded<Data>({ query, children, loading, showsAge = true }: LoadedProps<Data>) {
  const { data, error, refetch, dataUpdatedAt } = query;
  if (data === undefined) {
    if (error !== null) return <ErrorPanel error={error} onRetry={refetch} />;
    return (
      <div role="status" aria-label={kitTexts.loading}>
        {loading ?? <Skeleton />}
      </div>
    );
  }
  return (
    <>
      {error !== null && failureOfThrown(error).code !== KEY_ENDED && (
        <div className="stack tight">
          <p className="muted small">This could not be refreshed. You see the last data received.</p>
          <ErrorPanel error={error} onRetry={refetch} />
        </div>
      )}
      {children(data)}
      {showsAge && <DataAge at={dataUpdatedAt} />}
    </>
  );
}

/** @param at milliseconds since 1970. */
export function DataAge({ at }: { readonly at: number }) {
  return (
    <p className="muted small data-age">
      As of <Age at={at} />
    </p>
  );
}

export interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: (() => unknown) | undefined;
}

/** A failed request on the screen: a sentence, the request id to quote, and the next step. */
export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const failure = failureOfThrown(error);
  const requestSignIn = useSignInRequest();
  // The frame explains it, with a way to sign in.
  if (failure.code === KEY_ENDED) return <p className="muted">{kitTexts.waitsForSignIn}</p>;
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

/** The missing key, if nothing else has failed. */
function missingKey({ status, credential }: ApiFailure): CredentialName | undefined {
  const isMissing = status === 401 && credential !== undefined && credentials.read()[credential] === undefined;
  return isMissing ? credential : undefined;
}

/** The sentence for the user. */
export function sentence(failure: ApiFailure): string {
  const missing = missingKey(failure);
  if (missing !== undefined) return `${kitTexts.needsKey[missing]}.`;
  if (failure.code === KEY_ENDED) return kitTexts.waitsForSignIn;
  if (failure.message !== "") return failure.message;
  if (failure.status === 0)
    return "The server did not answer. Check that it runs and that you are online, then try again.";
  return failure.status === 401 ? "Sign in: your key is missing or no longer valid." : kitTexts.failed(failure.status);
}

/** Grey lines instead of the loading content, so that the layout does not shift when it arrives. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}

export interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** The content of an empty list: what would appear here, and the next step. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** The id of a failed request, to copy for a reader of the server's log. */
export function RequestId({ id }: { readonly id: string }) {
  return (
    <span className="muted small">
      Request id <code>{id}</code> <CopyButton text={id} />
    </span>
  );
}

const whyKey = {
  apiKey: "You need an API key to use the registry. Ask your operator for one.",
  operatorToken: "The token is ADMIN_TOKEN in the server's settings.",
  phoneOperatorToken:
    "The token is USSD_OPERATOR_TOKEN in the server's settings. It gives access to accounts, sessions and statistics.",
  gatewaySecret: "Ask the operator of this deployment for it.",
};

export interface SignInNoticeProps {
  readonly needs: CredentialName;
  /** Replaces the default text about this key. */
  readonly title?: string;
  readonly why?: string;
  /** Next to the button. */
  readonly children?: ReactNode;
}

/** Names the required key and the reason, and offers to sign in. */
export function SignInNotice({ needs, title, why, children }: SignInNoticeProps) {
  const requestSignIn = useSignInRequest();
  return (
    <div className="notice">
      <Icon name="info" />
      <div className="stack tight">
        <p>
          <strong>{title ?? kitTexts.needsKey[needs]}</strong>
        </p>
        <p>{why ?? whyKey[needs]}</p>
        <p className="row wrap">
          <button type="button" className="primary" onClick={requestSignIn}>
            {kitTexts.signIn}
          </button>
          {children}
        </p>
      </div>
    </div>
  );
}

/** With it, any part opens the sign-in dialog, which the shell owns. */
export const SignInRequest = createContext<() => void>(() => undefined);

export function useSignInRequest(): () => void {
  return useContext(SignInRequest);
}

/** The problems of a body, each with its place. */
export function ProblemList({ problems }: { readonly problems: readonly FieldProblem[] }) {
  return (
    <ul>
      {problems.map(({ field, message }) => (
        <li key={`${field} ${message}`}>
          {field !== "" && <code>{field}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
