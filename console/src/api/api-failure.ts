/**
 * The failure of a request, in one form for all surfaces: the registry's problem+json, the oracle's and the phone gateway's JSON,
 * the query gateway's gRPC status, plain text, and an unreachable server.
 */
import { readErrorBody } from "../../../shared/error-body.ts";
import type { CredentialName } from "./credentials.ts";

export interface FieldProblem {
  /** JSON pointer into the body that was sent, or the name of a parameter or header. */
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface FailureParts {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly problems?: readonly FieldProblem[];
  /** The key that the requested path requires. */
  readonly credential?: CredentialName | undefined;
}

/** The code of a request that was not answered because this tab's key has ended. */
export const KEY_ENDED = "key_ended";

export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly problems: readonly FieldProblem[];
  readonly credential: CredentialName | undefined;

  constructor({ status, code, message, requestId, retryAfter, problems = [], credential }: FailureParts) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.problems = problems;
    this.credential = credential;
  }

  /** Whether the registry refuses the API key that was sent (RG-4). */
  get isWrongKey(): boolean {
    return this.status === 401 && this.code === "invalid_token";
  }

  /** Whether a retry without a change may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Whether an error was thrown because the server answered with one of these statuses. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): error is ApiFailure {
  return error instanceof ApiFailure && statuses.includes(error.status);
}

/** @param response not ok; its body is read. */
export async function failureOf(response: Response, credential?: CredentialName): Promise<ApiFailure> {
  const text = await response.text().catch(() => "");
  const { members, sentence, code, requestId, retryAfterMs } = readErrorBody(text, response.headers);
  const problems = Array.isArray(members["errors"]) ? members["errors"].map(problemOf) : [];
  return new ApiFailure({
    status: response.status,
    code: code ?? String(response.status),
    message: sentence ?? (text.length > 0 && text.length < LONGEST_TEXT && !text.startsWith("<") ? text : ""),
    requestId,
    retryAfter: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000),
    problems,
    credential,
  });
}

/** Characters: a longer plain-text error is not a sentence. */
const LONGEST_TEXT = 300;

export function failureOfThrown(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  const message = error instanceof TypeError || !(error instanceof Error) ? "" : error.message;
  return new ApiFailure({ status: 0, code: "no_answer", message });
}

function problemOf(entry: unknown): FieldProblem {
  const { pointer, parameter, header, code, detail } = entry as Readonly<Record<string, string | undefined>>;
  return { field: pointer ?? parameter ?? header ?? "", code: code ?? "", message: detail ?? "" };
}
