/**
 * The order in which nodes are called: the lowest tier first, a node that lags one tier later, and inside a tier at
 * random, weighted by the operator's weight and by health. Pure; the random numbers are an argument.
 */
import type { ChainCheck } from "../chain-check.ts";
import type { NodeClient, NodeSettings } from "../upstream.ts";
import type { NodeHealth } from "./node-health.ts";

export interface PooledNode {
  readonly settings: NodeSettings;
  readonly client: NodeClient;
  readonly health: NodeHealth;
  /** Absent if nothing is compared. */
  readonly chain?: ChainCheck;
}

/**
 * Blocks by which a node may be ahead of every other: days. If one is further ahead, either it or all others are wrong;
 * the time of its latest block decides.
 */
export const FARTHEST_AHEAD = 100_000n;

/** The highest believed height; a node that reported too much corrects it with its next response. */
export function bestHeight(nodes: readonly PooledNode[]): bigint | undefined {
  return greatest(nodes.filter((node) => isBelieved(node, nodes)).map(({ health }) => health.height()));
}

function isBelieved(node: PooledNode, nodes: readonly PooledNode[]): boolean {
  const height = node.health.height();
  if (height === undefined || !isComparable(node)) return false;
  if (node.chain?.isCurrent() === true) return true;
  const others = nodes.filter((other) => other !== node && isComparable(other));
  const ofOthers = greatest(others.map(({ health }) => health.height()));
  return ofOthers === undefined || height - ofOthers <= FARTHEST_AHEAD;
}

function isComparable({ health, chain }: PooledNode): boolean {
  return !health.isImplausible() && chain?.isElsewhere() !== true;
}

function greatest(heights: readonly (bigint | undefined)[]): bigint | undefined {
  return heights.reduce(
    (best, height) => (height !== undefined && (best === undefined || height > best) ? height : best),
    undefined,
  );
}

/** More than `maxLag` blocks below the best, or its latest block is old. */
export function isStale({ health, chain }: PooledNode, best: bigint | undefined, maxLag: number): boolean {
  if (chain?.isCurrent() === false) return true;
  const height = health.freshHeight();
  return height !== undefined && best !== undefined && best - height > BigInt(maxLag);
}

/** Without nodes that do not reach back to `height`, and nodes of another chain. */
export function orderNodes(
  nodes: readonly PooledNode[],
  {
    method,
    height,
    maxLag,
    random,
  }: {
    /** Its path: a node can be healthy for one method and not for another. */
    readonly method: string;
    readonly height?: bigint | undefined;
    readonly maxLag: number;
    readonly random: () => number;
  },
): readonly PooledNode[] {
  const best = bestHeight(nodes);
  return nodes
    .filter(({ settings: { earliestHeight = 0n } }) => height === undefined || earliestHeight <= height)
    .filter(({ chain }) => chain?.isElsewhere() !== true)
    .map((node) => ({
      node,
      tier: node.settings.tier + (isStale(node, best, maxLag) || node.health.isImplausible() ? 1 : 0),
      // Sorted by these keys, each node is first with the probability of its share of the weight (Efraimidis,
      // Spirakis).
      randomKey: random() ** (1 / Math.max(node.settings.weight * node.health.score(method), Number.MIN_VALUE)),
    }))
    .toSorted((one, other) => one.tier - other.tier || other.randomKey - one.randomKey)
    .map(({ node }) => node);
}

/**
 * The nodes on which a method can be called: those whose circuits allow it. If all are open, every node, the least bad
 * first: an open circuit chooses between nodes and never causes an outage.
 */
export function askableNodes(
  nodes: readonly PooledNode[],
  method: string,
): { readonly nodes: readonly PooledNode[]; readonly isPanic: boolean } {
  const allowed = nodes.filter(({ health }) => health.allows(method));
  if (allowed.length > 0) return { nodes: allowed, isPanic: false };
  const openness = ({ health }: PooledNode): number => (health.state() === "ok" ? 0 : 1);
  const leastBadFirst = nodes.toSorted(
    (one, other) =>
      openness(one) - openness(other) ||
      other.health.score(method) - one.health.score(method) ||
      one.health.opensIn(method) - other.health.opensIn(method),
  );
  return { nodes: leastBadFirst, isPanic: true };
}
