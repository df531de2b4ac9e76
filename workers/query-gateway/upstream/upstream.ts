/**
 * What answers a call: one node, or several as one. The types, and the reading of heights. A request becomes a message before,
 * and the answer is printed after; which node is asked, how often and for how long is decided in the implementations.
 */
import type { Message } from "@bufbuild/protobuf";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import type { Result } from "../../../platform/result.ts";
import type { Failure } from "../../../platform/failure.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import type { ChainSettings } from "./chain-settings.ts";

export interface UpstreamCall {
  readonly bound: BoundMethod;
  readonly message: Message;
  /** Absent: the latest. */
  readonly height?: bigint;
  /** When the answer must be there, retries included: Unix milliseconds. */
  readonly deadline: number;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** A query, which changes nothing and so may be asked more than once. */
  readonly isRepeatable: boolean;
}

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

/** The error that a node answered with. It is data: the gateway prints it as it is. */
export interface NodeStatus {
  readonly kind: "status";
  /** Of google.rpc.Code, or a number of the node's own. */
  readonly code: number;
  readonly message: string;
  readonly details?: readonly StatusDetail[];
  /** The HTTP status of a node that was asked over HTTP. */
  readonly httpStatus?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** Of the state that the node answered from. */
  readonly height?: bigint;
  /** The node that answered. */
  readonly node?: string;
}

export type StatusDetail =
  | { readonly kind: "any"; readonly typeUrl: string; readonly value: Uint8Array }
  /** An Any in JSON, from a node that was asked over HTTP. */
  | { readonly kind: "json"; readonly text: string };

export type UpstreamAnswer =
  | { readonly kind: "message"; readonly message: Message; readonly height?: bigint; readonly node?: string }
  /** From a node that was asked over HTTP: its document, unchanged. */
  | { readonly kind: "json"; readonly text: string; readonly height?: bigint; readonly node?: string }
  | NodeStatus;

export interface UpstreamStream {
  readonly kind: "stream";
  readonly height?: bigint;
  /** Ends after the first error. Leaving it early ends the call. */
  readonly messages: AsyncIterable<Result<Message, NodeStatus | Failure>>;
}

/** A failure is the gateway's own: no node has answered. */
export interface Upstream {
  readonly call: (call: UpstreamCall) => Promise<Result<UpstreamAnswer>>;
  /** For server-streaming methods; never repeated. */
  readonly stream: (call: UpstreamCall) => Promise<Result<UpstreamStream | NodeStatus>>;
  /** Whether some node speaks CometBFT's RPC, which `rpc` needs. */
  readonly hasRpc: boolean;
  /** A request of CometBFT's RPC, passed to a node that speaks it. */
  readonly rpc: (call: RpcCall) => Promise<Result<NodeReply>>;
  /** The greatest height that any node has reported and that is believed. */
  readonly bestHeight: () => bigint | undefined;
  /** The chain that every node has reported lately; undefined where one has not, or another. */
  readonly agreedChain: () => string | undefined;
  readonly nodes: () => readonly NodeState[];
}

/** A request of CometBFT's RPC as it is. */
export interface RpcCall extends Pick<UpstreamCall, "deadline" | "signal" | "isRepeatable"> {
  readonly method: string;
  readonly params: JsonObject | readonly JsonValue[];
}

/** A node's answer to it, unchanged. */
export type NodeReply =
  | { readonly kind: "result"; readonly result: JsonValue }
  | {
      readonly kind: "error";
      readonly error: { readonly code: number; readonly message: string; readonly data?: string };
    };

export interface NodeState {
  readonly name: string;
  readonly kind: NodeKind;
  /**
   * `stale`: behind the others; `implausible`: it reports a height that no chain can have; `other-chain`: it is not the
   * deployment's chain, and is not asked; `open`: asked only if no other can be; `probing`: one request finds out whether it is back.
   */
  readonly state: "ok" | "stale" | "implausible" | "other-chain" | "open" | "probing";
  readonly height?: bigint;
}

export type NodeKind = "grpc-web" | "lcd" | "abci-query" | "embedded";

/** One entry of `nodes`, checked and with its secrets filled in. */
export interface NodeSettings {
  readonly name: string;
  readonly kind: NodeKind;
  /** Without a trailing slash; `""` for the embedded node. */
  readonly url: string;
  /** The lowest is asked first. */
  readonly tier: number;
  readonly weight: number;
  /** Bounds one try, milliseconds. */
  readonly timeoutMs?: number;
  readonly earliestHeight?: bigint;
  /** Sent with each request to this node. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The deployment's `upstream`, and what of its `limits` bounds an answer. */
export interface UpstreamSettings {
  readonly retries: number;
  /** Milliseconds; 0 = never call a second node in parallel. */
  readonly hedgeAfterMs: number;
  readonly breaker: { readonly failures: number; readonly windowMs: number; readonly openMs: number };
  /** Blocks. */
  readonly maxLag: number;
  readonly responseBytes: number;
  /** Milliseconds that a request has unless its caller asks for less: failing in much less speaks of no node. */
  readonly timeoutMs: number;
}

/**
 * Why one try of one node brought no answer. `unreachable`: nothing came; `timeout`: it took too long; `bad_answer`: what came
 * is no answer; `answer_too_large`; `decode_error`: a whole answer whose message does not fit the schema; `refused`: a proxy
 * does not let this request pass; `unsupported`: this kind of node cannot be asked this; `other_chain`; `internal_error`: a bug
 * of the gateway.
 */
export interface NodeFailure extends Failure {
  readonly reason:
    | "unreachable"
    | "timeout"
    | "bad_answer"
    | "answer_too_large"
    | "decode_error"
    | "refused"
    | "unsupported"
    | "other_chain"
    | "internal_error";
}

export type NodeTry = Omit<UpstreamCall, "isRepeatable">;

/** One node, one try. The edge brings its own for the embedded node. */
export interface NodeClient {
  readonly call: (call: NodeTry) => Promise<Result<UpstreamAnswer, NodeFailure>>;
  readonly stream: (call: NodeTry) => Promise<Result<UpstreamStream | NodeStatus, NodeFailure>>;
  /** Absent: the node speaks no JSON-RPC. */
  readonly rpc?: (call: Omit<RpcCall, "isRepeatable">) => Promise<Result<NodeReply, NodeFailure>>;
}

/**
 * `createUpstream` of pool.ts takes these. `fetch`, `clock` and `random` are arguments so that tests control them.
 */
export interface UpstreamDependencies {
  readonly nodes: readonly NodeSettings[];
  readonly settings: UpstreamSettings;
  /** What nodes are compared with; absent: nothing is compared. */
  readonly chain?: ChainSettings | undefined;
  /** Answers for nodes of kind `embedded`. */
  readonly embedded: NodeClient;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: (event: string, members: Readonly<Record<string, string | number | boolean>>) => void;
}

export const HEIGHT_HEADER = "x-cosmos-block-height";

const HEIGHT_MAX = 2n ** 63n - 1n;

/** A non-negative int64 in decimal digits. */
export function parseHeight(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const height = BigInt(text);
  return height > HEIGHT_MAX ? undefined : height;
}

/** The height that a node reports with its answer. In-process transports send the header twice, as `7, 7`. */
export function reportedHeight(text: string | null | undefined): bigint | undefined {
  const first = text?.split(",", 1)[0]?.trim();
  const height = first === undefined ? undefined : parseHeight(first);
  return height === 0n ? undefined : height;
}
