import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import {
  answer,
  endless,
  lieAboutLength,
  nothingAtAll,
  silence,
  startMisbehavingNode,
  type Behaviour,
  type MisbehavingNode,
} from "../../../test/support/query-gateway/misbehaving-node.ts";
import { callOf, nodeAt, outcomeOf, upstreamOver } from "../../../test/support/query-gateway/upstream-calls.ts";

const image = fixtureImage();
const json = { "Content-Type": "application/json" };

let node: MisbehavingNode;
beforeAll(async () => {
  node = await startMisbehavingNode(silence);
});
afterAll(() => node.close());

const asker =
  (kind: "lcd" | "abci-query") =>
  (behaviour: Behaviour, terms: object = {}, settings: object = {}): Promise<unknown> => {
    node.behaviour = behaviour;
    const upstream = upstreamOver([nodeAt(node.url, { kind, headers: { "x-key": "k" } })], { retries: 0, ...settings });
    return outcomeOf(upstream, callOf(image, "Get", { id: "a" }, terms));
  };

/** Invalid responses for both kinds. */
const noAnswers: readonly (readonly [string, Behaviour])[] = [
  ["a web page", answer(200, { "Content-Type": "text/html" }, "<html>")],
  ["a redirect", answer(301, { ...json, Location: "/" }, "{}")],
  ["a balancer's 404", answer(404, { "Content-Type": "text/html" }, "<html>")],
  ["a JSON 404 that is not the node's", answer(404, json, '{"error":1}')],
  ["half a document", answer(200, json, '{"id":')],
  ["an empty body", answer(200, json)],
  ["a status as a success", answer(200, json, '{"code":5,"message":"x","details":[]}')],
  ["a list", answer(200, json, "[1,2]")],
  ["a text", answer(200, json, '"text"')],
  ["null", answer(200, json, "null")],
  ["bytes that are not UTF-8", answer(200, json, Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))],
  ["a document truncated by its connection", lieAboutLength(100, '{"id":"a"}', "application/json")],
];

describe("a node's REST endpoint [QG-74]", () => {
  const ask = asker("lcd");

  test("its document passes unchanged, with the height", async () => {
    const text = '{ "id": "a",\n"unknown": 1 }';
    expect(await ask(answer(200, { ...json, "Grpc-Metadata-X-Cosmos-Block-Height": "9" }, text))).toEqual({
      answer: text,
      height: 9n,
    });
  });

  test("V91, V92: it gets the path, the height and the operator's headers, and nothing of the caller [QG-36, QG-40]", async () => {
    await ask(answer(200, json, "{}"), { height: 42n });
    const { path, method, headers, body } = node.requests.at(-1) ?? {};
    expect([path, method, body]).toEqual(["/t/a", "GET", ""]);
    expect(headers).toMatchObject({ "x-cosmos-block-height": "42", "x-key": "k" });
    for (const name of ["authorization", "cookie", "origin", "x-api-key"]) expect(headers).not.toHaveProperty(name);
  });

  test("statuses pass through, with their details", async () => {
    const body = { code: 5, message: "not found", details: [{ "@type": "/x.Y", a: 1 }] };
    expect(await ask(answer(404, json, JSON.stringify(body)))).toEqual({ status: 404, code: 5, message: "not found" });
    const result = await upstreamOver([nodeAt(node.url, { kind: "lcd" })]).call(callOf(image));
    expect(result).toMatchObject({ value: { details: [{ kind: "json", text: '{"@type":"/x.Y","a":1}' }] } });
    expect(await ask(answer(501, json, '{"code":12,"message":"Not Implemented"}'))).toMatchObject({
      status: 501,
      code: 12,
    });
    expect(await ask(answer(418, json, '{"code":77,"message":"odd"}'))).toMatchObject({ status: 418, code: 77 });
  });

  test.each(noAnswers)("%s is 502 code 14", async (_, behaviour) => {
    expect(await ask(behaviour)).toMatchObject({ status: 502, code: 14 });
  });

  test.each([
    [201, 3],
    [206, 3],
    [400, 0],
    [600, 3],
    [999, 3],
  ])("status %i with code %i is not a valid response", async (status, code) => {
    const body = JSON.stringify({ code, message: "odd" });
    expect(await ask(answer(status, json, body))).toMatchObject({ status: 502, code: 14 });
  });

  test("too much is 502 code 13, no response 503, a timeout 504", async () => {
    expect(await ask(endless(json, new Uint8Array()))).toMatchObject({ status: 502, code: 13 });
    await node.dropped;
    expect(await ask(nothingAtAll)).toMatchObject({ status: 503, code: 14 });
    expect(await ask(answer(503, {}, "no"))).toMatchObject({ status: 503, code: 14 });
    expect(await ask(silence, { timeoutMs: 30 })).toMatchObject({ status: 504, code: 4 });
  });

  test("a value that it does not support goes to another kind of node, or is 501 [QG-75]", async () => {
    const asked = node.asked;
    const lcd = nodeAt(node.url, { kind: "lcd" });
    const call = callOf(image, "Get", { id: "a/b" }, { isRepeatable: false });
    expect(await outcomeOf(upstreamOver([lcd]), call)).toMatchObject({ status: 501, code: 12 });
    node.behaviour = rpc({ code: 0, value: null });
    const both = upstreamOver([lcd, nodeAt(node.url, { kind: "abci-query", tier: 1 })], { retries: 0 });
    expect(await outcomeOf(both, call)).toEqual({ answer: {} });
    expect(node.asked - asked).toBe(1);
    expect(both.nodes()).toMatchObject([{ state: "ok" }, { state: "ok" }]);
  });
});

/** A response of CometBFT's RPC. */
function rpc(response: object, status = 200): Behaviour {
  return answer(status, json, JSON.stringify({ jsonrpc: "2.0", id: 1, result: { response } }));
}

describe("CometBFT's RPC [QG-76]", () => {
  const ask = asker("abci-query");
  const { bound, message } = callOf(image);
  const { input, output } = bound.method;
  const value = base64Encode(toBinary(output, message));

  test("answers with the decoded message and its height", async () => {
    expect(await ask(rpc({ code: 0, value, height: "12" }))).toEqual({ answer: { id: "a" }, height: 12n });
    expect(await ask(rpc({ value: null, height: "0" }))).toEqual({ answer: {} });
  });

  test("V91: is called by JSON-RPC, with the request in hex and the height as text [QG-36]", async () => {
    await ask(rpc({ value }), { height: 42n });
    const { path, method, headers, body } = node.requests.at(-1) ?? { body: "" };
    const { params, ...call } = JSON.parse(body);
    expect([path, method, call]).toEqual(["/", "POST", { jsonrpc: "2.0", id: 1, method: "abci_query" }]);
    expect(headers).toMatchObject({ "x-key": "k", "content-type": "application/json" });
    expect(params).toEqual({ path: "/gwtest.v1.T/Get", data: "0a0161", height: "42", prove: false });
    expect(toJson(input, fromBinary(input, Buffer.from(params.data, "hex")))).toEqual({ id: "a" });
    await ask(rpc({ value }));
    expect(JSON.parse(node.requests.at(-1)?.body ?? "")).toMatchObject({ params: { height: "0" } });
  });

  test.each([
    [{ code: 22, codespace: "sdk", log: "not found" }, 404, 5],
    [{ code: 18, codespace: "sdk", log: "invalid request" }, 400, 3],
    [{ code: 4, codespace: "sdk", log: "unauthorized" }, 401, 16],
    [{ code: 6, codespace: "sdk", log: "unknown query path: unknown request" }, 501, 12],
    [{ code: 6, codespace: "sdk", log: "something else" }, 500, 2],
    [{ code: 38, codespace: "sdk", log: "invalid height" }, 500, 2],
    [{ code: 22, codespace: "wasm", log: "x" }, 500, 2],
    [{ code: 22, log: "x" }, 500, 2],
  ])("V101: %o is %i code %i [QG-76]", async (response, status, code) => {
    expect(await ask(rpc({ ...response, height: "5" }))).toEqual({ status, code, message: response.log, height: 5n });
  });

  test("an error of the RPC itself is 503 code 14", async () => {
    const error = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32_603, message: "Internal", data: "secret" },
    });
    expect(await ask(answer(500, json, error))).toEqual({
      status: 503,
      code: 14,
      message: "The node is unavailable",
    });
    expect(await ask(answer(200, json, error))).toMatchObject({ status: 503, code: 14 });
  });

  test.each<readonly [string, Behaviour]>([
    ...noAnswers,
    ["an answer without a response", answer(200, json, '{"result":{}}')],
    ["a value that is not base64", rpc({ value: "?" })],
    ["a value that is not protobuf", rpc({ value: "////" })],
  ])("%s is 502 code 14", async (_, behaviour) => {
    expect(await ask(behaviour)).toMatchObject({ status: 502, code: 14 });
  });

  test("too much is 502 code 13: in the message, and around it", async () => {
    const size = toBinary(output, message).byteLength;
    expect(await ask(rpc({ value }), {}, { responseBytes: size })).toMatchObject({ answer: { id: "a" } });
    expect(await ask(rpc({ value }), {}, { responseBytes: size - 1 })).toMatchObject({ status: 502, code: 13 });
    expect(await ask(endless(json, new Uint8Array()))).toMatchObject({ status: 502, code: 13 });
    expect(await ask(silence, { timeoutMs: 30 })).toMatchObject({ status: 504, code: 4 });
  });
});
