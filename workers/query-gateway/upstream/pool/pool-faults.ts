/** What a call fails with when no node has said anything to it (contract D, section 7.3). */
import { GRPC, type GatewayFault } from "../../gateway-fault.ts";
import type { NodeFailure } from "../upstream.ts";

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
