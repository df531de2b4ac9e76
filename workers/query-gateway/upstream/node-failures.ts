/**
 * How a call to a node fails, and the error that carries a failure through Connect's transport, which wraps whatever is thrown
 * inside it and keeps it as the cause.
 */
import { badAnswer, GRPC, type GatewayFault } from "../gateway-fault.ts";
import type { NodeFailure } from "./upstream.ts";

export class NodeError extends Error {
  readonly failure: NodeFailure;
  constructor(failure: NodeFailure) {
    super(failure.fault.message);
    this.name = "NodeError";
    this.failure = failure;
  }
}

/** What came is no answer of a node. */
export function noAnswer(what: string): NodeFailure {
  return { cause: "wire", fault: badAnswer(`The node's answer cannot be read: ${what}`) };
}

export const unreachable: NodeFailure = {
  cause: "network",
  fault: { code: GRPC.unavailable, message: "The node cannot be reached", retryAfter: 1 },
};

export const tooLarge: NodeFailure = {
  cause: "limit",
  fault: { code: GRPC.internal, status: 502, message: "The node's answer is too large" },
};

/**
 * The node is well and would say the same again: its chain has another schema, or somebody has stored a text that is not
 * UTF-8. Another node may run another release, so it is asked. Were this held against a node, anyone could have all nodes
 * taken for dead by asking for such an answer again and again.
 */
export const misfit: NodeFailure = { ...noAnswer("its message does not fit the schema"), cause: "misfit" };

/** The node cannot be asked this; another kind of node may be. */
export function unable(message: string): NodeFailure {
  return { cause: "unable", fault: { code: GRPC.unimplemented, message } };
}

export function nodeSaid(fault: GatewayFault): NodeFailure {
  return { cause: "status", fault };
}

/** A whole body that could not be had. */
export function unreadBody(reason: "too-large" | "broken"): NodeFailure {
  return reason === "too-large" ? tooLarge : noAnswer("it broke off");
}

/** Statuses of a proxy for which the request is too long: its body, its address, its headers. */
const TOO_LONG: readonly number[] = [413, 414, 431];

/**
 * An HTTP status that speaks of what stands before the node rather than of the call. A balancer's 404 must never look
 * like a method that the node does not have.
 */
export function refusalOf(status: number): NodeFailure {
  if (status === 429)
    return nodeSaid({ code: GRPC.resourceExhausted, message: "The node is asked too often", retryAfter: 1 });
  if (status === 502 || status === 503 || status === 504)
    return {
      cause: status === 504 ? "time" : "network",
      fault: { code: GRPC.unavailable, message: "The node is not available", retryAfter: 1 },
    };
  const refused = noAnswer(`HTTP status ${status}`);
  // The node is well, and another one may take more. Anyone can send a long request, so it must not count against the node.
  return TOO_LONG.includes(status) ? { ...refused, cause: "misfit" } : refused;
}

export const deadlineFault: GatewayFault = { code: GRPC.deadlineExceeded, message: "No node answered in time" };
export const goneFault: GatewayFault = { code: GRPC.cancelled, message: "The caller has gone" };
export const noneReachesBack: GatewayFault = {
  code: GRPC.outOfRange,
  message: "No node reaches back to this height",
};

/** The node would answer from another chain. */
export const otherChain: NodeFailure = {
  cause: "unable",
  fault: { code: GRPC.unavailable, message: "No node of this chain can be asked", retryAfter: 1 },
};

/** One node was silent for as long as it may be; another one may answer. */
export const slowNode: NodeFailure = {
  cause: "time",
  fault: { code: GRPC.unavailable, message: "The node did not answer in its time", retryAfter: 1 },
};
