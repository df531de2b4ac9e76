/**
 * The nodes of a deployment behind one face (contract D, section 7.3): whom a call may ask, in which order, and what is known of
 * each. How a call goes on from node to node is pool/node-call.ts's, for streams pool/node-stream.ts's.
 */
import { failure } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";
import { createChainCheck, noChainCheck } from "./chain-check.ts";
import { createNodeClient } from "./node-clients.ts";
import { callNodes } from "./pool/node-call.ts";
import { createNodeHealth } from "./pool/node-health.ts";
import { bestHeight, isStale, orderNodes, type PooledNode } from "./pool/node-order.ts";
import { openStream } from "./pool/node-stream.ts";
import { noneReachesBack, otherChain } from "./pool/pool-faults.ts";
import type { NodeState, Upstream, UpstreamParts } from "./upstream.ts";

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
