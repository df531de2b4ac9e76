/** The circuit of a node in the pool: events that open it, events that do not, and the probe that closes it. */
import { afterEach, describe, expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";
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
import { callOf, nodeAt, outcomeOf, upstreamOver } from "../../../test/support/query-gateway/upstream-calls.ts";

const image = fixtureImage();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function badNode(behaviour: Behaviour) {
  const node = await startMisbehavingNode(behaviour);
  closing.push(node.close);
  return node;
}
const status = (code: number) => trailersOnly({ "grpc-status": String(code), "grpc-message": "of the node" });

const fine = grpcWeb(frame(0, Uint8Array.of(0x0a, 1, 0x61)), trailers({ "grpc-status": "0" }));

const breaker = { failures: 3, windowMs: 1000, openMs: 500 };

test("opens after this many consecutive failures, then one probe decides [QG-82]", async () => {
  const clock = createManualClock();
  const [node, other] = [await badNode(nothingAtAll), await badNode(status(5))];
  const nodes = [nodeAt(node.url), nodeAt(other.url, { tier: 1 })];
  const upstream = upstreamOver(nodes, { breaker, retries: 0 }, { clock: clock.now });
  const ask = () => outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { deadline: clock.now() + 5000 }));
  for (const _ of [1, 2]) await ask();
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }, {}]);
  await ask();
  expect(upstream.nodes()).toMatchObject([{ state: "open" }, {}]);
  expect(await ask()).toMatchObject({ code: 5 });
  expect([node.asked, other.asked]).toEqual([3, 1]);

  clock.advance(breaker.openMs - 1);
  await ask();
  expect(node.asked).toBe(3);
  clock.advance(1);
  expect(await ask()).toMatchObject({ status: 503 });
  expect(node.asked).toBe(4);
  expect(upstream.nodes()).toMatchObject([{ state: "open" }, {}]);

  clock.advance(breaker.openMs);
  const probed = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  node.behaviour = (...call) => {
    probed.resolve();
    void goOn.promise.then(() => status(3)(...call));
  };
  const probe = ask();
  await probed.promise;
  expect(upstream.nodes()).toMatchObject([{ state: "probing" }, {}]);
  expect(await ask()).toMatchObject({ code: 5 });
  goOn.resolve();
  // A node that refuses is healthy.
  expect(await probe).toMatchObject({ code: 3 });
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }, {}]);
  expect(node.asked).toBe(5);
});

describe("no request can cause an outage [QG-82]", () => {
  const quick = "Post";

  test.each([14, 8, 2, 13])("a method that answers status %i proves nothing about the node", async (code) => {
    const node = await badNode((response, request) =>
      request.url?.endsWith(`/${quick}`) === true ? fine(response, request) : status(code)(response, request),
    );
    const upstream = upstreamOver([nodeAt(node.url)], { breaker });
    for (let asked = 0; asked < 20; asked += 1)
      expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ code });
    expect(upstream.nodes()).toMatchObject([{ state: "ok" }]);
    expect(await outcomeOf(upstream, callOf(image, quick, {}))).toMatchObject({ answer: { id: "a" } });
  });

  test("slow queries, five at once and repeated, stop no other method, and are still sent", async () => {
    const node = await badNode((response, request) => {
      if (request.url?.endsWith(`/${quick}`) === true) fine(response, request);
    });
    const upstream = upstreamOver([nodeAt(node.url)], { breaker, retries: 0, timeoutMs: 20 });
    const slow = () => outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { timeoutMs: 20 }));
    for (const _ of [1, 2]) {
      const answers = await Promise.all([1, 2, 3, 4, 5].map(slow));
      for (const answer of answers) expect(answer).toMatchObject({ status: 504, code: 4 });
      expect(await outcomeOf(upstream, callOf(image, quick, {}))).toMatchObject({ answer: { id: "a" } });
    }
    expect(upstream.nodes()).toMatchObject([{ state: "ok" }]);
    node.behaviour = fine;
    expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ answer: { id: "a" } });
  });

  test("with every circuit open each node is still called once [QG-83]", async () => {
    const nodes = [await badNode(nothingAtAll), await badNode(nothingAtAll)] as const;
    const list = nodes.map(({ url }, tier) => nodeAt(url, { tier }));
    const upstream = upstreamOver(list, { breaker: { ...breaker, failures: 1 }, retries: 5 });
    const { isRepeatable } = callOf(image);
    expect(isRepeatable).toBe(true);
    await outcomeOf(upstream, callOf(image));
    expect(upstream.nodes()).toMatchObject([{ state: "open" }, { state: "open" }]);
    const before = nodes.map(({ asked }) => asked);
    expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ status: 503, code: 14 });
    expect(nodes.map(({ asked }, at) => asked - (before[at] ?? 0))).toEqual([1, 1]);
    nodes[1].behaviour = fine;
    expect(await outcomeOf(upstream, callOf(image))).toMatchObject({ answer: { id: "a" } });
    expect(upstream.nodes()).toMatchObject([{}, { state: "ok" }]);
  });
});

test("failures far apart, or with a success in between, do not open it [QG-82]", async () => {
  const clock = createManualClock();
  const node = await badNode(nothingAtAll);
  const upstream = upstreamOver([nodeAt(node.url)], { breaker, retries: 0 }, { clock: clock.now });
  const ask = () => outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { deadline: clock.now() + 5000 }));
  for (const _ of [1, 2, 3, 4]) {
    await ask();
    clock.advance(breaker.windowMs / 2);
  }
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }]);
  clock.advance(breaker.windowMs);
  for (const behaviour of [nothingAtAll, nothingAtAll, status(3), nothingAtAll, nothingAtAll]) {
    node.behaviour = behaviour;
    await ask();
  }
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }]);
});

test("a caller without time, or one who disconnects, does not open it [QG-82]", async () => {
  const node = await badNode(silence);
  const upstream = upstreamOver([nodeAt(node.url)], { breaker, timeoutMs: 1000 });
  for (const _ of [1, 2, 3, 4]) {
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { timeoutMs: 5 }))).toMatchObject({ code: 4 });
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { timeoutMs: 0 }))).toMatchObject({ code: 4 });
    const signal = AbortSignal.timeout(5);
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { signal }))).toMatchObject({ code: 1 });
  }
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }]);
  const hasty = upstreamOver([nodeAt(node.url)], { breaker, timeoutMs: 10 });
  for (const rpc of ["Get", "Do", "Deep"]) await outcomeOf(hasty, callOf(image, rpc, {}, { timeoutMs: 10 }));
  expect(hasty.nodes()).toMatchObject([{ state: "open" }]);
});

test.each([
  ["a text that is not UTF-8", Uint8Array.of(0x0a, 1, 0xff)],
  ["another schema", Uint8Array.of(0x0a, 9, 0)],
])("%s does not open it, and is requested once: anyone could repeat that request [QG-82]", async (_, message) => {
  const node = await badNode(grpcWeb(frame(0, message), trailers({ "grpc-status": "0" })));
  const upstream = upstreamOver([nodeAt(node.url)], { breaker });
  for (let asked = 0; asked < 4; asked += 1)
    expect(await outcomeOf(upstream, callOf(image, "Get", { id: "a" }))).toMatchObject({ status: 502, code: 14 });
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }]);
  expect(node.asked).toBe(4);
});

const HTML = { "Content-Type": "text/html" };
/** A firewall in front of a node, which refuses anything that looks like a script. */
const firewall =
  (refusal: number): Behaviour =>
  (response, request) =>
    (request.url?.includes("script") === true ? answer(refusal, HTML, "<html>") : lcd)(response, request);
const lcd = answer(200, { "Content-Type": "application/json" }, "{}");

test.each([400, 401, 403, 404, 405, 413, 414, 422, 431, 451])(
  "a proxy's %i concerns one request: it moves no other traffic, not even of that method [QG-139]",
  async (refusal) => {
    const [node, other] = [await badNode(firewall(refusal)), await badNode(firewall(refusal))];
    const nodes = [nodeAt(node.url, { kind: "lcd" }), nodeAt(other.url, { kind: "lcd", tier: 1 })];
    const upstream = upstreamOver(nodes, { breaker });
    const ask = (id: string) => outcomeOf(upstream, callOf(image, "Get", { id }));
    for (let asked = 0; asked < 5; asked += 1) expect(await ask("script")).toMatchObject({ status: 502, code: 14 });
    // Another node may accept it; this one would not.
    expect([node.asked, other.asked]).toEqual([5, 5]);
    for (let asked = 0; asked < 20; asked += 1) expect(await ask("good")).toEqual({ answer: "{}" });
    expect([node.asked, other.asked]).toEqual([25, 5]);
    expect(upstream.nodes()).toMatchObject([{ state: "ok" }, { state: "ok" }]);
  },
);

test.each<[string, Behaviour]>([
  ["a trailer without a status", grpcWeb(frame(0, Uint8Array.of(0x0a, 1, 0x61)), trailers({ a: "b" }))],
  ["a web page", answer(200, HTML, "<html>")],
  ["a cut answer", grpcWeb(Uint8Array.of(0, 0, 0, 0, 9, 1))],
  ["a 502 of its proxy", answer(502, HTML, "<html>")],
])("a method that returns %s moves its own traffic and no other [QG-139]", async (_, behaviour) => {
  const node = await badNode((response, request) =>
    (request.url?.endsWith("/Get") === true ? behaviour : fine)(response, request),
  );
  const other = await badNode(fine);
  const upstream = upstreamOver([nodeAt(node.url), nodeAt(other.url, { tier: 1 })], { breaker });
  for (let asked = 0; asked < 10; asked += 1)
    expect(await outcomeOf(upstream, callOf(image))).toEqual({ answer: { id: "a" } });
  expect([node.asked, other.asked]).toEqual([breaker.failures, 10]);
  for (let asked = 0; asked < 10; asked += 1) await outcomeOf(upstream, callOf(image, "Post", {}));
  expect([node.asked, other.asked]).toEqual([breaker.failures + 10, 10]);
  expect(upstream.nodes()).toMatchObject([{ state: "ok" }, { state: "ok" }]);
});

test("several methods that return no gRPC, without a response in between, open the node's circuit [QG-82]", async () => {
  const [page, other] = [await badNode(answer(200, HTML, "<html>")), await badNode(fine)];
  const upstream = upstreamOver([nodeAt(page.url), nodeAt(other.url, { tier: 1 })], { breaker });
  for (const rpc of ["Get", "Do", "Deep"]) await outcomeOf(upstream, callOf(image, rpc, {}));
  expect(upstream.nodes()).toMatchObject([{ state: "open" }, { state: "ok" }]);
  await outcomeOf(upstream, callOf(image, "Post", {}));
  expect([page.asked, other.asked]).toEqual([3, 4]);
});

test("a probe without a caller makes room for the next one [QG-82]", async () => {
  const clock = createManualClock();
  const node = await badNode(nothingAtAll);
  const upstream = upstreamOver(
    [nodeAt(node.url)],
    { breaker: { ...breaker, failures: 1 }, retries: 0 },
    { clock: clock.now },
  );
  const terms = () => ({ deadline: clock.now() + 5000 });
  await outcomeOf(upstream, callOf(image, "Get", {}, terms()));
  clock.advance(breaker.openMs);
  const caller = new AbortController();
  node.behaviour = () => caller.abort();
  expect(await outcomeOf(upstream, callOf(image, "Get", {}, { ...terms(), signal: caller.signal }))).toMatchObject({
    code: 1,
  });
  node.behaviour = status(5);
  expect(await outcomeOf(upstream, callOf(image, "Get", {}, terms()))).toMatchObject({ code: 5 });
});
