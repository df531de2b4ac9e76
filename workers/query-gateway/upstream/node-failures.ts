/** The failures of an attempt on a node, and of a call that no node has answered. */
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { GRPC, type NodeFailure, type NodeStatus } from "./upstream.ts";

const TRY_AGAIN = { retryAfter: 1 } as const;

/** The received data is not a node's response. */
export function badAnswer(what: string): NodeFailure {
  return { ...newFailure("upstream_failed", `Invalid response from the node: ${what}`), reason: "bad_answer" };
}

export const unreachable: NodeFailure = {
  ...newFailure("unavailable", "The node cannot be reached", TRY_AGAIN),
  reason: "unreachable",
};

export const answerTooLarge: NodeFailure = {
  ...newFailure("upstream_failed", "The node's answer is too large"),
  reason: "answer_too_large",
};

/**
 * The node is healthy and would give that response again: its chain has another schema, or someone has stored a text
 * that is not UTF-8. Another node may run another release, so it is called. If this counted against a node, anyone
 * could take all nodes out of service by repeating such a request.
 */
export const decodeError: NodeFailure = {
  ...badAnswer("its message does not match the schema"),
  reason: "decode_error",
};

/** This kind of node does not support the request; another kind may. */
export function unsupported(message: string): NodeFailure {
  return { ...newFailure("not_implemented", message), reason: "unsupported" };
}

/** The node would answer from another chain. */
export const otherChain: NodeFailure = {
  ...newFailure("unavailable", "No node of this chain is available", TRY_AGAIN),
  reason: "other_chain",
};

/** One node has timed out; another one may respond. */
export const nodeTimeout: NodeFailure = {
  ...newFailure("unavailable", "The node timed out", TRY_AGAIN),
  reason: "timeout",
};

/** Our own fault, never the caller's: the reason is in the log. */
export const internalError: NodeFailure = {
  ...newFailure("internal", "Internal server error"),
  reason: "internal_error",
};

export const deadlineExceeded: Failure = newFailure("deadline_exceeded", "No node answered in time");
export const callerGone: Failure = newFailure("cancelled", "The caller disconnected");
export const noneReachesBack: Failure = newFailure("out_of_range", "No node has data for this height");

/** A body that could not be read completely. */
export function unreadBody(reason: "too-large" | "broken"): NodeFailure {
  return reason === "too-large" ? answerTooLarge : badAnswer("it ended early, or is not UTF-8");
}

/**
 * An HTTP status that comes from a proxy in front of the node rather than from the call. A load balancer's 404 must
 * never look like a method that the node lacks; a 429 is the node's own.
 */
export function refusedWith(status: number): NodeStatus | NodeFailure {
  if (status === 429)
    return {
      kind: "status",
      code: GRPC.resourceExhausted,
      message: "The node received too many requests",
      ...TRY_AGAIN,
    };
  const reason = unavailableFor(status);
  if (reason !== undefined) return { ...newFailure("unavailable", "The node is not available", TRY_AGAIN), reason };
  const failed = badAnswer(`HTTP status ${status}`);
  // Anyone can send a request that is too long, or that a firewall refuses: that must not count against the node.
  return status >= 400 && status < 500 ? { ...failed, reason: "refused" } : failed;
}

/**
 * A proxy that is itself healthy. With 502 the node broke off this one response; with 503 there is no node after the
 * proxy.
 */
function unavailableFor(status: number): NodeFailure["reason"] | undefined {
  switch (status) {
    case 502:
      return "bad_answer";
    case 503:
      return "unreachable";
    case 504:
      return "timeout";
    default:
      return undefined;
  }
}

/** A node's status is a response; a failure is not. */
export function resultOf(outcome: NodeStatus | NodeFailure): Result<NodeStatus, NodeFailure> {
  return "kind" in outcome ? success(outcome) : failure(outcome);
}
