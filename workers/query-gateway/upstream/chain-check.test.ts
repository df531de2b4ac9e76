/** A chain profile that names its chain, over real nodes of this and other chains. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { startGrpcWebNode, type GrpcWebNode } from "../../../test/support/query-gateway/grpc-web-node.ts";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { answer, startMisbehavingNode } from "../../../test/support/query-gateway/misbehaving-node.ts";
import { loadSchema } from "../descriptors/schema.ts";
import { CHECK_LASTS_MS, RECHECK_MS } from "./chain-check.ts";

const image = ixoImage();
const schema = loadSchema(image);
const clock = createManualClock();
const PATH = "/ixo/token/params";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

interface Reported {
  chainId: string;
  /** Age of its latest block, in seconds. */
  age?: number;
  height?: string;
  /** Height of its latest block. */
  blockHeight?: number;
  /** How its latest block fails. */
  fails?: (timeoutMs: number | undefined) => Code | undefined;
}

/** Reports `reported` for its latest block; a chain id of "" means a node without that method. */
async function nodeOf(reported: Reported): Promise<GrpcWebNode & { reported: Reported }> {
  const node = await startGrpcWebNode(schema, ({ method, headers }, context, output) => {
    const asked = headers.get("x-cosmos-block-height");
    context.responseHeader.set("x-cosmos-block-height", asked ?? reported.height ?? "100");
    if (method !== "GetLatestBlock") return create(output);
    const code = reported.fails?.(context.timeoutMs());
    if (code !== undefined) throw new ConnectError("not now", code);
    if (reported.chainId === "") throw new ConnectError("unknown service", Code.Unimplemented);
    const seconds = BigInt(Math.floor(clock.now() / 1000) - (reported.age ?? 0));
    const height = BigInt(reported.blockHeight ?? 0);
    return create(output, { block: { header: { chainId: reported.chainId, height, time: { seconds } } } });
  });
  closing.push(node.close);
  return { ...node, reported };
}

function edge(urls: readonly string[], kind = "grpc-web", deployment: object = {}) {
  const nodes = urls.map((url, tier) => ({ name: `n${tier}`, kind, url, tier }));
  return gatewayEdge({
    image,
    source: entitiesInNode(),
    deployment: { chainId: "ixo-5", nodes, ...deployment },
    platform: { clock: clock.now },
  });
}

const queries = ({ seen }: GrpcWebNode) => seen.filter(({ method }) => method === "Params").length;
const states = async (ask: ReturnType<typeof edge>["ask"]) =>
  (await ask("/health")).body.gateway.nodes.map(({ state }: { state: string }) => state);

test("a node of another chain is not called, and is checked again after a while [QG-87]", async () => {
  const [other, ours] = [await nodeOf({ chainId: "ixo-4", height: "999" }), await nodeOf({ chainId: "ixo-5" })];
  const { ask, log } = edge([other.url, ours.url]);
  const first = await ask(PATH);
  expect([first.status, first.headers.get("X-Cosmos-Block-Height")]).toEqual([200, "100"]);
  for (const _ of [1, 2, 3]) expect((await ask(PATH)).headers.get("X-Cosmos-Block-Height")).toBe("100");
  expect([queries(other), queries(ours)]).toEqual([1, 4]);
  expect(await states(ask)).toEqual(["other-chain", "ok"]);
  expect(log.join()).toContain('"node":"n0","kind":"grpc-web","expected":"ixo-5","reported":"ixo-4"');

  other.reported.chainId = "ixo-5";
  clock.advance(RECHECK_MS);
  expect((await ask(PATH)).headers.get("X-Cosmos-Block-Height")).toBe("999");
});

test("a node that passed is checked again from time to time, because its address may change its target [QG-87]", async () => {
  const node = await nodeOf({ chainId: "ixo-5" });
  const { ask } = edge([node.url]);
  for (const _ of [1, 2, 3]) expect((await ask(PATH)).status).toBe(200);
  expect(node.seen.length - queries(node)).toBe(1);
  node.reported.chainId = "ixo-4";
  clock.advance(CHECK_LASTS_MS);
  const { status, body } = await ask(PATH);
  expect([status, body.code, body.message]).toEqual([503, 14, "No node of this chain is available"]);
  expect((await ask(PATH)).status).toBe(503);
  expect(queries(node)).toBe(4);
});

test("a node that cannot report its chain is used [QG-87]", async () => {
  const node = await nodeOf({ chainId: "" });
  const { ask, log } = edge([node.url]);
  for (const _ of [1, 2]) expect((await ask(PATH)).status).toBe(200);
  expect(log.filter((line) => line.includes("chain-unknown"))).toHaveLength(1);
});

test("a failed check changes no known result [QG-87]", async () => {
  const [other, ours] = [await nodeOf({ chainId: "ixo-4", height: "999" }), await nodeOf({ chainId: "ixo-5" })];
  const { ask } = edge([other.url, ours.url]);
  await ask(PATH);
  other.reported.fails = () => Code.Unavailable;
  clock.advance(RECHECK_MS);
  for (const _ of [1, 2]) expect((await ask(PATH)).headers.get("X-Cosmos-Block-Height")).toBe("100");
  expect(await states(ask)).toEqual(["other-chain", "ok"]);

  other.reported.fails = () => undefined;
  other.reported.chainId = "ixo-5";
  clock.advance(RECHECK_MS);
  expect((await ask(PATH)).headers.get("X-Cosmos-Block-Height")).toBe("999");
});

test("the timeout of one caller does not limit the check, whose result is shared", async () => {
  const fails = (timeoutMs = 0) => (timeoutMs <= 500 ? Code.DeadlineExceeded : undefined);
  const other = await nodeOf({ chainId: "ixo-4", height: "999", fails });
  const ours = await nodeOf({ chainId: "ixo-5" });
  const { ask } = edge([other.url, ours.url]);
  await ask(PATH, { headers: { "Grpc-Timeout": "500m" } });
  expect((await ask(PATH)).headers.get("X-Cosmos-Block-Height")).toBe("100");
});

test("a node at the head keeps that state until it is checked again", async () => {
  const node = await nodeOf({ chainId: "ixo-5", age: 5 });
  const { ask } = edge([node.url]);
  await ask(PATH);
  clock.advance(CHECK_LASTS_MS - 1);
  expect(await states(ask)).toEqual(["ok"]);
});

test("a call with side effects is not sent before the node is known to be on the chain [QG-87]", async () => {
  const [other, ours] = [await nodeOf({ chainId: "ixo-4" }), await nodeOf({ chainId: "ixo-5" })];
  const { ask } = edge([other.url, ours.url], "grpc-web", { upstream: { once: ["ixo.token.v1beta1.Query/Params"] } });
  expect((await ask(PATH)).status).toBe(200);
  expect([queries(other), queries(ours)]).toEqual([0, 1]);
});

test("a node whose latest block is old comes after the others [QG-85]", async () => {
  const [old, fresh] = [await nodeOf({ chainId: "ixo-5", age: 3600 }), await nodeOf({ chainId: "ixo-5" })];
  const { ask } = edge([old.url, fresh.url]);
  await ask(PATH);
  expect(await states(ask)).toEqual(["stale", "ok"]);
});

test("of two nodes with distant heights the one whose latest block is old is behind, even if no chain is named [QG-86]", async () => {
  const [syncing, atHead] = [
    await nodeOf({ chainId: "any", height: "2000000", age: 2_592_000 }),
    await nodeOf({ chainId: "any", height: "10000000" }),
  ];
  const { ask } = edge([syncing.url, atHead.url], "grpc-web", { chainId: "" });
  expect((await ask(PATH)).headers.get("X-Cosmos-Block-Height")).toBe("2000000");
  expect(await states(ask)).toEqual(["stale", "ok"]);
  const alone = edge([syncing.url], "grpc-web", { chainId: "" });
  await alone.ask(PATH);
  // With one node there is no choice, so nothing is compared.
  expect(await states(alone.ask)).toEqual(["ok"]);
});

test("over a node's REST endpoint", async () => {
  const body = (chain: string) =>
    JSON.stringify({ block: { header: { chain_id: chain, time: new Date(clock.now()) } } });
  for (const [chain, status] of [
    ["ixo-5", 200],
    ["ixo-4", 503],
  ] as const) {
    const node = await startMisbehavingNode((response, request) => {
      const text = request.url === "/cosmos/base/tendermint/v1beta1/blocks/latest" ? body(chain) : "{}";
      answer(200, { "Content-Type": "application/json" }, text)(response, request);
    });
    closing.push(node.close);
    expect((await edge([node.url], "lcd").ask(PATH)).status).toBe(status);
  }
});

test.each(["grpc-web", "lcd"])(
  "old heights are final for an isolate without other requests: the latest block of a node of kind %s counts [QG-140]",
  async (kind) => {
    const node = kind === "lcd" ? await restNode() : await nodeOf({ chainId: "ixo-5", blockHeight: 1000 });
    const { ask } = edge([node.url], kind);
    const cacheControlAt = async (height: number) => {
      const { headers } = await ask(PATH, { headers: { "x-cosmos-block-height": String(height) } });
      return headers.get("Cache-Control");
    };
    for (const height of [5, 998]) expect(await cacheControlAt(height)).toContain("immutable");
    expect(await cacheControlAt(999)).toBe("no-cache");
    expect((await ask("/health")).body.gateway.nodes).toMatchObject([{ height: "1000" }]);
  },
);

/** A node's own REST endpoint at block 1000, which answers at the requested height. */
async function restNode() {
  const node = await startMisbehavingNode((response, request) => {
    const isBlock = request.url === "/cosmos/base/tendermint/v1beta1/blocks/latest";
    const header = { chain_id: "ixo-5", height: "1000", time: new Date(clock.now()) };
    const height = String(request.headers["x-cosmos-block-height"] ?? "1000");
    const headers = { "Content-Type": "application/json", "x-cosmos-block-height": height };
    answer(200, headers, JSON.stringify(isBlock ? { block: { header } } : {}))(response, request);
  });
  closing.push(node.close);
  return node;
}

describe("nodes of two chains if the profile names none [QG-141]", () => {
  const unnamed = (...nodes: readonly { readonly url: string }[]) => {
    const gateway = gatewayEdge({
      image,
      source: entitiesInNode(),
      // One tier, so that every node is drawn.
      deployment: { nodes: nodes.map(({ url }, at) => ({ name: `n${at}`, kind: "grpc-web", url })) },
      platform: { clock: clock.now },
    });
    const heights = async () => {
      const seen = new Set<string | null>();
      for (let asked = 0; asked < 20; asked += 1)
        seen.add((await gateway.ask(PATH)).headers.get("X-Cosmos-Block-Height"));
      return [...seen];
    };
    return { ...gateway, heights };
  };

  test("are never mixed: in a tie the node listed first decides", async () => {
    const [first, second] = [
      await nodeOf({ chainId: "a", height: "11" }),
      await nodeOf({ chainId: "b", height: "22" }),
    ];
    const { ask, heights, log } = unnamed(first, second);
    expect(await heights()).toEqual(["11"]);
    expect(await states(ask)).toEqual(["ok", "other-chain"]);
    const lines = log.filter((line) => line.includes("chain-differs"));
    expect(lines).toEqual([expect.stringContaining('"node":"n1","kind":"grpc-web","expected":"a","reported":"b"')]);
  });

  test("the chain of most nodes wins, wherever they are listed", async () => {
    const odd = await nodeOf({ chainId: "b", height: "22" });
    const ours = [await nodeOf({ chainId: "a", height: "11" }), await nodeOf({ chainId: "a", height: "11" })];
    const { ask, heights } = unnamed(odd, ...ours);
    expect(await heights()).toEqual(["11"]);
    expect(await states(ask)).toEqual(["other-chain", "ok", "ok"]);
    // The head of the odd node's chain differs from the profile's.
    odd.reported.height = "999999";
    expect(await heights()).toEqual(["11"]);
  });

  test("a node that is unavailable when the others are compared is counted when it returns", async () => {
    const away = await nodeOf({ chainId: "a", height: "11", fails: () => Code.Unavailable });
    const [second, third] = [
      await nodeOf({ chainId: "b", height: "22" }),
      await nodeOf({ chainId: "a", height: "11" }),
    ];
    const { heights } = unnamed(away, second, third);
    // One against one: the first listed of those that have reported.
    expect((await heights()).includes("22")).toBe(true);
    away.reported.fails = () => undefined;
    clock.advance(CHECK_LASTS_MS);
    await heights();
    expect(await heights()).toEqual(["11"]);
  });
});

test.each(["9223372036854775807", "99999999999"])(
  "an impossible height is not passed on to callers: %s [QG-142]",
  async (height) => {
    const node = await nodeOf({ chainId: "ixo-5", height });
    const { ask } = edge([node.url]);
    const { status, headers } = await ask(PATH);
    expect([status, headers.get("X-Cosmos-Block-Height"), headers.get("Grpc-Metadata-X-Cosmos-Block-Height")]).toEqual([
      200,
      null,
      null,
    ]);
    expect(await states(ask)).toEqual(["implausible"]);
  },
);
