/**
 * One try of one node, bounded in time: it ends with the node's answer, with the time that the node or the request has,
 * with the caller's leaving, or because another try has won. Whatever a client makes of an abort, the end is told at once.
 */
import { failure, type Result } from "../../../platform/result.ts";
import { GRPC, internalFault } from "../../gateway-fault.ts";
import { nodeSaid, otherChain } from "../node-failures.ts";
import type { NodeFailure, NodeTry, UpstreamAnswer, UpstreamCall } from "../upstream.ts";
import type { Verdict } from "./node-health.ts";
import type { PooledNode } from "./node-order.ts";

/** By how much a timer may ring early. */
const TIMER_PRECISION_MS = 1;

/** Connect keeps a call's deadline by a timer of its own, which may be the first to ring: what it then says is no fault. */
export function isLate(call: Pick<NodeTry, "deadline">, clock: () => number): boolean {
  return clock() >= call.deadline - TIMER_PRECISION_MS;
}

export type Ending =
  | { readonly kind: "answer"; readonly result: Result<UpstreamAnswer, NodeFailure> }
  /** The node's own time, the request's time, the caller's leaving, a faster node. */
  | { readonly kind: "slow" | "deadline" | "gone" | "lost" };

export interface EndedTry {
  readonly running: RunningTry;
  readonly ending: Ending;
}

export interface RunningTry {
  readonly node: PooledNode;
  /** Never rejects. */
  readonly ended: Promise<EndedTry>;
  /** A faster one has answered. */
  readonly abandon: () => void;
}

export interface TryParts {
  readonly clock: () => number;
  /** Milliseconds to wait before: a node that failed just now is given a moment. */
  readonly pauseMs: number;
  /** A request's usual time, milliseconds. */
  readonly timeoutMs: number;
  /** Of what should not have been thrown. */
  readonly logThrown: (thrown: unknown) => void;
}

export function startTry(node: PooledNode, call: UpstreamCall, parts: TryParts): RunningTry {
  const { clock, pauseMs, timeoutMs, logThrown } = parts;
  const begun = node.health.begin(call.bound.path);
  const startedAt = clock();
  const rest = call.deadline - startedAt;
  const patience = Math.min(rest, node.settings.timeoutMs ?? rest);
  const controller = new AbortController();
  const stopped = Promise.withResolvers<Ending>();
  const gone = (): void => stopped.resolve({ kind: "gone" });
  const alarm = setTimeout(
    () => stopped.resolve({ kind: patience < rest ? "slow" : "deadline" }),
    Math.max(0, patience),
  );
  const before = pause(pauseMs);

  const ask = async (): Promise<Ending> => {
    try {
      await before.over;
      const asked = { ...call, signal: controller.signal };
      const verified = node.chain.verify(asked);
      // A query and the check run at the same time. What changes something must not reach another chain.
      if (!call.isRepeatable && !(await verified)) return { kind: "answer", result: failure(otherChain) };
      const [result, isOurs] = await Promise.all([node.client.call(asked), verified]);
      if (!isOurs) return { kind: "answer", result: failure(otherChain) };
      return !result.ok && isSilence(result.error) && isLate(call, clock)
        ? { kind: "deadline" }
        : { kind: "answer", result };
    } catch (thrown) {
      logThrown(thrown);
      return { kind: "answer", result: failure(nodeSaid(internalFault)) };
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
      // A caller who gives a node no time must not be able to have it taken for dead.
      const hasWaited = clock() - startedAt >= timeoutMs / 2;
      node.health.settle(begun, verdictOf(ending, hasWaited));
      return { running, ending };
    }),
    abandon: () => stopped.resolve({ kind: "lost" }),
  };
  return running;
}

/** Ended early it is never over. */
function pause(milliseconds: number): { readonly over: Promise<void> | undefined; readonly end: () => void } {
  if (milliseconds === 0) return { over: undefined, end: () => undefined };
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return { over: promise, end: () => clearTimeout(timer) };
}

function verdictOf(ending: Ending, hasWaited: boolean): Verdict {
  switch (ending.kind) {
    case "slow":
      return "slow";
    case "deadline":
      return hasWaited ? "slow" : "none";
    case "gone":
    case "lost":
      return "none";
    case "answer":
      return ending.result.ok ? "good" : verdictOn(ending.result.error);
  }
}

/** A node that answers is alive, whatever it says. Otherwise one failing method could keep the whole node from being asked. */
export function verdictOn({ cause }: NodeFailure): Verdict {
  switch (cause) {
    case "wire":
    case "network":
      return "bad";
    case "time":
      return "slow";
    case "unable":
      return "none";
    case "status":
    case "limit":
    case "misfit":
      return "good";
  }
}

/** Nothing that the node itself has said. */
function isSilence({ cause }: NodeFailure): boolean {
  return cause === "wire" || cause === "network" || cause === "time";
}

/** Whether another node may do better: the failure says nothing about the request itself. */
export function mayTryAgain(failed: NodeFailure): boolean {
  const { cause, fault } = failed;
  if (isSilence(failed) || cause === "misfit") return true;
  return cause === "status" && (fault.code === GRPC.unavailable || fault.code === GRPC.resourceExhausted);
}
