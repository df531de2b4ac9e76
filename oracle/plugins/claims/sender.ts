/** Sends one claim to the receiver of `CLAIMS_URL`. */
import type { ClaimRecord } from "../../../protocol/credits.ts";
import { failure, success, type Result } from "../../../platform/result.ts";

/** Time limit of the receiver, milliseconds. */
export const SEND_TIME_LIMIT_MS = 10_000;

/** The body of the request. */
export interface SentClaim extends Pick<ClaimRecord, "id" | "amount" | "createdAt"> {
  readonly payer: string;
  readonly runId: string;
}

/** A status, or the reason why there was no answer. */
export type SendFailure = number | "timeout" | "network";
export type Send = (claim: SentClaim) => Promise<Result<null, SendFailure>>;

export interface SenderOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export function createSender({ url, token, fetch }: SenderOptions): Send {
  return async (claim) => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "Idempotency-Key": claim.id,
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(claim),
        redirect: "manual",
        signal: AbortSignal.timeout(SEND_TIME_LIMIT_MS),
      });
      await response.body?.cancel();
      return response.ok ? success(null) : failure(response.status);
    } catch (thrown) {
      return failure(thrown instanceof Error && thrown.name === "TimeoutError" ? "timeout" : "network");
    }
  };
}

export function describeFailure(failed: SendFailure): string {
  return typeof failed === "number" ? `status ${failed}` : failed;
}
