/**
 * A unary call over the nodes that may be asked (contract D, section 7.3): one try after the other, each of another node while
 * there is one, a second try beside the first where hedging is on. The first final answer ends the call and what still runs.
 */
import { describeThrown } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { GRPC, type GatewayFault } from "../../gateway-fault.ts";
import { deadlineFault, goneFault, slowNode } from "../node-failures.ts";
import type { UpstreamAnswer, UpstreamCall, UpstreamParts } from "../upstream.ts";
import { askableNodes, type PooledNode } from "./node-order.ts";
import { mayTryAgain, startTry, type EndedTry, type Ending, type RunningTry } from "./node-try.ts";

type Answer = Result<UpstreamAnswer, GatewayFault>;
type CallParts = Pick<UpstreamParts, "settings" | "clock" | "log">;

/** Milliseconds before a node is asked again by the same request, times the tries it has had. */
const RETRY_PAUSE_MS = 50;

/** `candidates` in the order in which they are to be asked. */
export async function callNodes(
  candidates: readonly PooledNode[],
  call: UpstreamCall,
  parts: CallParts,
): Promise<Answer> {
  const tries = createTries(candidates, call, parts);
  const hedge = createHedge(call.isRepeatable ? parts.settings.hedgeAfterMs : 0);
  try {
    tries.begin();
    for (;;) {
      const settled = await Promise.race([...tries.ends(), hedge.due]);
      if (settled === "hedge") {
        hedge.stop();
        tries.begin();
        continue;
      }
      const answer = tries.settle(settled);
      if (answer !== undefined) return answer;
    }
  } finally {
    hedge.stop();
    tries.abandon();
  }
}

/** The tries of one call: which node is next, and what a try that has ended makes of the call. */
function createTries(candidates: readonly PooledNode[], call: UpstreamCall, { settings, clock, log }: CallParts) {
  const running = new Set<RunningTry>();
  const counts = new Map<PooledNode, number>();
  /** Would say the same again. */
  const excluded = new Set<PooledNode>();
  let left = call.isRepeatable ? 1 + settings.retries : 1;
  let isLimited = false;
  let last: GatewayFault | undefined;
  const countOf = (node: PooledNode): number => counts.get(node) ?? 0;
  const logThrown = (thrown: unknown): void => log("upstream-threw", { reason: describeThrown(thrown) });

  /**
   * Asks the candidate with the fewest tries that is not being asked already, if there is one. When every circuit is open, each
   * candidate is asked once: a caller is better served by a node in doubt than by none.
   */
  function begin(): void {
    const busy = new Set([...running].map(({ node }) => node));
    const { nodes, arePanicked } = askableNodes(
      candidates.filter((each) => !excluded.has(each)),
      call.bound.path,
    );
    const [node] = nodes
      .filter((each) => !busy.has(each) && !(arePanicked && counts.has(each)))
      .toSorted((one, other) => countOf(one) - countOf(other));
    if (node === undefined) return;
    const pauseMs = countOf(node) * RETRY_PAUSE_MS;
    counts.set(node, countOf(node) + 1);
    running.add(startTry(node, call, { clock, timeoutMs: settings.timeoutMs, logThrown, pauseMs }));
  }

  /** The end of the call, if this is it; else the next try has begun, or another is still under way. */
  function settle({ running: ended, ending }: EndedTry): Answer | undefined {
    const { node } = ended;
    running.delete(ended);
    noteHeight(node, ending);
    if (ending.kind === "answer" && ending.result.ok) return success(ending.result.value);
    if (ending.kind === "deadline" || ending.kind === "lost") return failure(deadlineFault);
    if (ending.kind === "gone") return failure(goneFault);
    const failed = ending.kind === "answer" && !ending.result.ok ? ending.result.error : slowNode;
    last = failed.fault;
    if (failed.cause === "unable" || failed.cause === "misfit") excluded.add(node);
    if (failed.cause !== "unable") {
      const { name, kind } = node.settings;
      log("node-failed", { node: name, kind, cause: failed.cause, code: failed.fault.code });
      // A node that has had enough is taken at its word the second time.
      const isExhausted = failed.fault.code === GRPC.resourceExhausted;
      if (!mayTryAgain(failed) || (isExhausted && isLimited)) return failure(failed.fault);
      isLimited ||= isExhausted;
      left -= 1;
    }
    if (left > 0) begin();
    return running.size === 0 ? failure(last) : undefined;
  }

  /** What was asked at a height of its own says nothing of how far the node is. */
  function noteHeight({ health }: PooledNode, ending: Ending): void {
    if (ending.kind !== "answer" || call.height !== undefined) return;
    const { height } = ending.result.ok ? ending.result.value : ending.result.error.fault;
    if (height !== undefined) health.noteHeight(height);
  }

  return {
    begin,
    settle,
    ends: () => [...running].map(({ ended }) => ended),
    abandon: () => {
      for (const { abandon } of running) abandon();
    },
  };
}

interface Hedge {
  /** Settles when a second node is to be asked beside the first; never when hedging is off or stopped. */
  due: Promise<"hedge">;
  readonly stop: () => void;
}

function createHedge(afterMs: number): Hedge {
  const never = new Promise<"hedge">(() => undefined);
  if (afterMs === 0) return { due: never, stop: () => undefined };
  const { promise, resolve } = Promise.withResolvers<"hedge">();
  const timer = setTimeout(() => resolve("hedge"), afterMs);
  const hedge: Hedge = {
    due: promise,
    stop: () => {
      clearTimeout(timer);
      hedge.due = never;
    },
  };
  return hedge;
}
