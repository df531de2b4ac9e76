/** Sharing and caching of RPC requests that pass to a node, over a node that counts its calls. */
import { fromJson, toBinary, type JsonObject } from "@bufbuild/protobuf";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge, type GatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema } from "../descriptors/schema.ts";

const image = ixoImage();
const schema = loadSchema(image);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const LATEST_BLOCK = "cosmos.base.tendermint.v1beta1.GetLatestBlockResponse";
function encoded(name: string, json: JsonObject): Uint8Array {
  const type = schema.registry.getMessage(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return toBinary(type, fromJson(type, json));
}

const edge = (deployment: object): GatewayEdge => gatewayEdge({ image, source: entitiesInNode(), deployment });
const post = (gateway: GatewayEdge, body: object) => gateway.ask("POST /ixo/rpc", { body: JSON.stringify(body) });
const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

describe("requests that pass to a node are shared and cached [QG-151]", () => {
  /** A node whose chain ends at height 100, with the current time as the latest block's. */
  async function chainNode(canonical = true) {
    const seen: { method: string; params: Record<string, unknown> }[] = [];
    const at = (height: unknown) => String(height ?? 100);
    const header = (height: unknown) => ({ chain_id: "ixo-5", height: at(height), time: new Date().toISOString() });
    const results: Readonly<Record<string, (params: Record<string, unknown>) => JsonObject>> = {
      block: ({ height }) => ({ block: { header: header(height) } }),
      block_results: ({ height }) => ({ height: at(height) }),
      commit: ({ height }) => ({ signed_header: { header: header(height) }, canonical }),
      tx: () => ({ hash: "AB", height: "7" }),
      status: () => ({ sync_info: { latest_block_height: "100" } }),
      validators: () => ({ block_height: "100" }),
    };
    const latest = encoded(LATEST_BLOCK, { block: { header: header(100) } });
    const server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const { method, params } = JSON.parse(Buffer.concat(chunks).toString()) as (typeof seen)[number];
        if (method !== "abci_query") seen.push({ method, params });
        const value = { response: { code: 0, value: Buffer.from(latest).toString("base64"), height: "100" } };
        const result =
          method === "abci_query"
            ? value
            : results[method]?.(Array.isArray(params) ? { height: params[0] as unknown } : params);
        const error = { code: -32_603, message: "Internal error" };
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...(result === undefined ? { error } : { result }) }));
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
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, seen, methods: () => seen.map(({ method }) => method) };
  }
  const nodesOf = (...urls: readonly string[]) => urls.map((url) => ({ kind: "abci-query", url }));

  test.each([
    ["block", { height: "98" }],
    ["block", { height: 98 }],
    ["block", ["98"]],
    ["block_results", { height: "5" }],
    ["commit", { height: "5" }],
    ["tx", { hash: "qw==" }],
  ])("%s %j is requested once", async (method, params) => {
    const node = await chainNode();
    const gateway = edge({ chainId: "ixo-5", nodes: nodesOf(node.url) });
    const asked = request(method, params);
    const [first, second] = [await post(gateway, asked), await post(gateway, { ...asked, id: 2 })];
    expect(node.methods()).toEqual([method]);
    expect(first.body.result).toBeDefined();
    expect(second.body).toEqual({ ...first.body, id: 2 });
  });

  test.each([
    ["a height that is not final", "block", { height: "99" }],
    ["the latest", "block", {}],
    ["a state that changes", "status", {}],
    ["a height other than the requested one", "validators", { height: "5" }],
    ["an error", "header", { height: "5" }],
  ])("%s is requested again", async (_, method, params) => {
    const node = await chainNode();
    const gateway = edge({ chainId: "ixo-5", nodes: nodesOf(node.url) });
    for (let time = 0; time < 2; time += 1) await post(gateway, request(method, params));
    expect(node.methods()).toEqual([method, method]);
  });

  test("a commit that is not canonical is requested again", async () => {
    const node = await chainNode(false);
    const gateway = edge({ chainId: "ixo-5", nodes: nodesOf(node.url) });
    for (let time = 0; time < 2; time += 1) await post(gateway, request("commit", { height: "5" }));
    expect(node.methods()).toEqual(["commit", "commit"]);
  });

  test("the latest is cached as long as in the REST service", async () => {
    const node = await chainNode();
    let now = Date.now();
    const deployment = { chainId: "ixo-5", nodes: nodesOf(node.url), cache: { latestSeconds: 3 } };
    const gateway = gatewayEdge({ image, source: entitiesInNode(), deployment, platform: { clock: () => now } });
    await post(gateway, request("status"));
    now += 2_999;
    await post(gateway, request("status"));
    expect(node.methods()).toEqual(["status"]);
    now += 1;
    await post(gateway, request("status"));
    expect(node.methods()).toEqual(["status", "status"]);
  });

  test("equal concurrent requests are one call, but a transaction is not shared", async () => {
    const node = await chainNode();
    const gateway = edge({ chainId: "ixo-5", nodes: nodesOf(node.url), rpc: { broadcast: true } });
    const together = await Promise.all(Array.from({ length: 5 }, () => post(gateway, request("status"))));
    expect(together.map(({ body }) => body)).toEqual(Array.from({ length: 5 }, () => together[0]?.body));
    expect(node.methods()).toEqual(["status"]);
    await Promise.all(Array.from({ length: 3 }, () => post(gateway, request("broadcast_tx_sync", { tx: "AQ==" }))));
    expect(node.methods()).toHaveLength(4);
  });

  test("without chainId it is cached if all nodes report one chain, and for one node it is not [QG-135]", async () => {
    const [one, other] = [await chainNode(), await chainNode()];
    const both = edge({ nodes: nodesOf(one.url, other.url) });
    for (let time = 0; time < 4; time += 1) await post(both, request("block", { height: "5" }));
    expect(one.methods().length + other.methods().length).toBe(1);
    const alone = edge({ nodes: nodesOf(one.url) });
    const before = one.methods().length;
    for (let time = 0; time < 2; time += 1) await post(alone, request("block", { height: "5" }));
    expect(one.methods().length - before).toBe(2);
  });
});
