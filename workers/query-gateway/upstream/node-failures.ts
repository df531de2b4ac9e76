/** How a try of a node fails, and how a call fails that no node has answered. */
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { GRPC, type NodeFailure, type NodeStatus } from "./upstream.ts";

const TRY_AGAIN = { retryAfter: 1 } as const;

/** What came is no answer of a node. */
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
 * The node is well and would answer the same again: its chain has another schema, or somebody has stored a text that is not
 * UTF-8. Another node may run another release, so it is asked. If this counted against a node, anyone could have all nodes
 * taken for dead by asking for such an answer again and again.
 */
export const decodeError: NodeFailure = {
  ...badAnswer("its message does not fit the schema"),
  reason: "decode_error",
};

/** This kind of node cannot be asked this; another kind may be. */
export function unsupported(message: string): NodeFailure {
  return { ...newFailure("not_implemented", message), reason: "unsupported" };
}

/** The node would answer from another chain. */
export const otherChain: NodeFailure = {
  ...newFailure("unavailable", "No node of this chain is available", TRY_AGAIN),
  reason: "other_chain",
};

/** One node used up its own time; another one may answer. */
export const nodeTimeout: NodeFailure = {
  ...newFailure("unavailable", "The node timed out", TRY_AGAIN),
  reason: "timeout",
};

/** Of ours, never of the caller's: the reason is in the log. */
export const internalError: NodeFailure = {
  ...newFailure("internal", "Internal server error"),
  reason: "internal_error",
};

export const deadlineExceeded: Failure = newFailure("deadline_exceeded", "No node answered in time");
export const callerGone: Failure = newFailure("cancelled", "The caller disconnected");
export const noneReachesBack: Failure = newFailure("out_of_range", "No node has data for this height");

/** A whole body that could not be had. */
export function unreadBody(reason: "too-large" | "broken"): NodeFailure {
  return reason === "too-large" ? answerTooLarge : badAnswer("it broke off, or is not UTF-8");
}

/**
 * An HTTP status that speaks of what stands before the node rather than of the call. A balancer's 404 must never look
 * like a method that the node does not have; a 429 is the node's own word.
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

/** A proxy that is itself well. With 502 the node broke off this one answer; with 503 there is no node behind the proxy. */
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

/** A node's status is an answer; a failure is not. */
export function resultOf(outcome: NodeStatus | NodeFailure): Result<NodeStatus, NodeFailure> {
  return "kind" in outcome ? success(outcome) : failure(outcome);
}
