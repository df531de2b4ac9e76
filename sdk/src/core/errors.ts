/** What a request can fail with. */

/** A refusal by the oracle: its status, its sentence and its word for programs. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  /** One word for programs, such as `invalid_invocation`; absent when a proxy answered. */
  readonly code: string | undefined;
  readonly retryable: boolean | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds until it may be tried again. */
  readonly retryAfterMs: number | undefined;
  /** Of a 402: the claims that have to be paid. */
  readonly claims: string[] | undefined;
  /** Of a 402: the same list, as older clients read it. */
  readonly outstandingClaims: string[] | undefined;

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly code?: string | undefined;
      readonly retryable?: boolean | undefined;
      readonly requestId?: string | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly claims?: string[] | undefined;
    },
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.claims = facts.claims;
    this.outstandingClaims = facts.claims;
  }
}

/** Nobody answered: no network, no server, or a proxy that gave up. The request may be repeated. */
export class OfflineError extends Error {
  override readonly name = "OfflineError";
}
