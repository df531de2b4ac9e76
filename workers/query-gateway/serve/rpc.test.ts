/** CometBFT's RPC for current clients: the real CosmJS over HTTP, in front of nodes of every kind. */
import { create, fromBinary, toBinary, type JsonObject } from "@bufbuild/protobuf";
import { fromJson } from "@bufbuild/protobuf";
import { StargateClient } from "@cosmjs/stargate";
import { connectComet, HttpBatchClient, Comet38Client } from "@cosmjs/tendermint-rpc";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { startCometNode } from "../../../test/support/query-gateway/comet-node.ts";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge, type GatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { startGrpcWebNode } from "../../../test/support/query-gateway/grpc-web-node.ts";
import { answer, startMisbehavingNode } from "../../../test/support/query-gateway/misbehaving-node.ts";
import { loadSchema } from "../descriptors/schema.ts";
import { RPC_BATCH_MAX, RPC_PARAMS_MAX } from "./json-rpc.ts";

const image = ixoImage();
const schema = loadSchema(image);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function typeNamed(name: string) {
  const type = schema.registry.getMessage(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}
const balance = { balance: { denom: "uixo", amount: "5" } };
const BALANCE = "/cosmos.bank.v1beta1.Query/Balance";
const balanceBytes = () => encoded("cosmos.bank.v1beta1.QueryBalanceResponse", balance);
function encoded(name: string, json: JsonObject): Uint8Array {
  return toBinary(typeNamed(name), fromJson(typeNamed(name), json, { registry: schema.registry }));
}

function edge(deployment: object): GatewayEdge {
  return gatewayEdge({ image, source: entitiesInNode(), deployment });
}

/** The gateway on a port, so that real clients can reach it. */
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

/** A node that answers over gRPC-web: a balance, and its identity. */
async function grpcWebNode() {
  const node = await startGrpcWebNode(schema, ({ method, headers }, context, output) => {
    context.responseHeader.set("x-cosmos-block-height", headers.get("x-cosmos-block-height") ?? "12");
    const json: Readonly<Record<string, JsonObject>> = {
      Balance: balance,
      GetLatestBlock: { block: { header: { chain_id: "ixo-5", height: "12", time: "2026-11-23T10:00:00Z" } } },
      GetNodeInfo: {
        default_node_info: { network: "ixo-5", version: "0.38.17", protocol_version: { p2p: "8", block: "11" } },
        application_version: { app_name: "ixod", version: "8.0.0" },
      },
    };
    const found = json[method];
    return found === undefined ? create(output) : fromJson(output, found, { registry: schema.registry });
  });
  closing.push(node.close);
  return node;
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

const post = (gateway: GatewayEdge, body: unknown, path = "/ixo/rpc") =>
  gateway.ask(`POST ${path}`, { body: typeof body === "string" ? body : JSON.stringify(body) });
const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

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

describe("abci_query", () => {
  const asked = (path: string, more: object = {}) => request("abci_query", { path, data: "", prove: false, ...more });

  test("is a call of the gateway: one call for equal ones, final at an old height, over a REST endpoint too [QG-146]", async () => {
    const node = await grpcWebNode();
    const gateway = edge({ chainId: "ixo-5", nodes: [{ kind: "grpc-web", url: node.url }] });
    const value = Buffer.from(balanceBytes()).toString("base64");
    const { body } = await post(gateway, asked(BALANCE));
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 1, result: { response: { code: 0, value, height: "12" } } });
    const old = asked(BALANCE, { height: "5" });
    for (const _ of [1, 2])
      expect((await post(gateway, old)).body.result.response).toMatchObject({ value, height: "5" });
    await gateway.settled();
    const before = node.seen.length;
    expect((await post(gateway, [old, old])).body).toHaveLength(2);
    expect(node.seen.length).toBe(before);

    const rest = await startMisbehavingNode(
      answer(200, { "Content-Type": "application/json" }, JSON.stringify(balance)),
    );
    closing.push(rest.close);
    const lcd = edge({ nodes: [{ kind: "lcd", url: rest.url }] });
    const sent = Buffer.from(
      encoded("cosmos.bank.v1beta1.QueryBalanceRequest", { address: "ixo1a", denom: "uixo" }),
    ).toString("hex");
    expect((await post(lcd, asked(BALANCE, { data: sent }))).body.result.response.value).toBe(value);
    expect(rest.requests.at(-1)?.path).toContain("/cosmos/bank/v1beta1/balances/ixo1a");
  });

  test("a page has the profile's limit [QG-29, QG-146]", async () => {
    const node = await grpcWebNode();
    const type = "cosmos.bank.v1beta1.QueryAllBalancesRequest";
    const page = (limit: string) => encoded(type, { address: "a", pagination: { limit } });
    const data = Buffer.from(page("5000")).toString("hex");
    await post(
      edge({ nodes: [{ kind: "grpc-web", url: node.url }] }),
      asked("/cosmos.bank.v1beta1.Query/AllBalances", { data }),
    );
    expect(node.seen.at(-1)?.message).toEqual(fromBinary(typeNamed(type), page("1000")));
  });

  test.each([
    ["an unknown path", asked("/no.Such/Method"), 6],
    ["a path of the store", asked("/store/bank/key"), 6],
    ["a disabled method", asked("/cosmos.tx.v1beta1.Service/Simulate"), 6],
    ["data that is not a message", asked(BALANCE, { data: "ff" }), 18],
    ["a method that the embedded node lacks", asked("/ixo.entity.v1beta1.Query/Entity", { data: "0a0178" }), 22],
  ])("%s has the SDK's code [QG-146]", async (_, body, code) => {
    const { status, body: reply } = await post(edge({}), body);
    expect([status, reply.result.response]).toMatchObject([200, { code, codespace: "sdk", value: null }]);
  });

  test("an unreachable node is an error of JSON-RPC [QG-146]", async () => {
    const { body } = await post(edge({ nodes: [{ kind: "grpc-web", url: "http://127.0.0.1:1" }] }), asked(BALANCE));
    expect(body.error).toMatchObject({ code: -32_603, data: "The node cannot be reached" });
  });

  test.each([
    ["an invalid height", asked(BALANCE, { height: "x" })],
    ["a proof", asked(BALANCE, { prove: true })],
    ["data that is not hexadecimal", asked(BALANCE, { data: "0x" })],
    ["no path", request("abci_query")],
  ])("%s is -32602 [QG-147]", async (_, body) => {
    expect((await post(edge({}), body)).body.error.code).toBe(-32_602);
  });
});

describe("requests are limited and validated [QG-147]", () => {
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
