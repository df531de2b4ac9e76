/** `abci_query` of CometBFT's RPC: a call of the gateway for clients that know no REST. */
import { fromBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { answer, startMisbehavingNode } from "../../../test/support/query-gateway/misbehaving-node.ts";
import {
  closing,
  typeNamed,
  balance,
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

  test("a page has the deployment's limit [QG-29, QG-146]", async () => {
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
    ["data that is no message", asked(BALANCE, { data: "ff" }), 18],
    ["what the embedded node does not know", asked("/ixo.entity.v1beta1.Query/Entity", { data: "0a0178" }), 22],
  ])("%s has the code of the SDK [QG-146]", async (_, body, code) => {
    const { status, body: reply } = await post(edge({}), body);
    expect([status, reply.result.response]).toMatchObject([200, { code, codespace: "sdk", value: null }]);
  });

  test("a node that cannot be reached is an error of JSON-RPC [QG-146]", async () => {
    const { body } = await post(edge({ nodes: [{ kind: "grpc-web", url: "http://127.0.0.1:1" }] }), asked(BALANCE));
    expect(body.error).toMatchObject({ code: -32_603, data: "The node cannot be reached" });
  });

  test.each([
    ["a height that is none", asked(BALANCE, { height: "x" })],
    ["a proof", asked(BALANCE, { prove: true })],
    ["data that is not hexadecimal", asked(BALANCE, { data: "0x" })],
    ["no path", request("abci_query")],
  ])("%s is -32602 [QG-147]", async (_, body) => {
    expect((await post(edge({}), body)).body.error.code).toBe(-32_602);
  });
});
