/**
 * What an isolate knows of one node: its circuit breaker, how well it does of late, the height it told (contract D,
 * section 7.3). No request is made for the sake of health; after an outage one caller's request is the probe, and a
 * retry covers it.
 */
import type { NodeState, UpstreamSettings } from "../upstream.ts";

/** Of one try, for the breaker. `none`: nothing is learnt, since we ended it ourselves. */
export type Verdict = "good" | "bad" | "none";

export interface NodeHealth {
  /** Whether it may be asked at all. */
  readonly admits: () => boolean;
  /** To be called with each try; hand the answer to `settle`. */
  readonly begin: () => { readonly isProbe: boolean };
  readonly settle: (begun: { readonly isProbe: boolean }, verdict: Verdict) => void;
  /** Of an answer at the latest height. */
  readonly noteHeight: (height: bigint) => void;
  readonly height: () => bigint | undefined;
  /** Its height, unless that was told too long ago to compare it with another's. */
  readonly freshHeight: () => bigint | undefined;
  /** In (0, 1]: the share of good tries, the last ones counting most. */
  readonly score: () => number;
  /** Milliseconds until it may be asked again; 0 when it may. */
  readonly opensIn: () => number;
  readonly state: () => Exclude<NodeState["state"], "stale">;
}

/** How much one try moves the score. */
const SCORE_STEP = 0.2;
/** A node that failed all the time is still asked now and then, or nobody would see it mend. */
const LOWEST_SCORE = 0.05;
/** Milliseconds, some five blocks: a demoted node is asked rarely, and must be able to prove that it has caught up. */
export const HEIGHT_LASTS_MS = 30_000;

export function createNodeHealth(
  { failures, windowMs, openMs }: UpstreamSettings["breaker"],
  clock: () => number,
): NodeHealth {
  let failedAt: readonly number[] = [];
  let openUntil: number | undefined;
  let probedAt: number | undefined;
  let score = 1;
  let told: { readonly height: bigint; readonly at: number } | undefined;

  /** A probe whose request was torn down with its caller never settles; it must not keep the node out for good. */
  const isProbing = () => probedAt !== undefined && clock() - probedAt < openMs;
  const admits = () => openUntil === undefined || (clock() >= openUntil && !isProbing());

  const fail = (isProbe: boolean): void => {
    const now = clock();
    failedAt = [...failedAt.filter((at) => now - at < windowMs), now];
    // What was under way when it opened says nothing new.
    if (openUntil !== undefined && !isProbe) return;
    if (isProbe || failedAt.length >= failures) openUntil = now + openMs;
  };

  return {
    admits,
    begin: () => {
      const isProbe = openUntil !== undefined;
      if (isProbe) probedAt = clock();
      return { isProbe };
    },
    settle: ({ isProbe }, verdict) => {
      if (isProbe) probedAt = undefined;
      if (verdict === "none") return;
      score += ((verdict === "good" ? 1 : 0) - score) * SCORE_STEP;
      if (verdict === "bad") return fail(isProbe);
      failedAt = [];
      openUntil = undefined;
    },
    noteHeight: (height) => {
      told = { height, at: clock() };
    },
    height: () => told?.height,
    freshHeight: () => (told !== undefined && clock() - told.at < HEIGHT_LASTS_MS ? told.height : undefined),
    score: () => Math.max(score, LOWEST_SCORE),
    opensIn: () => (admits() ? 0 : Math.max(0, (openUntil ?? 0) - clock())),
    state: () => {
      if (openUntil === undefined) return "ok";
      return isProbing() ? "probing" : "open";
    },
  };
}
