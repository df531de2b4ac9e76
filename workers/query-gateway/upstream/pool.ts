/**
 * The nodes of a deployment behind one face (contract D, section 7.3): order, retry on another node, hedging, breaker,
 * deadline. Knows no wire; ./node-clients.ts opens those.
 */
import { failure, success, type Result } from "../../platform/result.ts";
import { describeThrown } from "../../platform/log.ts";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";
import { createNodeClient } from "./node-clients.ts";
import { createNodeHealth } from "./node-health.ts";
import { bestHeight, isStale, orderNodes, type PooledNode } from "./node-order.ts";
import { isSilence, startTry, type Ending, type RunningTry } from "./node-try.ts";
import { openStream } from "./node-stream.ts";
import type { NodeFailure, Upstream, UpstreamAnswer, UpstreamCall, UpstreamParts } from "./upstream.ts";

/** Milliseconds before a node is asked again by the same request, times the tries it has had. */
const RETRY_PAUSE_MS = 50;

const deadlineFault: GatewayFault = { code: GRPC.deadlineExceeded, message: "No node answered in time" };
const goneFault: GatewayFault = { code: GRPC.cancelled, message: "The caller has gone" };

export function createUpstream(parts: UpstreamParts): Upstream {
  const { settings, clock, random, log } = parts;
  const nodes: readonly PooledNode[] = parts.nodes.map((node) => ({
    settings: node,
    client: createNodeClient(node, parts),
    health: createNodeHealth(settings.breaker, clock),
  }));
  const order = (height: bigint | undefined) => orderNodes(nodes, { height, maxLag: settings.maxLag, random });
  const logThrown = (thrown: unknown) => log("upstream-threw", { reason: describeThrown(thrown) });

  return {
    call: (call) => ask(call),
    stream: async (call) => {
      const candidates = order(call.height);
      if (candidates.length === 0) return failure(noneReachesBack);
      const admitted = candidates.filter(({ health }) => health.admits());
      if (admitted.length === 0) return failure(allOpen(candidates));
      return openStream(admitted, call, { clock, deadlineFault });
    },
    bestHeight: () => bestHeight(nodes),
    nodes: () => {
      const best = bestHeight(nodes);
      return nodes.map((node) => {
        const { settings: named, health } = node;
        const state = health.state();
        const height = health.height();
        return {
          name: named.name,
          kind: named.kind,
          state: state === "ok" && isStale(node, best, settings.maxLag) ? "stale" : state,
          ...(height !== undefined && { height }),
        };
      });
    },
  };

  async function ask(call: UpstreamCall): Promise<Result<UpstreamAnswer, GatewayFault>> {
    const candidates = order(call.height);
    if (candidates.length === 0) return failure(noneReachesBack);
    const tries = new Map<PooledNode, number>();
    const unable = new Set<PooledNode>();
    const running = new Set<RunningTry>();
    let left = call.isRepeatable ? 1 + settings.retries : 1;
    let isLimited = false;
    let last: GatewayFault | undefined;

    /** The candidate with the fewest tries that is not being asked already. */
    const begin = (): boolean => {
      const busy = new Set([...running].map(({ node }) => node));
      const [node] = candidates
        .filter((each) => !busy.has(each) && !unable.has(each) && each.health.admits())
        .toSorted((one, other) => (tries.get(one) ?? 0) - (tries.get(other) ?? 0));
      if (node === undefined) return false;
      const tried = tries.get(node) ?? 0;
      tries.set(node, tried + 1);
      const { timeoutMs } = settings;
      running.add(startTry(node, call, { clock, timeoutMs, logThrown, pauseMs: tried * RETRY_PAUSE_MS }));
      return true;
    };

    /** The end of the request, if this is it. */
    const conclude = ({ settings: { name, kind } }: PooledNode, ending: Ending): GatewayFault | undefined => {
      if (ending.kind === "deadline" || ending.kind === "lost") return deadlineFault;
      if (ending.kind === "gone") return goneFault;
      const failed = ending.kind === "answer" && !ending.result.ok ? ending.result.error : slowNode;
      last = failed.fault;
      if (failed.cause === "unable") return undefined;
      log("node-failed", { node: name, kind, cause: failed.cause, code: failed.fault.code });
      const isFinal = !mayTryAgain(failed) || (failed.fault.code === GRPC.resourceExhausted && isLimited);
      isLimited ||= failed.fault.code === GRPC.resourceExhausted;
      return isFinal ? failed.fault : undefined;
    };

    const hedge = createHedge(call.isRepeatable ? settings.hedgeAfterMs : 0);
    try {
      if (!begin()) return failure(allOpen(candidates));
      for (;;) {
        const settled = await Promise.race([...[...running].map(({ ended }) => ended), hedge.due]);
        if (settled === "hedge") {
          hedge.stop();
          begin();
          continue;
        }
        const { ending } = settled;
        const { node } = settled.running;
        running.delete(settled.running);
        if (ending.kind === "answer") {
          const { height } = ending.result.ok ? ending.result.value : ending.result.error.fault;
          if (height !== undefined && call.height === undefined) node.health.noteHeight(height);
          if (ending.result.ok) return success(ending.result.value);
        }
        const final = conclude(node, ending);
        if (final !== undefined) return failure(final);
        const isUnable = ending.kind === "answer" && !ending.result.ok && ending.result.error.cause === "unable";
        if (isUnable) unable.add(node);
        else left -= 1;
        if (left > 0) begin();
        if (running.size === 0) return failure(last ?? allOpen(candidates));
      }
    } finally {
      hedge.stop();
      for (const { abandon } of running) abandon();
    }
  }

  function allOpen(candidates: readonly PooledNode[]): GatewayFault {
    const soonest = Math.min(...candidates.map(({ health }) => health.opensIn()));
    const retryAfter = Math.max(1, Math.ceil(soonest / 1000));
    return { code: GRPC.unavailable, message: "No node can be asked now", retryAfter };
  }
}

const noneReachesBack: GatewayFault = { code: GRPC.outOfRange, message: "No node reaches back to this height" };
const slowNode: NodeFailure = {
  cause: "network",
  fault: { code: GRPC.unavailable, message: "The node did not answer in its time", retryAfter: 1 },
};

/** What says nothing about the request itself. */
function mayTryAgain(failed: NodeFailure): boolean {
  const { cause, fault } = failed;
  if (isSilence(failed)) return true;
  return cause === "status" && (fault.code === GRPC.unavailable || fault.code === GRPC.resourceExhausted);
}

interface Hedge {
  /** Settles when a second node is to be asked beside the first; never when hedging is off or stopped. */
  due: Promise<"hedge">;
  readonly stop: () => void;
}

function createHedge(afterMs: number): Hedge {
  const never = new Promise<"hedge">(() => undefined);
  const { promise, resolve } = Promise.withResolvers<"hedge">();
  const timer = afterMs > 0 ? setTimeout(() => resolve("hedge"), afterMs) : undefined;
  const hedge: Hedge = {
    due: timer === undefined ? never : promise,
    stop: () => {
      if (timer !== undefined) clearTimeout(timer);
      hedge.due = never;
    },
  };
  return hedge;
}
