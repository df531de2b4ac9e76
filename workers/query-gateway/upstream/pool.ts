/**
 * The nodes of a deployment as one upstream: which nodes a call may use and in which order. pool/node-call.ts runs a unary call over
 * them; a stream is opened here.
 */
import type { Message } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";
import { createAbciQueryClient } from "./abci-query-client.ts";
import { createChainCheck, noChainCheck } from "./chain-check.ts";
import { createGrpcWebClient } from "./grpc-web/client.ts";
import { createLcdClient } from "./lcd-client.ts";
import { noneReachesBack, otherChain, unable, deadlineFault } from "./node-failures.ts";
import { callNodes } from "./pool/node-call.ts";
import { createNodeHealth } from "./pool/node-health.ts";
import { bestHeight, isStale, orderNodes, type PooledNode, askableNodes } from "./pool/node-order.ts";
import { isLate, mayTryAgain, verdictOn } from "./pool/node-try.ts";
import type {
  NodeState,
  Upstream,
  UpstreamParts,
  NodeClient,
  NodeSettings,
  NodeFailure,
  UpstreamCall,
  UpstreamStream,
} from "./upstream.ts";

export function createUpstream(parts: UpstreamParts): Upstream {
  const { settings, clock, random } = parts;
  const nodes: readonly PooledNode[] = parts.nodes.map((node) => {
    const client = createNodeClient(node, parts);
    const checked = node.kind === "embedded" ? undefined : parts.chain;
    const log: Parameters<typeof createChainCheck>[3] = (event, members) =>
      parts.log(event, { node: node.name, kind: node.kind, ...members });
    return {
      settings: node,
      client,
      health: createNodeHealth(settings.breaker, clock),
      chain: checked === undefined ? noChainCheck : createChainCheck(checked, client, clock, log),
    };
  });
  const order = (height: bigint | undefined) => orderNodes(nodes, { height, maxLag: settings.maxLag, random });

  return {
    call: async (call) => {
      const candidates = order(call.height);
      return candidates.length === 0 ? failure(noCandidate(nodes)) : callNodes(candidates, call, parts);
    },
    stream: async (call) => {
      const candidates = order(call.height);
      return candidates.length === 0 ? failure(noCandidate(nodes)) : openStream(candidates, call, clock);
    },
    bestHeight: () => bestHeight(nodes),
    nodes: () => {
      const best = bestHeight(nodes);
      return nodes.map((node) => stateOf(node, best, settings.maxLag));
    },
  };
}

function noCandidate(nodes: readonly PooledNode[]): GatewayFault {
  return nodes.every(({ chain }) => chain.isElsewhere()) ? otherChain.fault : noneReachesBack;
}

function stateOf(node: PooledNode, best: bigint | undefined, maxLag: number): NodeState {
  const { name, kind } = node.settings;
  const height = node.health.height();
  return { name, kind, state: stateName(node, best, maxLag), ...(height !== undefined && { height }) };
}

function stateName(node: PooledNode, best: bigint | undefined, maxLag: number): NodeState["state"] {
  if (node.chain.isElsewhere()) return "other-chain";
  const state = node.health.state();
  if (state !== "ok") return state;
  if (node.health.isImplausible()) return "implausible";
  return isStale(node, best, maxLag) ? "stale" : "ok";
}

function createNodeClient(
  node: NodeSettings,
  {
    embedded,
    fetch,
    clock,
    settings: { responseBytes },
  }: Pick<UpstreamParts, "embedded" | "fetch" | "clock" | "settings">,
): NodeClient {
  switch (node.kind) {
    case "grpc-web":
      return createGrpcWebClient({ node, fetch, clock, responseBytes });
    case "lcd":
      return createLcdClient({ node, fetch, responseBytes });
    case "abci-query":
      return createAbciQueryClient({ node, fetch, responseBytes });
    case "embedded":
      return embedded;
  }
}

/** `candidates` in the order in which they are to be asked. */
async function openStream(
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
