import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack, StringValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixtureImage } from "../../../../test/support/query-gateway/gateway-fixture.ts";
import {
  echo,
  startGrpcWebNode,
  type GrpcWebNode,
  type NodeHandler,
} from "../../../../test/support/query-gateway/grpc-web-node.ts";
import {
  answer,
  endless,
  frame,
  GRPC_WEB,
  grpcWeb,
  lieAboutLength,
  nothingAtAll,
  silence,
  startMisbehavingNode,
  trailers,
  trailersOnly,
  type Behaviour,
  type MisbehavingNode,
} from "../../../../test/support/query-gateway/misbehaving-node.ts";
import {
  callOf,
  nodeAt,
  schemaOf,
  outcomeOf,
  upstreamOver,
  type CallTerms,
} from "../../../../test/support/query-gateway/upstream-calls.ts";
import { TRAILER_BYTES } from "./frames.ts";

const image = fixtureImage();
const once = { retries: 0 };

let node: GrpcWebNode;
let handle: NodeHandler = echo;
let bad: MisbehavingNode;

beforeAll(async () => {
  node = await startGrpcWebNode(schemaOf(image), (...call) => handle(...call));
  bad = await startMisbehavingNode(silence);
});
afterAll(async () => {
  await node.close();
  await bad.close();
});

const ask = (terms?: CallTerms, settings = {}) =>
  outcomeOf(upstreamOver([nodeAt(node.url)], { ...once, ...settings }), callOf(image, "Get", { id: "a" }, terms));

/** The outcome of a call to a node with this behaviour. */
const outcome = (behaviour: Behaviour, settings = {}, timeoutMs = 5000): Promise<unknown> => {
  bad.behaviour = behaviour;
  const upstream = upstreamOver([nodeAt(bad.url)], { ...once, ...settings });
  return outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { timeoutMs }));
};

const message = (fields: Record<string, unknown> = { id: "a" }): Uint8Array => {
  const { bound } = callOf(image);
  return frame(0, toBinary(bound.method.output, create(bound.method.output, fields)));
};
const ok = trailers({ "grpc-status": "0" });

describe("a real gRPC-web server", () => {
  test("answers by descriptors alone, with its height", async () => {
    handle = echo;
    expect(await ask()).toEqual({ answer: { id: "a" }, height: 7n });
  });

  test("V91, V92: it gets the height, the time and the operator's headers, and nothing of the caller [QG-36, QG-40]", async () => {
    handle = echo;
    const upstream = upstreamOver([nodeAt(node.url, { headers: { "x-node-key": "k" } })]);
    expect(
      await outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { height: 42n, timeoutMs: 4000 })),
    ).toMatchObject({
      answer: { id: "a" },
    });
    const { headers } = node.seen.at(-1) ?? { headers: new Headers() };
    expect(headers.get("x-cosmos-block-height")).toBe("42");
    expect(headers.get("grpc-timeout")).toMatch(/^(?:[1-3]\d{3}|4000)m$/);
    expect(headers.get("x-node-key")).toBe("k");
    for (const name of ["authorization", "cookie", "origin", "grpc-metadata-foo", "x-api-key"])
      expect(headers.has(name)).toBe(false);
  });

  test("its status passes with message and height", async () => {
    handle = (_call, context) => {
      context.responseHeader.set("x-cosmos-block-height", "55");
      throw new ConnectError("of the node: é 100%", Code.NotFound);
    };
    expect(await ask()).toEqual({ code: 5, status: 404, message: "of the node: é 100%", height: 55n });
  });

  test("its details arrive with their type URLs", async () => {
    handle = () => {
      throw new ConnectError("no", Code.NotFound, undefined, [{ desc: StringValueSchema, value: { value: "why" } }]);
    };
    const result = await upstreamOver([nodeAt(node.url)], once).call(callOf(image));
    const { typeUrl, value } = anyPack(StringValueSchema, create(StringValueSchema, { value: "why" }));
    expect(result).toMatchObject({ value: { details: [{ kind: "any", typeUrl, value }] } });
  });

  test("V104: a response at the limit passes, one over it is 502 code 13, and the read stops [QG-65]", async () => {
    handle = echo;
    const call = (length: number) => callOf(image, "Get", { id: "x".repeat(length) });
    // Bytes around the id: frame 5, tag 1, length 3, trailers 5 and "grpc-status: 0\r\n" 16.
    const limit = 50_000;
    const around = 30;
    const fits = (length: number) =>
      outcomeOf(upstreamOver([nodeAt(node.url)], { ...once, responseBytes: limit }), call(length));
    expect(await fits(limit - around)).toMatchObject({ height: 7n });
    expect(await fits(limit - around + 1)).toEqual({
      status: 502,
      code: 13,
      message: "The node's answer is too large",
    });
    bad.behaviour = endless({ "Content-Type": GRPC_WEB }, frame(0, ""));
    expect(await outcomeOf(upstreamOver([nodeAt(bad.url)], once), call(1))).toMatchObject({ status: 502, code: 13 });
    await bad.dropped;
  });
});

describe("a faulty node", () => {
  const notFound = { "grpc-status": "5", "grpc-message": "not%20found", "x-cosmos-block-height": "55" };
  const found = { status: 404, code: 5, message: "not found", height: 55n };

  test("V80, V81: a status in the headers, without a body or with an empty trailer frame [QG-38, QG-60, QG-71]", async () => {
    expect(await outcome(trailersOnly(notFound))).toEqual(found);
    expect(await outcome(trailersOnly(notFound, frame(0x80, "")))).toEqual(found);
  });

  test("V82: an unknown service is 501 [QG-62]", async () => {
    expect(await outcome(trailersOnly({ "grpc-status": "12", "grpc-message": "unknown service x.Y" }))).toEqual({
      status: 501,
      code: 12,
      message: "unknown service x.Y",
    });
  });

  test("the status is in the trailers, or else in the headers [QG-71]", async () => {
    const parts = [message(), ok] as const;
    expect(await outcome(trailersOnly({ "grpc-status": "5" }, ...parts))).toEqual({ answer: { id: "a" } });
    expect(await outcome(trailersOnly({ "grpc-status": "0" }, message(), trailers({})))).toEqual({
      answer: { id: "a" },
    });
    expect(await outcome(grpcWeb(message(), trailers({ ...notFound, "grpc-status": "5, 5" })))).toEqual(found);
    expect(
      await outcome(grpcWeb(message(), trailers({ "Grpc-Status": "0", "x-cosmos-block-height": "7, 7" }))),
    ).toEqual({
      answer: { id: "a" },
      height: 7n,
    });
  });

  test.each([17, 99, 4_000])("V84: a code beyond 16 (%i) is 500 with its number [QG-60]", async (code) => {
    const lines = { "grpc-status": String(code), "grpc-message": "odd" };
    expect(await outcome(trailersOnly(lines))).toEqual({ status: 500, code, message: "odd" });
    expect(await outcome(grpcWeb(trailers(lines)))).toEqual({ status: 500, code, message: "odd" });
  });

  test.each([
    ["%zz", "%zz"],
    ["a%2", "a%2"],
    ["%ff%20b", "%ff%20b"],
    ["%C3%A9 100% sure %41", "é 100% sure A"],
  ])("V88: a bad escape in the message %s is unchanged [QG-72]", async (sent, read) => {
    const lines = { "grpc-status": "5", "grpc-message": sent };
    expect(await outcome(trailersOnly(lines))).toEqual({ status: 404, code: 5, message: read });
    expect(await outcome(grpcWeb(trailers(lines)))).toEqual({ status: 404, code: 5, message: read });
  });

  test("a message in bare UTF-8 is read, unreadable details are omitted, an invalid header line is skipped", async () => {
    const lines = {
      "bad name\u0000": "x",
      "": "y",
      "grpc-status": "5",
      "grpc-message": "für",
      "grpc-status-details-bin": "!",
    };
    expect(await outcome(grpcWeb(trailers(lines)))).toEqual({ status: 404, code: 5, message: "für" });
  });

  const type = { "Content-Type": GRPC_WEB };
  const whole = Uint8Array.from([...message(), ...ok]);
  test.each<[string, Behaviour]>([
    ["a web page", answer(200, { "Content-Type": "text/html" }, "<html>")],
    ["a gRPC answer under another type", answer(200, { "Content-Type": "application/grpc" }, whole)],
    ["base64", answer(200, { "Content-Type": "application/grpc-web-text" }, whole)],
    ["JSON", answer(200, { "Content-Type": "application/grpc-web+json" }, whole)],
    ["no type", answer(200, {}, whole)],
    ["a balancer's 404", answer(404, { "Content-Type": "text/html" }, "<html>")],
    ["a 404 that looks like gRPC-web", answer(404, type, whole)],
    ["a 500", answer(500, {}, "oops")],
    ["a 401 of a proxy in front of it", answer(401, { "WWW-Authenticate": "Basic" })],
    ["204", answer(204, type)],
    ["a redirect", answer(301, { Location: "/elsewhere" })],
    ["a redirect to itself", answer(307, { Location: "/gwtest.v1.T/Get" })],
    ["a cut frame", grpcWeb(message().subarray(0, 6))],
    ["a cut head", grpcWeb(message(), Uint8Array.of(0x80, 0, 0))],
    ["no trailers", grpcWeb(message())],
    ["trailers without a status", grpcWeb(message(), trailers({ a: "b" }))],
    ["a status that is not a number", grpcWeb(message(), trailers({ "grpc-status": "fine" }))],
    ["status 0 without a message", grpcWeb(ok)],
    ["status 0 in the headers alone", trailersOnly({ "grpc-status": "0" })],
    ["status 0 in the headers, empty trailers", trailersOnly({ "grpc-status": "0" }, frame(0x80, ""))],
    ["two messages", grpcWeb(message(), message(), ok)],
    ["very many frames", grpcWeb(...Array.from({ length: 1000 }, () => frame(0, "")), ok)],
    ["a message after the trailers", grpcWeb(ok, message())],
    ["two trailers", grpcWeb(message(), ok, ok)],
    ["a packed message", grpcWeb(frame(1, "xx"), ok)],
    ["unknown flags", grpcWeb(frame(2, "xx"), ok)],
    ["endless trailers", grpcWeb(message(), frame(0x80, "a".repeat(TRAILER_BYTES + 1)))],
    ["a message that is not protobuf", grpcWeb(frame(0, Uint8Array.of(0xff, 0xff)), ok)],
    ["an empty body", grpcWeb()],
    ["a frame that claims 4 GiB", grpcWeb(Uint8Array.of(0, 255, 255, 255, 255, 1))],
    ["more claimed than sent", lieAboutLength(whole.byteLength + 100, whole)],
    ["less claimed than sent", lieAboutLength(whole.byteLength - 4, whole)],
  ])("V85: %s is 502 code 14 [QG-63, QG-73]", async (_, behaviour) => {
    const asked = bad.asked;
    expect(await outcome(behaviour)).toMatchObject({ status: 502, code: 14 });
    expect(bad.asked - asked).toBe(1);
  });

  test("the type may have parameters; compression is undone", async () => {
    expect(await outcome(answer(200, { "Content-Type": "application/grpc-web; charset=utf-8" }, whole))).toEqual({
      answer: { id: "a" },
    });
    const packed = new Response(new Blob([whole]).stream().pipeThrough(new CompressionStream("gzip")));
    const bytes = new Uint8Array(await packed.arrayBuffer());
    expect(await outcome(answer(200, { ...type, "Content-Encoding": "gzip" }, bytes))).toEqual({ answer: { id: "a" } });
  });

  test("V104: a small compressed response that grows is stopped [QG-65]", async () => {
    const zeros = new Blob([new Uint8Array(2_000_000)]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(zeros).arrayBuffer());
    expect(bytes.byteLength).toBeLessThan(10_000);
    expect(await outcome(answer(200, { ...type, "Content-Encoding": "gzip" }, bytes))).toMatchObject({
      status: 502,
      code: 13,
    });
  });

  test.each([
    [429, 429, 8],
    [502, 503, 14],
    [503, 503, 14],
    [504, 503, 14],
  ])("HTTP %i of a balancer is %i code %i [QG-73]", async (sent, status, code) => {
    expect(await outcome(answer(sent, { "Content-Type": "text/html" }, "<html>"))).toMatchObject({ status, code });
  });

  test("no response, and no server, is 503 [QG-64]", async () => {
    expect(await outcome(nothingAtAll)).toMatchObject({ status: 503, code: 14 });
    const gone = await startMisbehavingNode(silence);
    await gone.close();
    const result = await upstreamOver([nodeAt(gone.url)], once).call(callOf(image));
    expect(result).toMatchObject({ ok: false, error: { code: "unavailable", retryAfter: 1 } });
  });

  test.concurrent.each<[string, Behaviour]>([
    ["silence", silence],
    ["no data after the head", (response) => response.writeHead(200, type).flushHeaders()],
    ["no data after the middle", (response) => response.writeHead(200, type).write(message())],
  ])("V89: %s is 504 after the timeout, and the connection is closed [QG-39]", async (_, behaviour) => {
    const node = await startMisbehavingNode(behaviour);
    const upstream = upstreamOver([nodeAt(node.url)]);
    // Time enough for the slowest machine to send the request.
    expect(await outcomeOf(upstream, callOf(image, "Get", {}, { timeoutMs: 1000 }))).toMatchObject({
      status: 504,
      code: 4,
    });
    expect(node.asked).toBe(1);
    await node.dropped;
    await node.close();
  });

  test("a caller who disconnects ends the call", async () => {
    const node = await startMisbehavingNode(silence);
    const caller = new AbortController();
    const asking = outcomeOf(upstreamOver([nodeAt(node.url)]), callOf(image, "Get", {}, { signal: caller.signal }));
    node.behaviour = () => caller.abort();
    expect(await asking).toMatchObject({ code: 1 });
    await node.dropped;
    await node.close();
  });
});
