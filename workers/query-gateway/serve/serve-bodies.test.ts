/** Streams and raw bodies of a deployment. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { gatewayNode } from "../../../test/support/query-gateway/gateway-node.ts";
import { echo } from "../../../test/support/query-gateway/grpc-web-node.ts";

const gateway = gatewayNode(fixtureImage());
const { edge } = gateway;

describe("streams and raw data", () => {
  test("a streaming method answers lines of JSON [QG-68]", async () => {
    const { status, headers, text } = await edge().ask("/more/watch/x");
    expect([status, headers.get("Content-Type"), headers.get("X-Cosmos-Block-Height")]).toEqual([
      200,
      "application/x-ndjson",
      "7",
    ]);
    const lines = text.split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(["x", "x", "x"]);
  });

  test("HEAD has no body, even for a stream and for an error [QG-13]", async () => {
    const { ask } = edge();
    const stream = await ask("HEAD /more/watch/x");
    expect([stream.status, stream.text, stream.headers.get("Content-Type")]).toEqual([200, "", "application/x-ndjson"]);
    const missing = await ask("HEAD /nope");
    expect([missing.status, missing.text]).toEqual([404, ""]);
  });

  test("a failure before the first message is the status, one in the middle the last line [QG-69]", async () => {
    gateway.handler = () => {
      throw new ConnectError("no", Code.NotFound);
    };
    expect((await edge().ask("/more/watch/x")).status).toBe(404);
    let count = 0;
    gateway.handler = (call, context, output) => {
      count += 1;
      if (count === 2) throw new ConnectError("<lost>", Code.DataLoss);
      return echo(call, context, output);
    };
    const { status, text } = await edge().ask("/more/watch/x");
    const lines = text.trimEnd().split("\n");
    expect([status, lines.length, JSON.parse(lines[0] ?? "").id]).toEqual([200, 2, "x"]);
    expect(lines[1]).toBe(String.raw`{"error":{"code":15,"message":"\u003clost\u003e","details":[]}}`);
  });
});

describe("google.api.HttpBody [QG-58]", () => {
  const bytes = Uint8Array.of(0, 1, 0xff);

  test("an answer is its bytes, under its own type", async () => {
    gateway.handler = (_, __, output) => create(output, { contentType: "image/png", data: bytes });
    const { call } = edge();
    const response = await call("/more/raw/x");
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    const head = await call("HEAD /more/raw/x");
    expect([head.headers.get("Content-Length"), head.headers.get("ETag")]).toEqual(["3", response.headers.get("ETag")]);
  });

  test("a node's page is not served as a page of ours", async () => {
    gateway.handler = (_, __, output) => create(output, { contentType: "text/html", data: bytes });
    const { headers } = await edge().call("/more/raw/x");
    expect([headers.get("Content-Type"), headers.get("Content-Security-Policy")]).toEqual(["text/html", "sandbox"]);
    expect((await edge().call("/t/x")).headers.has("Content-Security-Policy")).toBe(false);
  });

  test("a content type that cannot be a header value is ignored", async () => {
    gateway.handler = (_, __, output) => create(output, { contentType: "a\r\nX-Evil: 1", data: bytes });
    expect((await edge().call("/more/raw/x")).headers.get("Content-Type")).toBe("application/octet-stream");
  });

  test("a body is passed as it is, and so is a field of the answer", async () => {
    const { call } = edge();
    const headers = { "Content-Type": "text/csv" };
    const response = await call("PUT /more/raw/x", { body: bytes, headers });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/csv"]);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });
});
