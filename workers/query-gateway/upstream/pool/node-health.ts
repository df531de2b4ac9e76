/**
 * The state of one node in an isolate: its circuit breakers, its recent success rate, and the height that it reported.
 * There are no health requests; after an outage one caller's request is the probe, and a retry covers it.
 *
 * An unreachable node has its own circuit opened. A timeout, and a response that is not gRPC, count against the method:
 * the node's circuit opens only if several methods fail like this consecutively, without a response in between.
 */
import type { UpstreamSettings } from "../upstream.ts";

/**
 * The outcome of one attempt for its node. `method-failed`: it took too long, or the response is not gRPC. `unknown`:
 * the attempt shows nothing, because we ended it ourselves, a proxy refused this one request, or this kind of node does
 * not support it.
 */
export type TryResult = "answered" | "unreachable" | "method-failed" | "unknown";

interface BegunTry {
  readonly method: string;
  readonly isNodeProbe: boolean;
  readonly isMethodProbe: boolean;
}

export interface NodeHealth {
  /** Whether this method can be called on it. */
  readonly allows: (method: string) => boolean;
  /** Called for each attempt; its return value is passed to `end`. */
  readonly begin: (method: string) => BegunTry;
  readonly end: (begun: BegunTry, result: TryResult) => void;
  /** Records the height from a response at the latest height. */
  readonly noteHeight: (height: bigint) => void;
  /** It reported an impossible height. */
  readonly isImplausible: () => boolean;
  readonly height: () => bigint | undefined;
  /** Its height, unless it was reported too long ago to be compared with another's. */
  readonly freshHeight: () => bigint | undefined;
  /** In (0, 1]: the share of successful attempts of this method, with the last ones weighted most. */
  readonly score: (method: string) => number;
  /** Milliseconds until this method can be called on it; 0 if it can be now. */
  readonly opensIn: (method: string) => number;
  readonly state: () => "ok" | "open" | "probing";
}

/** How much one attempt changes a score. */
const SCORE_STEP = 0.2;
/** At this score a method counts as healthy again, and takes no more memory. */
const RECOVERED_SCORE = 0.95;
/** A node that always failed is still called occasionally, so that its recovery is noticed. */
const LOWEST_SCORE = 0.05;
/** Milliseconds, about five blocks: a demoted node is called rarely, and must be able to prove that it has caught up. */
export const HEIGHT_LASTS_MS = 30_000;

/** Earlier than the first block of any such chain. Unix milliseconds. */
const FIRST_BLOCK_AT = Date.parse("2019-01-01T00:00:00Z");
/** Faster than any chain makes blocks. */
const BLOCKS_PER_SECOND = 10;

/** The greatest height that a chain can have reached at `now`, in Unix milliseconds. */
export function greatestHeight(now: number): bigint {
  return BigInt(Math.max(1, Math.floor(((now - FIRST_BLOCK_AT) / 1000) * BLOCKS_PER_SECOND)));
}

/** Without an impossible height, which a caller would take for the height of the state. */
export function withPlausibleHeight<Answer extends { readonly height?: bigint }>(answer: Answer, now: number): Answer {
  if (answer.height === undefined || answer.height <= greatestHeight(now)) return answer;
  const { height: _, ...rest } = answer;
  return rest as Answer;
}

export function createNodeHealth(breaker: UpstreamSettings["breaker"], clock: () => number): NodeHealth {
  const node = createCircuit(breaker, clock);
  /** Methods that failed recently; all others are healthy. */
  const methods = new Map<string, FailingMethod>();
  /** Methods that failed since the node's last response of any kind. */
  const failedMethods = new Set<string>();
  let score = 1;
  let reported: { readonly height: bigint; readonly at: number } | undefined;

  function failMethod({ method, isMethodProbe, isNodeProbe }: BegunTry): void {
    const failing = methods.get(method) ?? { circuit: createCircuit(breaker, clock), score: 1 };
    failing.score = moved(failing.score, 0);
    methods.set(method, failing);
    failing.circuit.fail(isMethodProbe);
    failedMethods.add(method);
    // One failing method proves nothing about the node, even if a single failure opens a circuit.
    if (isNodeProbe || failedMethods.size >= Math.max(2, breaker.failures)) node.fail(true);
  }

  function answer(method: string): void {
    score = moved(score, 1);
    node.succeed();
    failedMethods.clear();
    const failing = methods.get(method);
    if (failing === undefined) return;
    failing.circuit.succeed();
    failing.score = moved(failing.score, 1);
    if (failing.score >= RECOVERED_SCORE) methods.delete(method);
  }

  return {
    allows: (method) => node.allows() && (methods.get(method)?.circuit.allows() ?? true),
    begin: (method) => ({
      method,
      isNodeProbe: node.begin(),
      isMethodProbe: methods.get(method)?.circuit.begin() ?? false,
    }),
    end: (begun, result) => {
      if (result === "answered") return answer(begun.method);
      if (result === "method-failed") return failMethod(begun);
      methods.get(begun.method)?.circuit.forget(begun.isMethodProbe);
      if (result === "unknown") return node.forget(begun.isNodeProbe);
      score = moved(score, 0);
      node.fail(begun.isNodeProbe);
    },
    noteHeight: (height) => {
      reported = { height, at: clock() };
    },
    isImplausible: () => reported !== undefined && reported.height > greatestHeight(reported.at),
    height: () => reported?.height,
    freshHeight: () =>
      reported !== undefined && clock() - reported.at < HEIGHT_LASTS_MS ? reported.height : undefined,
    score: (method) => Math.max(score * (methods.get(method)?.score ?? 1), LOWEST_SCORE),
    opensIn: (method) => Math.max(node.opensIn(), methods.get(method)?.circuit.opensIn() ?? 0),
    state: () => node.state(),
  };
}

interface FailingMethod {
  readonly circuit: Circuit;
  score: number;
}

const moved = (score: number, towards: 0 | 1): number => score + (towards - score) * SCORE_STEP;

interface Circuit {
  /** Whether a request can pass. */
  readonly allows: () => boolean;
  /** Called for each request, including one that passes an open circuit; true if the request is a probe. */
  readonly begin: () => boolean;
  readonly succeed: () => void;
  readonly fail: (isProbe: boolean) => void;
  /** The request was cancelled, so it shows nothing. */
  readonly forget: (isProbe: boolean) => void;
  /** Milliseconds until a request can pass; 0 if it can now. */
  readonly opensIn: () => number;
  readonly state: () => "ok" | "open" | "probing";
}

function createCircuit({ failures, windowMs, openMs }: UpstreamSettings["breaker"], clock: () => number): Circuit {
  let failedAt: readonly number[] = [];
  let openUntil: number | undefined;
  let probedAt: number | undefined;

  /**
   * A probe whose request was cancelled with its caller never resolves; it must not keep the circuit open permanently.
   */
  const isProbing = () => probedAt !== undefined && clock() - probedAt < openMs;
  const allows = () => openUntil === undefined || (clock() >= openUntil && !isProbing());
  const forget = (isProbe: boolean): void => {
    if (isProbe) probedAt = undefined;
  };

  return {
    allows,
    begin: () => {
      if (openUntil === undefined) return false;
      probedAt = clock();
      return true;
    },
    succeed: () => {
      failedAt = [];
      openUntil = undefined;
      probedAt = undefined;
    },
    fail: (isProbe) => {
      forget(isProbe);
      const now = clock();
      failedAt = [...failedAt.filter((at) => now - at < windowMs), now];
      // A request that was in flight when the circuit opened has no effect.
      if (openUntil !== undefined && !isProbe) return;
      if (isProbe || failedAt.length >= failures) openUntil = now + openMs;
    },
    forget,
    opensIn: () => (allows() ? 0 : Math.max(0, (openUntil ?? 0) - clock())),
    state: () => {
      if (openUntil === undefined) return "ok";
      return isProbing() ? "probing" : "open";
    },
  };
}
