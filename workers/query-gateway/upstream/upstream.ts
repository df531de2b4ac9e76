/**
 * The target of a call: one node, or several as one. Contains the types, and the parsing of heights. The request has been
 * converted to a message before, and the response is printed afterwards; the implementations decide which node is called, how
 * often and for how long.
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
  /** Absent for the latest. */
  readonly height?: bigint;
  /** When the response must have arrived, including retries: Unix milliseconds. */
  readonly deadline: number;
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** A query without side effects, which can be sent more than once. */
  readonly isRepeatable: boolean;
}

/** The codes of google.rpc.Code. */
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

const codeNames = new Map<number, string>(
  Object.entries(GRPC).map(([name, code]) => [code, name.replaceAll(/[A-Z]/g, "_$&").toUpperCase()]),
);

/** `NOT_FOUND` for 5; `OTHER` for a node's own code. */
export function codeName(code: number): string {
  return codeNames.get(code) ?? "OTHER";
}

/** A node's error response. It is data: the gateway prints it unchanged. */
export interface NodeStatus {
  readonly kind: "status";
  /** The code from google.rpc.Code, or the node's own code. */
  readonly code: number;
  readonly message: string;
  readonly details?: readonly StatusDetail[];
  /** The HTTP status of a node called over HTTP. */
  readonly httpStatus?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The height of the state from which the node answered. */
  readonly height?: bigint;
  /** The node that responded. */
  readonly node?: string;
}

export type StatusDetail =
  | { readonly kind: "any"; readonly typeUrl: string; readonly value: Uint8Array }
  /** An Any in JSON, from a node called over HTTP. */
  | { readonly kind: "json"; readonly text: string };

export type UpstreamAnswer =
  | { readonly kind: "message"; readonly message: Message; readonly height?: bigint; readonly node?: string }
  /** From a node called over HTTP: its document, unchanged. */
  | { readonly kind: "json"; readonly text: string; readonly height?: bigint; readonly node?: string }
  | NodeStatus;

export interface UpstreamStream {
  readonly kind: "stream";
  readonly height?: bigint;
  /** Ends after the first error. Leaving it early ends the call. */
  readonly messages: AsyncIterable<Result<Message, NodeStatus | Failure>>;
}

/** A failure is the gateway's own: no node has responded. */
export interface Upstream {
  readonly call: (call: UpstreamCall) => Promise<Result<UpstreamAnswer>>;
  /** For server-streaming methods; never repeated. */
  readonly stream: (call: UpstreamCall) => Promise<Result<UpstreamStream | NodeStatus>>;
  /** Whether some node speaks CometBFT's RPC, which `rpc` requires. */
  readonly hasRpc: boolean;
  /** A request of CometBFT's RPC, passed to a node that supports it. */
  readonly rpc: (call: RpcCall) => Promise<Result<NodeReply>>;
  /** The highest believed height that any node has reported. */
  readonly bestHeight: () => bigint | undefined;
  /** The chain that all nodes have recently reported; undefined if one has not, or if they differ. */
  readonly agreedChain: () => string | undefined;
  readonly nodes: () => readonly NodeState[];
}

/** An unchanged request of CometBFT's RPC. */
export interface RpcCall extends Pick<UpstreamCall, "deadline" | "signal" | "isRepeatable"> {
  readonly method: string;
  readonly params: JsonObject | readonly JsonValue[];
}

/** A node's response to it, unchanged. */
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
   * `stale`: behind the others; `implausible`: it reports an impossible height; `other-chain`: it is not on the
   * profile's chain, and is not called; `open`: called only if no other can be; `probing`: one request finds out
   * whether it has recovered.
   */
  readonly state: "ok" | "stale" | "implausible" | "other-chain" | "open" | "probing";
  readonly height?: bigint;
}

export type NodeKind = "grpc-web" | "lcd" | "abci-query" | "embedded";

/** One entry of `nodes`, validated and with its secrets filled in. */
export interface NodeSettings {
  readonly name: string;
  readonly kind: NodeKind;
  /** Without a trailing slash; `""` for the embedded node. */
  readonly url: string;
  /** The lowest tier is called first. */
  readonly tier: number;
  readonly weight: number;
  /** Timeout of one attempt in milliseconds. */
  readonly timeoutMs?: number;
  readonly earliestHeight?: bigint;
  /** Sent with each request to this node. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The profile's `upstream`, and the members of its `limits` that apply to a response. */
export interface UpstreamSettings {
  readonly retries: number;
  /** Milliseconds; 0 means never call a second node in parallel. */
  readonly hedgeAfterMs: number;
  readonly breaker: { readonly failures: number; readonly windowMs: number; readonly openMs: number };
  /** Blocks. */
  readonly maxLag: number;
  readonly responseBytes: number;
  /** Milliseconds that a request has unless its caller sets less: failing in much less shows nothing about a node. */
  readonly timeoutMs: number;
}

/**
 * Why one attempt on one node got no response. `unreachable`: nothing arrived; `timeout`: it took too long;
 * `bad_answer`: the data is not a response; `answer_too_large`; `decode_error`: a complete response whose message does
 * not fit the schema; `refused`: a proxy refuses this request; `unsupported`: this kind of node does not support it;
 * `other_chain`; `internal_error`: a bug of the gateway.
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

/** One node, one attempt. The edge provides one for the embedded node. */
export interface NodeClient {
  readonly call: (call: NodeTry) => Promise<Result<UpstreamAnswer, NodeFailure>>;
  readonly stream: (call: NodeTry) => Promise<Result<UpstreamStream | NodeStatus, NodeFailure>>;
  /** Absent if the node supports no JSON-RPC. */
  readonly rpc?: (call: Omit<RpcCall, "isRepeatable">) => Promise<Result<NodeReply, NodeFailure>>;
}

/**
 * The parameters of `createUpstream` in pool.ts. `fetch`, `clock` and `random` are parameters so that tests control
 * them.
 */
export interface UpstreamDependencies {
  readonly nodes: readonly NodeSettings[];
  readonly settings: UpstreamSettings;
  /** The basis for comparing nodes; absent if nothing is compared. */
  readonly chain?: ChainSettings | undefined;
  /** Answers for nodes of kind `embedded`. */
  readonly embedded: NodeClient;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: (event: string, members: Readonly<Record<string, string | number | boolean>>) => void;
  /** Counts an attempt on a node; `code`: a name of google.rpc.Code, or the reason for a missing response. */
  readonly count: (node: string, code: string) => void;
}

export const HEIGHT_HEADER = "x-cosmos-block-height";

const HEIGHT_MAX = 2n ** 63n - 1n;

/** A non-negative int64 in decimal digits. */
export function parseHeight(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const height = BigInt(text);
  return height > HEIGHT_MAX ? undefined : height;
}

/** The height in a node's response. In-process transports send the header twice, as `7, 7`. */
export function reportedHeight(text: string | null | undefined): bigint | undefined {
  const first = text?.split(",", 1)[0]?.trim();
  const height = first === undefined ? undefined : parseHeight(first);
  return height === 0n ? undefined : height;
}
