/**
 * Why a request has no answer, in gRPC's terms: a status of a node, or one that the gateway gives itself (contract D,
 * sections 5 and 6). Plain data; `error-body.ts` prints it and nothing else decides about HTTP.
 */

/** The numbers of google.rpc.Code. */
export const GRPC = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

export interface GatewayFault {
  /** The `code` member. A node's own number is kept, also beyond 16. */
  readonly code: number;
  readonly message: string;
  /** Given where it is not the one that `code` stands for, such as 502 with code 14. */
  readonly status?: number;
  /** What a node attached, printed as Any. */
  readonly details?: readonly FaultDetail[];
  /** The height of the state that the node answered from. */
  readonly height?: bigint;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly allow?: readonly string[];
  /** `WWW-Authenticate`. */
  readonly challenge?: string;
}

export type FaultDetail =
  | { readonly kind: "any"; readonly typeUrl: string; readonly value: Uint8Array }
  /** Already in the form of an Any, from a node that was asked over HTTP. */
  | { readonly kind: "json"; readonly text: string };

const statuses: Readonly<Record<number, number>> = {
  0: 200,
  1: 408,
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  15: 500,
  16: 401,
};

export function httpStatusOf({ status, code }: Pick<GatewayFault, "status" | "code">): number {
  return status ?? statuses[code] ?? 500;
}

/** A node answered with something that is no answer: HTML, a load balancer's refusal, half a frame. */
export function badAnswer(message: string): GatewayFault {
  return { code: GRPC.unavailable, status: 502, message };
}

/** Of ours, never of the caller's: the reason is in the log. */
export const internalFault: GatewayFault = { code: GRPC.internal, message: "Internal server error" };
