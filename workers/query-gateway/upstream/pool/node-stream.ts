/**
 * A server-streaming call to the first node that can carry one (contract D, section 7.3). Never repeated: half of its
 * messages may be with the caller. The request's deadline bounds it to its last message.
 */
import type { Message } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { GatewayFault } from "../../gateway-fault.ts";
import { unable } from "../node-error.ts";
import type { NodeFailure, UpstreamCall, UpstreamStream } from "../upstream.ts";
import type { PooledNode } from "./node-order.ts";
import { isLate, isSilence } from "./node-try.ts";
import { deadlineFault, noneAdmits } from "./pool-faults.ts";

/** `candidates` in the order in which they are to be asked. */
export async function openStream(
  candidates: readonly PooledNode[],
  call: UpstreamCall,
  clock: () => number,
): Promise<Result<UpstreamStream, GatewayFault>> {
  const nodes = candidates.filter(({ health }) => health.admits());
  if (nodes.length === 0) return failure(noneAdmits(candidates));
  const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(call.deadline - clock())));
  const signal = AbortSignal.any([call.signal, deadline]);
  const inTime = (fault: GatewayFault): GatewayFault =>
    deadline.aborted || isLate(call, clock) ? deadlineFault : fault;

  let last: NodeFailure = unable("No node can be asked to stream");
  for (const { client, health } of nodes) {
    const begun = health.begin();
    const opened = await client.stream({ ...call, signal });
    if (opened.ok) {
      health.settle(begun, "good");
      return success({ ...opened.value, messages: bounded(opened.value.messages, inTime) });
    }
    last = opened.error;
    const isBad = isSilence(last) && !signal.aborted;
    health.settle(begun, isBad ? "bad" : "none");
    if (last.cause !== "unable") break;
  }
  return failure(inTime(last.fault));
}

async function* bounded(
  messages: AsyncIterable<Result<Message, GatewayFault>>,
  inTime: (fault: GatewayFault) => GatewayFault,
): AsyncGenerator<Result<Message, GatewayFault>, void, undefined> {
  for await (const message of messages) yield message.ok ? message : failure(inTime(message.error));
}
