/**
 * One attempt on one node, limited in time: it ends with the node's response, with the node's or the request's timeout,
 * with the caller disconnecting, or because another attempt has won. The end is reported at once, however a client
 * handles an abort.
 */
import { traced } from "../../../../platform/trace.ts";
import { failure, type Result } from "../../../../platform/result.ts";
import { internalError, otherChain } from "../node-failures.ts";
import {
  codeName,
  GRPC,
  type NodeFailure,
  type NodeTry,
  type UpstreamAnswer,
  type UpstreamCall,
  type UpstreamStream,
} from "../upstream.ts";
import type { TryResult } from "./node-health.ts";
import type { PooledNode } from "./node-order.ts";

/** The time by which a timer may fire early. */
const TIMER_PRECISION_MS = 1;

/** Connect uses a separate timer for a call's deadline, which may fire first: that is not a failure of the node. */
export function isLate(call: Pick<NodeTry, "deadline">, clock: () => number): boolean {
  return clock() >= call.deadline - TIMER_PRECISION_MS;
}

export type Ending =
  | { readonly kind: "answer"; readonly result: Result<UpstreamAnswer, NodeFailure> }
  /** The node's timeout, the request's deadline, the caller has disconnected, a faster node. */
  | { readonly kind: "timeout" | "deadline" | "gone" | "lost" };

/** The code under which an attempt is counted: the code of the response, or the reason for a missing response. */
export function codeOfTry(result: Result<{ readonly kind: string; readonly code?: unknown }, NodeFailure>): string {
  if (!result.ok) return result.error.reason;
  const { kind, code } = result.value;
  return kind === "status" && typeof code === "number" ? codeName(code) : codeName(GRPC.ok);
}

export interface EndedTry {
  readonly running: RunningTry;
  readonly ending: Ending;
}

export interface RunningTry {
  readonly node: PooledNode;
  /** Never rejects. */
  readonly ended: Promise<EndedTry>;
  /** A faster node has responded. */
  readonly abandon: () => void;
}

export interface TryOptions {
  readonly clock: () => number;
  /** Milliseconds to wait before: a node that has just failed gets a moment. */
  readonly pauseMs: number;
  /** A request's default timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Logs an unexpected exception. */
  readonly logThrown: (thrown: unknown) => void;
}

export function startTry(node: PooledNode, call: UpstreamCall, options: TryOptions): RunningTry {
  const { clock, pauseMs, timeoutMs, logThrown } = options;
  const begun = node.health.begin(call.bound.path);
  const startedAt = clock();
  const rest = call.deadline - startedAt;
  const timeout = Math.min(rest, node.settings.timeoutMs ?? rest);
  const controller = new AbortController();
  const stopped = Promise.withResolvers<Ending>();
  const gone = (): void => stopped.resolve({ kind: "gone" });
  const alarm = setTimeout(
    () => stopped.resolve({ kind: timeout < rest ? "timeout" : "deadline" }),
    Math.max(0, timeout),
  );
  const before = pause(pauseMs);

  const ask = async (): Promise<Ending> => {
    try {
      await before.over;
      const asked = { ...call, signal: controller.signal };
      const verified = node.chain?.verify(asked) ?? true;
      // A query and the check run concurrently. A transaction must not reach another chain.
      if (!call.isRepeatable && !(await verified)) return { kind: "answer", result: failure(otherChain) };
      const [result, isOurs] = await traced(`rpc ${call.bound.path}`, attributesOf(node, call), async (span) => {
        const given = await Promise.all([node.client.call(asked), verified]);
        span.setAttributes({ "rpc.response.status_code": codeOfTry(given[0]) });
        return given;
      });
      if (!isOurs) return { kind: "answer", result: failure(otherChain) };
      return !result.ok && hasNotAnswered(result.error) && isLate(call, clock)
        ? { kind: "deadline" }
        : { kind: "answer", result };
    } catch (thrown) {
      logThrown(thrown);
      return { kind: "answer", result: failure(internalError) };
    }
  };

  const end = async (): Promise<Ending> => {
    if (call.signal.aborted) return { kind: "gone" };
    if (rest <= 0) return { kind: "deadline" };
    call.signal.addEventListener("abort", gone, { once: true });
    return Promise.race([ask(), stopped.promise]);
  };

  const running: RunningTry = {
    node,
    ended: end().then((ending) => {
      clearTimeout(alarm);
      before.end();
      call.signal.removeEventListener("abort", gone);
      if (ending.kind !== "answer") controller.abort();
      // A caller who gives a node no time must not be able to take it out of service.
      const hasWaited = clock() - startedAt >= timeoutMs / 2;
      node.health.end(begun, resultOfTry(ending, hasWaited));
      return { running, ending };
    }),
    abandon: () => stopped.resolve({ kind: "lost" }),
  };
  return running;
}

function attributesOf({ settings: { name, kind } }: PooledNode, { bound }: UpstreamCall) {
  return {
    "rpc.system.name": "grpc",
    "rpc.method": bound.path,
    "twinedge.node.name": name,
    "twinedge.node.kind": kind,
  };
}

/** If cancelled, it never resolves. */
function pause(milliseconds: number): { readonly over: Promise<void> | undefined; readonly end: () => void } {
  if (milliseconds === 0) return { over: undefined, end: () => undefined };
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return { over: promise, end: () => clearTimeout(timer) };
}

function resultOfTry(ending: Ending, hasWaited: boolean): TryResult {
  switch (ending.kind) {
    case "timeout":
      return "method-failed";
    case "deadline":
      return hasWaited ? "method-failed" : "unknown";
    case "gone":
    case "lost":
      return "unknown";
    case "answer":
      return tryResultOf(ending.result);
  }
}

/**
 * A node that responds is alive, whatever its response. Otherwise one failing method could take the whole node out of
 * use.
 */
export function tryResultOf(result: Result<unknown, NodeFailure>): TryResult {
  if (result.ok) return "answered";
  switch (result.error.reason) {
    case "unreachable":
      return "unreachable";
    case "bad_answer":
    case "timeout":
      return "method-failed";
    case "refused":
    case "unsupported":
    case "other_chain":
      return "unknown";
    case "answer_too_large":
    case "decode_error":
    case "internal_error":
      return "answered";
  }
}

/** No valid response arrived. */
function hasNotAnswered({ reason }: NodeFailure): boolean {
  return reason === "bad_answer" || reason === "unreachable" || reason === "timeout";
}

/** The node was not called, so its health is unchanged. */
export function isNotAsked({ reason }: NodeFailure): boolean {
  return reason === "unsupported" || reason === "other_chain";
}

/** Whether another node may succeed: the result concerns the node and not the request. */
export function mayTryAgain(result: Result<UpstreamAnswer | UpstreamStream, NodeFailure>): boolean {
  if (!result.ok) return hasNotAnswered(result.error) || isOfTheNode(result.error);
  const { value } = result;
  return value.kind === "status" && (value.code === GRPC.unavailable || value.code === GRPC.resourceExhausted);
}

/** The node is healthy, but its release or its proxy differs from those of others. */
export function isOfTheNode({ reason }: NodeFailure): boolean {
  return reason === "decode_error" || reason === "refused";
}
