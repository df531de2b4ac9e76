import { afterEach, describe, expect, test, vi } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { echo, startGrpcWebNode, type NodeHandler } from "../../../test/support/query-gateway/grpc-web-node.ts";
import {
  answer,
  frame,
  grpcWeb,
  nothingAtAll,
  silence,
  startMisbehavingNode,
  trailers,
  trailersOnly,
  type Behaviour,
} from "../../../test/support/query-gateway/misbehaving-node.ts";
import {
  callOf,
  nodeAt,
  outcomeOf,
  schemaOf,
  streamOf,
  upstreamOver,
} from "../../../test/support/query-gateway/upstream-calls.ts";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";

const image = fixtureImage();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function goodNode(handle: NodeHandler = echo, port = 0) {
  const node = await startGrpcWebNode(schemaOf(image), handle, port);
  closing.push(node.close);
  return node;
}
async function badNode(behaviour: Behaviour) {
  const node = await startMisbehavingNode(behaviour);
  closing.push(node.close);
  return node;
}
const status = (code: number) => trailersOnly({ "grpc-status": String(code), "grpc-message": "of the node" });
const answered = { answer: { id: "a" }, height: 7n };

describe("retry on another node", () => {
  test.each<[string, Behaviour]>([
    ["503", answer(503, {}, "no")],
    ["a web page", answer(200, { "Content-Type": "text/html" }, "<html>")],
    ["no response", nothingAtAll],
    ["status 14", status(14)],
    ["status 8", status(8)],
    ["HTTP 429", answer(429, {}, "")],
  ])("V86: after %s, once [QG-73, QG-79]", async (_, behaviour) => {
    const [bad, good] = [await badNode(behaviour), await goodNode()];
    const upstream = upstreamOver([nodeAt(bad.url), nodeAt(good.url, { tier: 1 })]);
    expect(await outcomeOf(upstream, callOf(image))).toEqual(answered);
    expect([bad.asked, good.seen.length]).toEqual([1, 1]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 99])("V87: not after status %i [QG-79]", async (code) => {
    const [bad, good] = [await badNode(status(code)), await goodNode()];
    const upstream = upstreamOver([nodeAt(bad.url), nodeAt(good.url, { tier: 1 })]);
    expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ code, message: "of the node" });
    expect([bad.asked, good.seen.length]).toEqual([1, 0]);
  });

  test("after a message that does not fit the schema, if another node answers in ours [QG-79]", async () => {
    const otherSchema = grpcWeb(frame(0, Uint8Array.of(0x0a, 9, 0)), trailers({ "grpc-status": "0" }));
    const [odd, good] = [await badNode(otherSchema), await goodNode()];
    const upstream = upstreamOver([nodeAt(odd.url), nodeAt(good.url, { tier: 1 })]);
    expect(await outcomeOf(upstream, callOf(image))).toEqual(answered);
    expect([odd.asked, good.seen.length]).toEqual([1, 1]);
  });

  test.each<[string, Behaviour]>([
    ["no response", nothingAtAll],
    ["a web page", answer(200, { "Content-Type": "text/html" }, "<html>")],
    ["status 14", status(14)],
  ])("of a stream after %s, while no message has arrived", async (_, behaviour) => {
    const [bad, good] = [await badNode(behaviour), await goodNode()];
    const upstream = upstreamOver([nodeAt(bad.url), nodeAt(good.url, { tier: 1 })]);
    const opened = await streamOf(upstream, callOf(image, "Watch", { id: "a" }));
    let messages = 0;
    if ("messages" in opened) for await (const message of opened.messages) messages += message.ok ? 1 : 0;
    expect([messages, bad.asked]).toEqual([3, 1]);
  });

  test("never of a call that cannot be repeated, nor of a response that is too large [QG-80]", async () => {
    const [bad, good] = [await badNode(nothingAtAll), await goodNode()];
    const once = upstreamOver([nodeAt(bad.url), nodeAt(good.url, { tier: 1 })]);
    expect(await outcomeOf(once, callOf(image, "Get", {}, { isRepeatable: false }))).toMatchObject({ status: 503 });
    const small = upstreamOver([nodeAt(good.url), nodeAt(bad.url, { tier: 1 })], { responseBytes: 10 });
    expect(await outcomeOf(small, callOf(image))).toMatchObject({ status: 502, code: 13 });
    expect([bad.asked, good.seen.length]).toEqual([1, 1]);
  });

  test("as often as configured, code 8 only once, one node again only after the others [QG-79]", async () => {
    const nodes = [await badNode(nothingAtAll), await badNode(answer(404, {}, ""))] as const;
    const list = nodes.map(({ url }, tier) => nodeAt(url, { tier }));
    expect(await outcomeOf(upstreamOver(list, { retries: 2 }), callOf(image))).toMatchObject({ status: 503 });
    expect(nodes.map(({ asked }) => asked)).toEqual([2, 1]);
    expect(await outcomeOf(upstreamOver(list, { retries: 0 }), callOf(image))).toMatchObject({ status: 503 });
    expect(nodes.map(({ asked }) => asked)).toEqual([3, 1]);
    for (const node of nodes) node.behaviour = status(8);
    expect(await outcomeOf(upstreamOver(list, { retries: 5 }), callOf(image))).toMatchObject({ status: 429, code: 8 });
    expect(nodes.map(({ asked }) => asked)).toEqual([4, 2]);
  });

  test("a node's own timeout is not the request's", async () => {
    const [silent, good] = [await badNode(silence), await goodNode()];
    // Time enough for the slowest machine to send the request.
    const upstream = upstreamOver([nodeAt(silent.url, { timeoutMs: 500 }), nodeAt(good.url, { tier: 1 })]);
    expect(await outcomeOf(upstream, callOf(image))).toEqual(answered);
    await silent.dropped;
  });
});

describe("heights", () => {
  const atHeight =
    (height: number): NodeHandler =>
    ({ message }, context) => {
      context.responseHeader.set("x-cosmos-block-height", String(height));
      return message;
    };

  test("a node that lags is called one tier later, until its height is too old to compare [QG-85]", async () => {
    const clock = createManualClock();
    const heights = [100, 121];
    const lagging = await goodNode((...call) => atHeight(heights[0] ?? 0)(...call));
    const fresh = await goodNode((...call) => atHeight(heights[1] ?? 0)(...call));
    const randoms = [0.9, 0.1, 0.1, 0.9];
    const upstream = upstreamOver(
      [nodeAt(lagging.url), nodeAt(fresh.url)],
      {},
      { clock: clock.now, random: () => randoms.shift() ?? 0.5 },
    );
    const ask = () => outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { deadline: clock.now() + 5000 }));
    expect(await ask()).toMatchObject({ height: 100n });
    expect(await ask()).toMatchObject({ height: 121n });
    expect(upstream.nodes()).toMatchObject([{ state: "stale", height: 100n }, { state: "ok" }]);
    expect(upstream.bestHeight()).toBe(121n);
    expect(await ask()).toMatchObject({ height: 121n });
    clock.advance(30_000);
    expect(await ask()).toMatchObject({ height: 100n });
    heights[0] = 101;
    expect(await ask()).toMatchObject({ height: 121n });
    clock.advance(30_000);
    expect(await ask()).toMatchObject({ height: 101n });
    // 20 blocks are within the limit.
    expect(upstream.nodes()).toMatchObject([{ state: "ok" }, { state: "ok" }]);
  });

  test("an old height goes to nodes that reach back to it, and does not count as their height [QG-78]", async () => {
    const [young, old] = [await goodNode(atHeight(100)), await goodNode(atHeight(42))];
    const list = [nodeAt(young.url, { earliestHeight: 43n }), nodeAt(old.url, { tier: 1, earliestHeight: 10n })];
    const upstream = upstreamOver(list);
    expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ height: 100n });
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { height: 42n }))).toMatchObject({ height: 42n });
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { height: 43n }))).toMatchObject({ height: 100n });
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { height: 9n }))).toMatchObject({
      status: 400,
      code: 11,
    });
    expect(upstream.nodes()).toMatchObject([{ height: 100n }, { state: "ok" }]);
    expect([young.seen.length, old.seen.length]).toEqual([2, 1]);
  });
});

describe("hedging [QG-84]", () => {
  test("a second node is called after the delay; the first final response wins and the loser is cancelled", async () => {
    const [slow, good] = [await badNode(silence), await goodNode()];
    const upstream = upstreamOver([nodeAt(slow.url), nodeAt(good.url, { tier: 1 })], { hedgeAfterMs: 200 });
    expect(await outcomeOf(upstream, callOf(image))).toEqual(answered);
    await slow.dropped;
    expect(upstream.nodes()).toMatchObject([{ state: "ok" }, { state: "ok" }]);
  });

  test("after a failure of the second the first can still answer; there is never a third", async () => {
    const goOn = Promise.withResolvers<void>();
    const slow = await goodNode(async (...call) => {
      await goOn.promise;
      return echo(...call);
    });
    const bad = await badNode((...call) => {
      answer(404, {}, "")(...call);
      goOn.resolve();
    });
    const third = await badNode(silence);
    const list = [nodeAt(slow.url), nodeAt(bad.url, { tier: 1 }), nodeAt(third.url, { tier: 2 })];
    const upstream = upstreamOver(list, { hedgeAfterMs: 5, retries: 0 });
    expect(await outcomeOf(upstream, callOf(image))).toEqual(answered);
    expect([bad.asked, third.asked]).toEqual([1, 0]);
  });

  test("not of a call that cannot be repeated, and not if the response is in time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const [good, other] = [await goodNode(), await goodNode()];
      const upstream = upstreamOver([nodeAt(good.url), nodeAt(other.url, { tier: 1 })], { hedgeAfterMs: 5 });
      expect(await outcomeOf(upstream, callOf(image))).toEqual(answered);
      expect(await outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { isRepeatable: false }))).toEqual(answered);
      expect([good.seen.length, other.seen.length]).toEqual([2, 0]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("failures are logged by node and reason, never with the node's message [QG-88]", async () => {
  const bad = await badNode(status(3));
  const upstream = upstreamOver([nodeAt(bad.url, { name: "a" })]);
  await outcomeOf(upstream, callOf(image));
  expect(upstream.logged).toEqual([{ event: "node-failed", node: "a", kind: "grpc-web", reason: "status", code: 3 }]);
});

test("a client that throws is an internal error, and its circuit stays usable [QG-66]", async () => {
  const thrower = () => Promise.reject(new Error("a bug"));
  const embedded = { call: thrower, stream: thrower };
  const node = nodeAt("", { kind: "embedded" });
  const upstream = upstreamOver([node], {}, { embedded });
  expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ status: 500, code: 13 });
  expect(upstream.logged[0]).toEqual({ event: "upstream-threw", reason: "Error: a bug" });
  expect(upstream.nodes()).toMatchObject([{ kind: "embedded", state: "ok" }]);
});
