/**
 * What answers a call: one node, or several behind one face (contract D, section 7). Interfaces only. The edge maps a
 * request to a message before and prints the answer after; who is asked, how often and how long is decided behind these.
 */
import type { Message } from "@bufbuild/protobuf";
import type { Result } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import type { ChainSettings } from "./chain-check.ts";

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

export type UpstreamAnswer =
  | { readonly kind: "message"; readonly message: Message; readonly height?: bigint }
  /** From a node that was asked over HTTP: its document, unchanged. */
  | { readonly kind: "json"; readonly text: string; readonly height?: bigint };

export interface UpstreamStream {
  readonly height?: bigint;
  /** Ends after the first failure. Leaving it early ends the call. */
  readonly messages: AsyncIterable<Result<Message, GatewayFault>>;
}

export interface Upstream {
  readonly call: (call: UpstreamCall) => Promise<Result<UpstreamAnswer, GatewayFault>>;
  /** For server-streaming methods; never repeated. */
  readonly stream: (call: UpstreamCall) => Promise<Result<UpstreamStream, GatewayFault>>;
  /** The greatest height that any node has reported and that is believed. */
  readonly bestHeight: () => bigint | undefined;
  readonly nodes: () => readonly NodeState[];
}

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
  /** Milliseconds; 0 = never ask a second node beside the first. */
  readonly hedgeAfterMs: number;
  readonly breaker: { readonly failures: number; readonly windowMs: number; readonly openMs: number };
  /** Blocks. */
  readonly maxLag: number;
  readonly responseBytes: number;
  /** Milliseconds that a request has unless its caller asks for less: failing in much less speaks of no node. */
  readonly timeoutMs: number;
}

/** Why one try of one node failed, and whether another node may do better. */
export interface NodeFailure {
  readonly fault: GatewayFault;
  /**
   * `status`: the node said so; `wire`: what it sent is no answer; `network`: nothing came; `time`: it took too long; `limit`: too
   * much came; `misfit`: a whole answer whose message is not of our schema, or a request that is too long for it; `unable`: it
   * cannot be asked this.
   */
  readonly cause: "status" | "wire" | "network" | "time" | "limit" | "misfit" | "unable";
}

export type NodeTry = Omit<UpstreamCall, "isRepeatable">;

/** One node, one try. Of the embedded node the edge brings its own. */
export interface NodeClient {
  readonly call: (call: NodeTry) => Promise<Result<UpstreamAnswer, NodeFailure>>;
  readonly stream: (call: NodeTry) => Promise<Result<UpstreamStream, NodeFailure>>;
}

/**
 * `createUpstream` of pool.ts takes these. `fetch`, `clock` and `random` come in so that tests hold them in their hands.
 */
export interface UpstreamParts {
  readonly nodes: readonly NodeSettings[];
  readonly settings: UpstreamSettings;
  /** What nodes are compared with; absent: nothing is compared. */
  readonly chain?: ChainSettings;
  /** Answers for nodes of kind `embedded`. */
  readonly embedded: NodeClient;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: (event: string, members: Readonly<Record<string, string | number | boolean>>) => void;
}
