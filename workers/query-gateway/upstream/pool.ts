/**
 * The nodes of a chain profile as one upstream: which nodes a call can use and in which order. pool/node-call.ts runs a
 * unary call over them; a stream is opened here.
 */
import type { Message } from "@bufbuild/protobuf";
import type { Failure } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { createAbciQueryClient } from "./abci-query-client.ts";
import { createChainChecks } from "./chain-check.ts";
import { createGrpcWebClient } from "./grpc-web/client.ts";
import { createLcdClient } from "./lcd-client.ts";
import { deadlineExceeded, noneReachesBack, otherChain, resultOf, unsupported } from "./node-failures.ts";
import { callNodes } from "./pool/node-call.ts";
import { createNodeHealth, withPlausibleHeight } from "./pool/node-health.ts";
import { bestHeight, isStale, orderNodes, type PooledNode, askableNodes } from "./pool/node-order.ts";
import { codeOfTry, isLate, isNotAsked, mayTryAgain, tryResultOf } from "./pool/node-try.ts";
import { codeName, GRPC } from "./upstream.ts";
import type {
  NodeState,
  Upstream,
  UpstreamDependencies,
  NodeClient,
  NodeSettings,
  NodeFailure,
  NodeStatus,
  UpstreamCall,
  UpstreamStream,
  RpcCall,
  NodeReply,
} from "./upstream.ts";

export function createUpstream(dependencies: UpstreamDependencies): Upstream {
  const { settings, clock, random, count } = dependencies;
  const nodes = poolOf(dependencies);
  const order = ({ bound, height }: UpstreamCall) =>
    orderNodes(nodes, { method: bound.path, height, maxLag: settings.maxLag, random });

  return {
    call: async (call) => {
      const candidates = order(call);
      return candidates.length === 0 ? failure(noCandidate(nodes)) : callNodes(candidates, call, dependencies);
    },
    stream: async (call) => {
      const candidates = order(call);
      return candidates.length === 0 ? failure(noCandidate(nodes)) : openStream(candidates, call, { clock, count });
    },
    hasRpc: nodes.some(({ client }) => client.rpc !== undefined),
    rpc: async (call) => {
      const speaking = nodes.filter(({ client }) => client.rpc !== undefined);
      const method = `rpc/${call.method}`;
      const candidates = orderNodes(speaking, { method, maxLag: settings.maxLag, random });
      return candidates.length === 0
        ? failure(noCandidate(speaking))
        : passOn(candidates, method, call, { clock, count, tries: 1 + settings.retries });
    },
    bestHeight: () => bestHeight(nodes),
    agreedChain: () => {
      const [first, ...more] = nodes.map(({ chain }) => chain?.chain());
      return more.every((each) => each === first) ? first : undefined;
    },
    nodes: () => {
      const best = bestHeight(nodes);
      return nodes.map((node) => stateOf(node, best, settings.maxLag));
    },
  };
}

function poolOf({ nodes, chain, log, ...dependencies }: UpstreamDependencies): readonly PooledNode[] {
  const { settings, clock } = dependencies;
  const pooled = nodes.map((node): PooledNode => ({
    settings: node,
    client: createNodeClient(node, dependencies),
    health: createNodeHealth(settings.breaker, clock),
  }));
  if (chain === undefined) return pooled;
  const checked = pooled.filter(({ settings: { kind } }) => kind !== "embedded");
  const checks = createChainChecks(
    chain,
    checked.map(({ settings: { name, kind }, client, health: { noteHeight } }) => ({
      client,
      noteHeight,
      log: (event, members) => log(event, { node: name, kind, ...members }),
    })),
    clock,
  );
  return pooled.map((each) => {
    const check = checks[checked.indexOf(each)];
    return check === undefined ? each : { ...each, chain: check };
  });
}

function noCandidate(nodes: readonly PooledNode[]): Failure {
  return nodes.every(({ chain }) => chain?.isElsewhere()) ? otherChain : noneReachesBack;
}

function stateOf(node: PooledNode, best: bigint | undefined, maxLag: number): NodeState {
  const { name, kind } = node.settings;
  const height = node.health.height();
  return { name, kind, state: stateName(node, best, maxLag), ...(height !== undefined && { height }) };
}

function stateName(node: PooledNode, best: bigint | undefined, maxLag: number): NodeState["state"] {
  if (node.chain?.isElsewhere()) return "other-chain";
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
  }: Pick<UpstreamDependencies, "embedded" | "fetch" | "clock" | "settings">,
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

/**
 * A request of CometBFT's RPC, sent to one candidate after the other until one replies; only to the first if it may
 * have side effects.
 */
async function passOn(
  candidates: readonly PooledNode[],
  method: string,
  call: RpcCall,
  { clock, count, tries }: Pick<UpstreamDependencies, "clock" | "count"> & { readonly tries: number },
): Promise<Result<NodeReply>> {
  const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(call.deadline - clock())));
  const signal = AbortSignal.any([call.signal, deadline]);
  let last: NodeFailure = unsupported("No node serves this method");
  let left = call.isRepeatable ? tries : 1;
  for (const { settings, client, health, chain } of askableNodes(candidates, method).nodes) {
    if (left === 0 || signal.aborted) break;
    if (chain !== undefined && !(await chain.verify({ signal }))) {
      last = otherChain;
      continue;
    }
    left -= 1;
    const begun = health.begin(method);
    const reply =
      (await client.rpc?.({ ...call, signal })) ?? failure(unsupported("The node does not support JSON-RPC"));
    health.end(begun, signal.aborted ? "unknown" : tryResultOf(reply));
    if (!call.signal.aborted) count(settings.name, reply.ok ? codeName(GRPC.ok) : reply.error.reason);
    if (reply.ok) return reply;
    last = reply.error;
  }
  return deadline.aborted || isLate(call, clock) ? failure(deadlineExceeded) : failure(last);
}

/**
 * A server-streaming call to the first node that opens one, from `candidates` in this order. Before the first message
 * another node can be called; after it never, because the caller may have half of the messages. The deadline applies up
 * to the last message.
 */
async function openStream(
  candidates: readonly PooledNode[],
  call: UpstreamCall,
  { clock, count }: Pick<UpstreamDependencies, "clock" | "count">,
): Promise<Result<UpstreamStream | NodeStatus>> {
  const { path } = call.bound;
  const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(call.deadline - clock())));
  const signal = AbortSignal.any([call.signal, deadline]);
  const isOver = () => deadline.aborted || isLate(call, clock);

  let last: NodeStatus | NodeFailure = unsupported("No node supports streaming");
  for (const { settings, client, health, chain } of askableNodes(candidates, path).nodes) {
    if (chain !== undefined && !(await chain.verify({ ...call, signal }))) {
      last = otherChain;
      continue;
    }
    const begun = health.begin(path);
    const opened = await client.stream({ ...call, signal });
    const outcome = opened.ok ? opened.value : opened.error;
    if (!call.signal.aborted) count(settings.name, codeOfTry(opened));
    if ("kind" in outcome && outcome.kind === "stream") {
      health.end(begun, "answered");
      const stream = withPlausibleHeight(outcome, clock());
      return success({ ...stream, messages: bounded(stream.messages, isOver) });
    }
    health.end(begun, signal.aborted ? "unknown" : tryResultOf(opened));
    last = outcome;
    const isNext = (!opened.ok && isNotAsked(opened.error)) || (call.isRepeatable && mayTryAgain(opened));
    if (signal.aborted || !isNext) break;
  }
  return isOver() ? failure(deadlineExceeded) : resultOf("kind" in last ? withPlausibleHeight(last, clock()) : last);
}

async function* bounded(
  messages: UpstreamStream["messages"],
  isOver: () => boolean,
): AsyncGenerator<Result<Message, NodeStatus | Failure>, void, undefined> {
  for await (const message of messages) yield message.ok || !isOver() ? message : failure(deadlineExceeded);
}
