/** CometBFT's RPC for clients of today: the real CosmJS over HTTP, in front of nodes of every kind. */
import { fromBinary } from "@bufbuild/protobuf";
import { StargateClient } from "@cosmjs/stargate";
import { connectComet, HttpBatchClient, Comet38Client } from "@cosmjs/tendermint-rpc";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { startCometNode } from "../../../test/support/query-gateway/comet-node.ts";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge, type GatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { RPC_BATCH_MAX, RPC_PARAMS_MAX } from "./json-rpc.ts";
import {
  image,
  closing,
  typeNamed,
  BALANCE,
  balanceBytes,
  encoded,
  edge,
  grpcWebNode,
  post,
  request,
} from "../../../test/support/query-gateway/rpc-nodes.ts";

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** The gateway on a port, so that real clients reach it. */
async function served({ call }: GatewayEdge): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const headers = { "Content-Type": request.headers["content-type"] ?? "" };
      const init = { headers, ...(body.byteLength > 0 && { body: new Uint8Array(body) }) };
      const answering = async () => {
        const answered = await call(`${request.method} ${request.url}`, init);
        response.writeHead(answered.status, Object.fromEntries(answered.headers));
        response.end(Buffer.from(await answered.arrayBuffer()));
      };
      answering().catch((error: unknown) => response.destroy(error as Error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ixo/rpc`;
}

async function cometNode(chainId = "ixo-5") {
  const latest = encoded("cosmos.base.tendermint.v1beta1.GetLatestBlockResponse", {
    block: { header: { chain_id: chainId, height: "12" } },
  });
  const answers: Readonly<Record<string, () => Uint8Array>> = {
    [BALANCE]: balanceBytes,
    "/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock": () => latest,
  };
  const node = await startCometNode(chainId, (path) => answers[path]?.());
  closing.push(node.close);
  return node;
}

describe("the real CosmJS [QG-145]", () => {
  test("connects to a profile with any kind of node, and reads a balance, the height and the chain", async () => {
    const { url } = await grpcWebNode();
    const comet = await cometNode();
    for (const nodes of [
      [{ kind: "grpc-web", url }],
      [{ kind: "abci-query", url: comet.url }],
      [
        { kind: "grpc-web", url },
        { kind: "abci-query", url: comet.url, tier: 1 },
      ],
    ]) {
      const client = await StargateClient.connect(await served(edge({ nodes, chainId: "ixo-5" })));
      expect(await client.getChainId()).toBe("ixo-5");
      expect(await client.getHeight()).toBe(12);
      expect(await client.getBalance("ixo1a", "uixo")).toEqual({ denom: "uixo", amount: "5" });
      client.disconnect();
    }
  });

  test("connects to the embedded node", async () => {
    const client = await connectComet(await served(edge({})));
    const { nodeInfo, syncInfo } = await client.status();
    expect([nodeInfo.network, syncInfo.catchingUp]).toEqual(["twinedge-1", false]);
    expect((await client.abciInfo()).lastBlockHeight).toBe(syncInfo.latestBlockHeight);
  });

  test("reads blocks and searches transactions through a node of kind abci-query", async () => {
    const comet = await cometNode();
    const nodes = [{ kind: "abci-query", url: comet.url }];
    const url = await served(edge({ nodes, rpc: { broadcast: true } }));
    const client = await StargateClient.connect(url);
    expect((await client.getBlock()).header).toMatchObject({ height: 12, chainId: "ixo-5" });
    const hash = await client.broadcastTxSync(Uint8Array.of(1, 2, 3));
    expect(comet.sent).toEqual(["AQID"]);
    expect(await client.getTx(hash)).toMatchObject({ height: 12, hash, code: 0 });
    await expect(client.getBlock(99)).rejects.toThrow("must be less than or equal");
  });

  test("sends batches", async () => {
    const { url } = await grpcWebNode();
    const http = new HttpBatchClient(await served(edge({ nodes: [{ kind: "grpc-web", url }] })));
    const client = Comet38Client.create(http);
    const [status, info] = await Promise.all([client.status(), client.abciInfo()]);
    expect([status.syncInfo.latestBlockHeight, info.lastBlockHeight]).toEqual([12, 12]);
    client.disconnect();
  });
});

describe("what a caller sends is bounded and checked [QG-147]", () => {
  const many = (count: number) => Array.from({ length: count }, (_, id) => ({ ...request("health"), id }));

  test.each<[string, unknown, number]>([
    ["half a document", "{", -32_700],
    ["a number", "1", -32_600],
    ["another version", { ...request("health"), jsonrpc: "1.0" }, -32_600],
    ["an empty batch", [], -32_600],
    ["lists in lists", request("health", { a: [[[]]] }), -32_600],
    ["an endlessly nested body", "[".repeat(100_000) + "]".repeat(100_000), -32_600],
    ["a batch that is too long", many(RPC_BATCH_MAX + 1), -32_600],
    ["an unknown method", request("dial_peers"), -32_601],
    ["a method that needs CometBFT", request("block"), -32_601],
    ["a transaction where the operator allows none", request("broadcast_tx_sync", { tx: "AQ==" }), -32_601],
    [
      "too many parameters",
      request("health", Object.fromEntries(Array.from({ length: RPC_PARAMS_MAX + 1 }, (_, at) => [`p${at}`, 1]))),
      -32_602,
    ],
  ])("%s", async (_, body, code) => {
    const { status, body: reply } = await post(edge({}), body);
    expect([status, reply.error.code]).toEqual([200, code]);
  });

  test("the longest batch is answered in order, notifications are not", async () => {
    const gateway = edge({});
    const { body } = await post(gateway, many(RPC_BATCH_MAX));
    expect(body.map(({ id }: { id: number }) => id)).toEqual(many(RPC_BATCH_MAX).map(({ id }) => id));
    const { id: _, ...notification } = request("health");
    expect((await post(gateway, [notification, request("health")])).body).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  test("each request of a batch counts against the rate", async () => {
    const now = Date.now();
    const gateway = gatewayEdge({
      image,
      source: entitiesInNode(),
      deployment: { rate: { perMinute: 3, burst: 3 } },
      platform: { clock: () => now },
    });
    const { body } = await post(gateway, many(4));
    expect(body.map(({ error }: { error?: { code: number } }) => error?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      -32_000,
    ]);
    expect((await post(gateway, request("health"))).status).toBe(429);
  });

  test("the body has the profile's limit, and no Content-Encoding", async () => {
    const text = JSON.stringify(request("health"));
    expect((await post(edge({ limits: { bodyBytes: text.length } }), text)).status).toBe(200);
    expect((await post(edge({ limits: { bodyBytes: text.length - 1 } }), text)).status).toBe(413);
    const packed = { body: text, headers: { "Content-Encoding": "gzip" } };
    expect((await edge({}).ask("POST /ixo/rpc", packed)).status).toBe(415);
  });
});

describe("by URL [QG-148]", () => {
  test("a method and its parameters", async () => {
    const node = await grpcWebNode();
    const gateway = edge({ nodes: [{ kind: "grpc-web", url: node.url }] });
    expect((await gateway.ask("/ixo/rpc/status")).body).toMatchObject({
      id: -1,
      result: { node_info: { network: "ixo-5" } },
    });
    const { body } = await gateway.ask(`/ixo/rpc/abci_query?path="${BALANCE}"&data=0x0a01612&height=5`);
    expect(body.error.code).toBe(-32_602);
    const read = await gateway.ask(`/ixo/rpc/abci_query?path="${BALANCE}"&data=0x0a0161&height=5&prove=false`);
    expect(read.body.result.response).toMatchObject({ code: 0, height: "5" });
    const message = fromBinary(typeNamed("cosmos.bank.v1beta1.QueryBalanceRequest"), Uint8Array.of(0x0a, 1, 0x61));
    expect(node.seen.at(-1)?.message).toEqual(message);
  });

  test("bytes reach a node in base64", async () => {
    const comet = await cometNode();
    const { ask } = edge({ nodes: [{ kind: "abci-query", url: comet.url }] });
    await ask("/ixo/rpc/tx?hash=0xAB01&prove=true");
    await ask("/ixo/rpc/block?height=12");
    expect(comet.seen.slice(-2)).toEqual([
      { method: "tx", params: { hash: "qwE=", prove: true } },
      { method: "block", params: { height: "12" } },
    ]);
  });

  test.each([
    ["/ixo/rpc", 200],
    ["/ixo/rpc/", 200],
    ["HEAD /ixo/rpc/", 200],
    ["/ixo/rpc/a/b", 404],
    ["PUT /ixo/rpc", 405],
  ])("%s is %i", async (line, status) => {
    expect((await edge({}).ask(line)).status).toBe(status);
  });
});

describe("the list of methods [QG-150]", () => {
  const linksOf = async (gateway: GatewayEdge, path: string) => {
    const response = await gateway.call(path);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    return [...(await response.text()).matchAll(/<a href="([^"]*)">/g)].map(([, address]) => address ?? "");
  };

  test("contains the methods of this profile, each with a working URL", async () => {
    const links = await linksOf(edge({}), "/ixo/rpc");
    const path = "/ixo/rpc/abci_query?path=_&amp;data=_&amp;height=_&amp;prove=_";
    expect(links).toEqual(["/ixo/rpc/abci_info", "/ixo/rpc/health", "/ixo/rpc/status", path]);
    for (const link of links.slice(0, 3)) expect((await edge({}).ask(link)).body.error).toBeUndefined();
  });

  test("lists blocks if a node has them, transactions if they are accepted, and the mount", async () => {
    const comet = await cometNode();
    const nodes = [{ kind: "abci-query", url: comet.url }];
    const links = await linksOf(edge({ nodes, match: { mount: "/a" }, rpc: { broadcast: true } }), "/a/ixo/rpc/");
    expect(links).toContain("/a/ixo/rpc/block?height=_");
    expect(links).toContain("/a/ixo/rpc/broadcast_tx_sync?tx=_");
    expect(await linksOf(edge({ nodes }), "/ixo/rpc")).not.toContain("/ixo/rpc/broadcast_tx_sync?tx=_");
  });
});

test("a subscription is refused with an alternative, by message and by WebSocket [QG-153]", async () => {
  const refused = await post(edge({}), request("subscribe", { query: "tm.event='NewBlock'" }));
  expect(refused.body.error).toMatchObject({ code: -32_601, data: expect.stringMatching(/no subscriptions; poll/) });
  const headers = { Upgrade: "websocket", Connection: "Upgrade" };
  const { status, body } = await edge({}).ask("/ixo/rpc/websocket", { headers });
  expect([status, body.code]).toEqual([501, 12]);
  expect(body.message).toMatch(/no subscriptions; poll/);
});

test("it is under the prefix and the gate, and can be switched off [QG-145]", async () => {
  const health = request("health");
  expect((await post(edge({ protocolPrefix: "acme" }), health, "/acme/rpc")).status).toBe(200);
  expect((await post(edge({ rpc: { enabled: false } }), health)).status).toBe(404);
  const gate = { mode: "apiKey", keys: [{ secret: "secret:KEY", label: "a" }] };
  const behind = (deployment: object) =>
    gatewayEdge({ image, source: entitiesInNode(), deployment: { gate, ...deployment }, env: { KEY: "k".repeat(20) } });
  const sent = { body: JSON.stringify(health), headers: { "X-API-Key": "k".repeat(20) } };
  // One path leads to every method, which a pattern of the gate may not intend.
  expect((await behind({}).ask("POST /ixo/rpc", sent)).status).toBe(404);
  const open = behind({ rpc: { enabled: true } });
  expect([(await post(open, health)).status, (await open.ask("POST /ixo/rpc", sent)).status]).toEqual([401, 200]);
  const { status, headers } = await edge({}).ask("OPTIONS /ixo/rpc");
  expect([status, headers.get("Allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
});

test("a transaction goes to one node and never to another chain's [QG-149]", async () => {
  const [away, comet] = [await cometNode("ixo-4"), await cometNode()];
  const nodes = [away, comet].map(({ url }, tier) => ({ kind: "abci-query", url, tier }));
  const gateway = edge({ nodes, chainId: "ixo-5", rpc: { broadcast: true } });
  const sent = request("broadcast_tx_sync", { tx: "AQ==" });
  expect((await post(gateway, sent)).body.result.code).toBe(0);
  expect([away.sent, comet.sent]).toEqual([[], ["AQ=="]]);
  await comet.close();
  expect((await post(gateway, sent)).body.error.code).toBe(-32_603);
});
