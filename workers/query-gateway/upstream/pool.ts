/**
 * The nodes of a deployment behind one face (contract D, section 7.3): whom a call may ask, in which order, and what is known of
 * each. How a call goes on from node to node is pool/node-call.ts's, for streams pool/node-stream.ts's.
 */
import { failure } from "../../platform/result.ts";
import { createNodeClient } from "./node-clients.ts";
import { callNodes } from "./pool/node-call.ts";
import { createNodeHealth } from "./pool/node-health.ts";
import { bestHeight, isStale, orderNodes, type PooledNode } from "./pool/node-order.ts";
import { openStream } from "./pool/node-stream.ts";
import { noneReachesBack } from "./pool/pool-faults.ts";
import type { NodeState, Upstream, UpstreamParts } from "./upstream.ts";

export function createUpstream(parts: UpstreamParts): Upstream {
  const { settings, clock, random } = parts;
  const nodes: readonly PooledNode[] = parts.nodes.map((node) => ({
    settings: node,
    client: createNodeClient(node, parts),
    health: createNodeHealth(settings.breaker, clock),
  }));
  const order = (height: bigint | undefined) => orderNodes(nodes, { height, maxLag: settings.maxLag, random });

  return {
    call: async (call) => {
      const candidates = order(call.height);
      return candidates.length === 0 ? failure(noneReachesBack) : callNodes(candidates, call, parts);
    },
    stream: async (call) => {
      const candidates = order(call.height);
      return candidates.length === 0 ? failure(noneReachesBack) : openStream(candidates, call, clock);
    },
    bestHeight: () => bestHeight(nodes),
    nodes: () => {
      const best = bestHeight(nodes);
      return nodes.map((node) => stateOf(node, best, settings.maxLag));
    },
  };
}

function stateOf(node: PooledNode, best: bigint | undefined, maxLag: number): NodeState {
  const { name, kind } = node.settings;
  const state = node.health.state();
  const height = node.health.height();
  return {
    name,
    kind,
    state: state === "ok" && isStale(node, best, maxLag) ? "stale" : state,
    ...(height !== undefined && { height }),
  };
}
