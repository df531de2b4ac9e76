/**
 * A server-streaming call to the first node that opens one. While no message has come, another node may be asked; after that
 * never, since half of the messages may be with the caller. The request's deadline bounds it to its last message.
 */
import type { Message } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { GatewayFault } from "../../gateway-fault.ts";
import { unable } from "../node-error.ts";
import type { NodeFailure, UpstreamCall, UpstreamStream } from "../upstream.ts";
import { askableNodes, type PooledNode } from "./node-order.ts";
import { isLate, mayTryAgain, verdictOn } from "./node-try.ts";
import { deadlineFault, otherChain } from "./pool-faults.ts";

/** `candidates` in the order in which they are to be asked. */
export async function openStream(
  candidates: readonly PooledNode[],
  call: UpstreamCall,
  clock: () => number,
): Promise<Result<UpstreamStream, GatewayFault>> {
  const { path } = call.bound;
  const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(call.deadline - clock())));
  const signal = AbortSignal.any([call.signal, deadline]);
  const inTime = (fault: GatewayFault): GatewayFault =>
    deadline.aborted || isLate(call, clock) ? deadlineFault : fault;

  let last: NodeFailure = unable("No node can be asked to stream");
  for (const { client, health, chain } of askableNodes(candidates, path).nodes) {
    if (!(await chain.verify({ ...call, signal }))) {
      last = otherChain;
      continue;
    }
    const begun = health.begin(path);
    const opened = await client.stream({ ...call, signal });
    if (opened.ok) {
      health.settle(begun, "good");
      return success({ ...opened.value, messages: bounded(opened.value.messages, inTime) });
    }
    last = opened.error;
    health.settle(begun, signal.aborted ? "none" : verdictOn(last));
    if (signal.aborted || !(last.cause === "unable" || (call.isRepeatable && mayTryAgain(last)))) break;
  }
  return failure(inTime(last.fault));
}

async function* bounded(
  messages: AsyncIterable<Result<Message, GatewayFault>>,
  inTime: (fault: GatewayFault) => GatewayFault,
): AsyncGenerator<Result<Message, GatewayFault>, void, undefined> {
  for await (const message of messages) yield message.ok ? message : failure(inTime(message.error));
}
