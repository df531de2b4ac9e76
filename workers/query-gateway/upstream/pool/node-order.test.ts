import { describe, expect, test } from "vitest";
import { createManualClock } from "../../../../test/support/clocks/manual-clock.ts";
import { nodeAt, upstreamDefaults } from "../../../../test/support/query-gateway/upstream-calls.ts";
import { failure } from "../../../../platform/result.ts";
import { unsupported } from "../node-failures.ts";
import type { ChainCheck } from "../chain-check.ts";
import type { NodeSettings } from "../upstream.ts";
import { createNodeHealth, greatestHeight, HEIGHT_LASTS_MS } from "./node-health.ts";
import { askableNodes, bestHeight, FARTHEST_AHEAD, isStale, orderNodes, type PooledNode } from "./node-order.ts";

const clock = createManualClock();
const METHOD = "a.v1.Query/Get";
const breaker = { failures: 2, windowMs: 1000, openMs: 500 };

function pooled(name: string, settings: Partial<NodeSettings> = {}): PooledNode {
  const nobody = async () => failure(unsupported("nobody"));
  return {
    settings: { ...nodeAt("http://node.test", settings), name },
    client: { call: nobody, stream: nobody },
    health: createNodeHealth(breaker, clock.now),
  };
}

/** How often each is first in 1,000 orders, with deterministic random numbers from a linear congruential generator. */
function firsts(nodes: readonly PooledNode[], method = METHOD): Record<string, number> {
  const counts: Record<string, number> = {};
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let round = 0; round < 1000; round += 1) {
    const name = orderNodes(nodes, { method, maxLag: upstreamDefaults.maxLag, random })[0]?.settings.name ?? "";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe("order [QG-78]", () => {
  test("the lowest tier comes first, and all are listed", () => {
    const nodes = [pooled("c", { tier: 2 }), pooled("a"), pooled("b", { tier: 1 })];
    const order = orderNodes(nodes, { method: METHOD, maxLag: 20, random: Math.random });
    expect(order.map(({ settings }) => settings.name)).toEqual(["a", "b", "c"]);
  });

  test("inside a tier requests are distributed by weight and health", () => {
    const [one, three] = [pooled("one", { weight: 1 }), pooled("three", { weight: 3 })];
    const even = firsts([one, three]);
    expect(even["three"]).toBeGreaterThan(650);
    expect(even["one"]).toBeGreaterThan(150);
    for (let failed = 0; failed < 20; failed += 1) {
      three.health.end(three.health.begin(METHOD), "unreachable");
      clock.advance(breaker.windowMs);
    }
    const uneven = firsts([one, three]);
    expect(uneven["one"]).toBeGreaterThan(700);
    expect(uneven["three"]).toBeGreaterThan(10);
  });

  test("a node lags by more than maxLag, not by it [QG-85]", () => {
    const node = pooled("a");
    node.health.noteHeight(80n);
    expect([isStale(node, 100n, 20), isStale(node, 101n, 20), isStale(node, undefined, 20)]).toEqual([
      false,
      true,
      false,
    ]);
    clock.advance(HEIGHT_LASTS_MS);
    expect(isStale(node, 101n, 20)).toBe(false);
  });
});

test("a probe that never ends makes room for another after a while", () => {
  const { health } = pooled("a");
  for (const _ of [1, 2]) health.end(health.begin(METHOD), "unreachable");
  expect([health.allows(METHOD), health.opensIn(METHOD)]).toEqual([false, breaker.openMs]);
  clock.advance(breaker.openMs);
  expect(health.allows(METHOD)).toBe(true);
  health.begin(METHOD);
  expect([health.allows(METHOD), health.state()]).toEqual([false, "probing"]);
  clock.advance(breaker.openMs - 1);
  expect(health.allows(METHOD)).toBe(false);
  clock.advance(1);
  expect(health.allows(METHOD)).toBe(true);
});

test("requests in flight when the circuit opened neither extend nor close it by failing", () => {
  const { health } = pooled("a");
  const last = health.begin(METHOD);
  for (const begun of [1, 2].map(() => health.begin(METHOD))) health.end(begun, "unreachable");
  clock.advance(breaker.openMs - 1);
  health.end(last, "unreachable");
  clock.advance(1);
  expect(health.allows(METHOD)).toBe(true);
});

describe("timeouts and responses that are not gRPC [QG-82]", () => {
  const SLOW = "a.v1.Query/Slow";

  test("open the circuit of the method that failed, not of the node", () => {
    const { health } = pooled("a");
    for (const _ of [1, 2]) health.end(health.begin(SLOW), "method-failed");
    expect([health.allows(SLOW), health.allows(METHOD), health.state()]).toEqual([false, true, "ok"]);
    expect(health.opensIn(SLOW)).toBe(breaker.openMs);
    clock.advance(breaker.openMs);
    expect(health.allows(SLOW)).toBe(true);
    health.end(health.begin(SLOW), "answered");
    health.end(health.begin(SLOW), "method-failed");
    expect(health.allows(SLOW)).toBe(true);
  });

  test("move traffic of that method to another node of the tier, and no other traffic [QG-139]", () => {
    const nodes = [pooled("a"), pooled("b")] as const;
    const [{ health }] = nodes;
    for (const _ of [1, 2, 3, 4, 5, 6]) health.end(health.begin(SLOW), "method-failed");
    const shareOf = (method: string) => firsts(nodes, method)["a"] ?? 0;
    expect(shareOf(SLOW)).toBeLessThan(300);
    expect(shareOf(METHOD)).toBeGreaterThan(450);
    for (let answered = 0; answered < 30; answered += 1) health.end(health.begin(SLOW), "answered");
    expect(shareOf(SLOW)).toBe(shareOf(METHOD));
  });

  test("of several consecutive methods, without a response in between, open the node's circuit", () => {
    const { health } = pooled("a");
    health.end(health.begin(SLOW), "method-failed");
    health.end(health.begin("a.v1.Query/Other"), "answered");
    health.end(health.begin(METHOD), "method-failed");
    expect(health.state()).toBe("ok");
    health.end(health.begin(SLOW), "method-failed");
    expect(health.state()).toBe("open");
  });
});

test("if every circuit is open all are called, a node that is slow at the method before an unavailable one [QG-83]", () => {
  const [away, slow] = [pooled("away"), pooled("slow")];
  for (const _ of [1, 2]) away.health.end(away.health.begin(METHOD), "unreachable");
  for (const _ of [1, 2, 3, 4]) slow.health.end(slow.health.begin(METHOD), "method-failed");
  const { nodes, isPanic } = askableNodes([away, slow], METHOD);
  expect([nodes.map(({ settings }) => settings.name), isPanic]).toEqual([["slow", "away"], true]);
  expect(askableNodes([away, slow], "a.v1.Query/Other").nodes).toEqual([slow]);
});

describe("which heights are believed [QG-86]", () => {
  const at = (height: bigint, chain?: Partial<ChainCheck>): PooledNode => {
    const node = pooled(`at ${height}`);
    node.health.noteHeight(height);
    const never = {
      verify: async () => true,
      isElsewhere: () => false,
      isCurrent: () => undefined,
      chain: () => undefined,
    };
    return { ...node, chain: { ...never, ...chain } };
  };

  test("not an impossible one", () => {
    const most = greatestHeight(clock.now());
    expect(bestHeight([at(most)])).toBe(most);
    const liar = at(most + 1n);
    expect([bestHeight([liar]), liar.health.isImplausible()]).toEqual([undefined, true]);
    expect(bestHeight([liar, at(100n)])).toBe(100n);
    const [first] = orderNodes([liar, at(100n)], { method: METHOD, maxLag: 20, random: () => 0.5 });
    expect(first?.settings.name).toBe("at 100");
  });

  test("not one that is days ahead of all others, unless its latest block is current", () => {
    const ahead = 12_000_000n + FARTHEST_AHEAD;
    expect(bestHeight([at(ahead), at(12_000_000n)])).toBe(ahead);
    expect(bestHeight([at(ahead + 1n), at(12_000_000n)])).toBe(12_000_000n);
    expect(bestHeight([at(ahead + 1n), at(ahead), at(12_000_000n)])).toBe(ahead + 1n);
    expect(bestHeight([at(ahead + 1n, { isCurrent: () => true }), at(12_000_000n)])).toBe(ahead + 1n);
    // No node is behind a height that is not believed.
    const honest = at(12_000_000n);
    expect(isStale(honest, bestHeight([honest, at(ahead + 1n)]), 20)).toBe(false);
  });

  test("a node whose latest block is old is behind, whatever its height [QG-85]", () => {
    expect(isStale(at(100n, { isCurrent: () => false }), 100n, 20)).toBe(true);
  });
});
