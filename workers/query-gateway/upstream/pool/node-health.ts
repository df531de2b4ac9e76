/**
 * What an isolate knows of one node: its circuit breakers, its recent success rate, the height it reported. No request is made for
 * the sake of health; after an outage one caller's request is the probe, and a retry covers it.
 *
 * Only a node that cannot be reached, or that does not speak gRPC, has its own circuit opened. A timeout counts for its method; only
 * when several methods in a row time out, with no answer between, does the node's circuit open.
 */
import type { UpstreamSettings } from "../upstream.ts";

/** What one try tells about its node. `unknown`: nothing, since we ended it ourselves or this kind of node cannot be asked. */
export type TryResult = "answered" | "unreachable" | "timeout" | "unknown";

interface BegunTry {
  readonly method: string;
  readonly isNodeProbe: boolean;
  readonly isMethodProbe: boolean;
}

export interface NodeHealth {
  /** Whether this method may be asked of it. */
  readonly allows: (method: string) => boolean;
  /** To be called with each try; its return value goes to `end`. */
  readonly begin: (method: string) => BegunTry;
  readonly end: (begun: BegunTry, result: TryResult) => void;
  /** Of an answer at the latest height. */
  readonly noteHeight: (height: bigint) => void;
  /** It reported a height that no chain can have by now. */
  readonly isImplausible: () => boolean;
  readonly height: () => bigint | undefined;
  /** Its height, unless it was reported too long ago to be compared with another's. */
  readonly freshHeight: () => bigint | undefined;
  /** In (0, 1]: the share of good tries, the last ones counting most. */
  readonly score: () => number;
  /** Milliseconds until this method may be asked of it; 0 when it may. */
  readonly opensIn: (method: string) => number;
  readonly state: () => "ok" | "open" | "probing";
}

/** How much one try moves the score. */
const SCORE_STEP = 0.2;
/** A node that failed all the time is still asked now and then, or its recovery would go unnoticed. */
const LOWEST_SCORE = 0.05;
/** Milliseconds, some five blocks: a demoted node is asked rarely, and must be able to prove that it has caught up. */
export const HEIGHT_LASTS_MS = 30_000;

/** No chain of this kind is older. Unix milliseconds. */
const FIRST_BLOCK_AT = Date.parse("2019-01-01T00:00:00Z");
/** Faster than any of them makes blocks. */
const BLOCKS_PER_SECOND = 10;

/** At a time in Unix milliseconds. */
export function greatestHeight(now: number): bigint {
  return BigInt(Math.max(1, Math.floor(((now - FIRST_BLOCK_AT) / 1000) * BLOCKS_PER_SECOND)));
}

export function createNodeHealth(breaker: UpstreamSettings["breaker"], clock: () => number): NodeHealth {
  const node = createCircuit(breaker, clock);
  const methods = new Map<string, Circuit>();
  /** Methods that timed out since the node last answered anything. */
  const timedOutMethods = new Set<string>();
  let score = 1;
  let reported: { readonly height: bigint; readonly at: number } | undefined;

  function timeOut({ method, isMethodProbe, isNodeProbe }: BegunTry): void {
    const circuit = methods.get(method) ?? createCircuit(breaker, clock);
    methods.set(method, circuit);
    circuit.fail(isMethodProbe);
    timedOutMethods.add(method);
    // One slow method proves nothing about the node, also where a single failure opens a circuit.
    if (isNodeProbe || timedOutMethods.size >= Math.max(2, breaker.failures)) node.fail(true);
  }

  return {
    allows: (method) => node.allows() && (methods.get(method)?.allows() ?? true),
    begin: (method) => ({
      method,
      isNodeProbe: node.begin(),
      isMethodProbe: methods.get(method)?.begin() ?? false,
    }),
    end: (begun, result) => {
      const method = methods.get(begun.method);
      if (result === "unknown") {
        node.forget(begun.isNodeProbe);
        method?.forget(begun.isMethodProbe);
        return;
      }
      score += ((result === "answered" ? 1 : 0) - score) * SCORE_STEP;
      if (result === "timeout") return timeOut(begun);
      if (result === "unreachable") {
        method?.forget(begun.isMethodProbe);
        return node.fail(begun.isNodeProbe);
      }
      node.succeed();
      methods.delete(begun.method);
      timedOutMethods.clear();
    },
    noteHeight: (height) => {
      reported = { height, at: clock() };
    },
    isImplausible: () => reported !== undefined && reported.height > greatestHeight(reported.at),
    height: () => reported?.height,
    freshHeight: () =>
      reported !== undefined && clock() - reported.at < HEIGHT_LASTS_MS ? reported.height : undefined,
    score: () => Math.max(score, LOWEST_SCORE),
    opensIn: (method) => Math.max(node.opensIn(), methods.get(method)?.opensIn() ?? 0),
    state: () => node.state(),
  };
}

interface Circuit {
  /** Whether a request may pass. */
  readonly allows: () => boolean;
  /** Call it with each request, also with one that passes an open circuit; true when the request is a probe. */
  readonly begin: () => boolean;
  readonly succeed: () => void;
  readonly fail: (isProbe: boolean) => void;
  /** The request was cancelled; nothing is learnt. */
  readonly forget: (isProbe: boolean) => void;
  /** Milliseconds until a request may pass; 0 when one may. */
  readonly opensIn: () => number;
  readonly state: () => "ok" | "open" | "probing";
}

function createCircuit({ failures, windowMs, openMs }: UpstreamSettings["breaker"], clock: () => number): Circuit {
  let failedAt: readonly number[] = [];
  let openUntil: number | undefined;
  let probedAt: number | undefined;

  /** A probe whose request was cancelled with its caller never resolves; it must not keep the circuit open for good. */
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
      // A request that was in flight when the circuit opened adds nothing.
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
