/**
 * A unary call over the allowed nodes: one attempt after the other, each on another node while there is one, and a
 * second attempt in parallel if hedging is on. The first final response ends the call and all running attempts.
 */
import { describeThrown } from "../../../../platform/log.ts";
import { failure, success, type Result } from "../../../../platform/result.ts";
import { callerGone, deadlineExceeded, nodeTimeout } from "../node-failures.ts";
import { GRPC, type UpstreamAnswer, type UpstreamCall, type UpstreamDependencies } from "../upstream.ts";
import { withPlausibleHeight } from "./node-health.ts";
import { askableNodes, type PooledNode } from "./node-order.ts";
import {
  codeOfTry,
  isNotAsked,
  isOfTheNode,
  mayTryAgain,
  startTry,
  type EndedTry,
  type Ending,
  type RunningTry,
} from "./node-try.ts";

type NodeAnswer = Result<UpstreamAnswer>;
type CallContext = Pick<UpstreamDependencies, "settings" | "clock" | "log" | "count">;

/** Milliseconds before a request calls one node again, times its attempts so far. */
const RETRY_PAUSE_MS = 50;

/** `candidates` in the order in which they are called. */
export async function callNodes(
  candidates: readonly PooledNode[],
  call: UpstreamCall,
  context: CallContext,
): Promise<NodeAnswer> {
  const tries = createTries(candidates, call, context);
  const hedge = createHedge(call.isRepeatable ? context.settings.hedgeAfterMs : 0);
  try {
    tries.begin();
    for (;;) {
      const ended = await Promise.race([...tries.ends(), hedge.due]);
      if (ended === "hedge") {
        hedge.stop();
        tries.begin();
        continue;
      }
      const answer = tries.end(ended);
      if (answer !== undefined) return answer;
    }
  } finally {
    hedge.stop();
    tries.abandon();
  }
}

/** The attempts of one call: the next node, and the effect of an ended attempt on the call. */
function createTries(
  candidates: readonly PooledNode[],
  call: UpstreamCall,
  { settings, clock, log, count }: CallContext,
) {
  const running = new Set<RunningTry>();
  const counts = new Map<PooledNode, number>();
  /** Nodes that would fail in the same way again. */
  const excluded = new Set<PooledNode>();
  let left = call.isRepeatable ? 1 + settings.retries : 1;
  let isLimited = false;
  const countOf = (node: PooledNode): number => counts.get(node) ?? 0;
  const logThrown = (thrown: unknown): void => log("upstream-threw", { reason: describeThrown(thrown) });

  /**
   * Calls the idle candidate with the fewest attempts, if there is one. If every circuit is open, each candidate is
   * called once: a caller is better served by a doubtful node than by none.
   */
  function begin(): void {
    const busy = new Set([...running].map(({ node }) => node));
    const { nodes, isPanic } = askableNodes(
      candidates.filter((each) => !excluded.has(each)),
      call.bound.path,
    );
    const [node] = nodes
      .filter((each) => !busy.has(each) && !(isPanic && counts.has(each)))
      .toSorted((one, other) => countOf(one) - countOf(other));
    if (node === undefined) return;
    const pauseMs = countOf(node) * RETRY_PAUSE_MS;
    counts.set(node, countOf(node) + 1);
    running.add(startTry(node, call, { clock, timeoutMs: settings.timeoutMs, logThrown, pauseMs }));
  }

  /** The end of the call, if this is it; otherwise the next attempt has begun, or another is still running. */
  function end({ running: ended, ending }: EndedTry): NodeAnswer | undefined {
    const { node } = ended;
    running.delete(ended);
    noteHeight(node, ending);
    if (ending.kind === "answer") count(node.settings.name, codeOfTry(ending.result));
    else if (ending.kind === "timeout" || ending.kind === "deadline") count(node.settings.name, "timeout");
    if (ending.kind === "deadline" || ending.kind === "lost") return failure(deadlineExceeded);
    if (ending.kind === "gone") return failure(callerGone);
    const result = named(ending.kind === "answer" ? ending.result : failure(nodeTimeout), node, clock());
    const status = result.ok && result.value.kind === "status" ? result.value : undefined;
    if (result.ok && status === undefined) return result;
    const reason = result.ok ? "status" : result.error.reason;
    if (!result.ok && (isNotAsked(result.error) || isOfTheNode(result.error))) excluded.add(node);
    if (result.ok || !isNotAsked(result.error)) {
      const { name, kind } = node.settings;
      log("node-failed", { node: name, kind, reason, ...(status && { code: status.code }) });
      // The first `resource exhausted` is retried; the second is final.
      const isExhausted = status?.code === GRPC.resourceExhausted;
      if (!mayTryAgain(result) || (isExhausted && isLimited)) return result;
      isLimited ||= isExhausted;
      left -= 1;
    }
    if (left > 0) begin();
    return running.size === 0 ? result : undefined;
  }

  /** A response at a requested height does not show the node's latest height. */
  function noteHeight({ health }: PooledNode, ending: Ending): void {
    if (ending.kind !== "answer" || call.height !== undefined) return;
    const height = ending.result.ok ? ending.result.value.height : undefined;
    if (height !== undefined) health.noteHeight(height);
  }

  return {
    begin,
    end,
    ends: () => [...running].map(({ ended }) => ended),
    abandon: () => {
      for (const { abandon } of running) abandon();
    },
  };
}

/** A response names its node; an impossible height is not passed on. */
function named<Failed>(
  result: Result<UpstreamAnswer, Failed>,
  { settings }: PooledNode,
  now: number,
): Result<UpstreamAnswer, Failed> {
  return result.ok ? success({ ...withPlausibleHeight(result.value, now), node: settings.name }) : result;
}

interface Hedge {
  /** Resolves when a second node must be called in parallel; never if hedging is off or stopped. */
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
