/** Streamed gRPC-web responses, of a real server and of a faulty node. */
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixtureImage } from "../../../../test/support/query-gateway/gateway-fixture.ts";
import { startGrpcWebNode, type GrpcWebNode } from "../../../../test/support/query-gateway/grpc-web-node.ts";
import {
  answer,
  frame,
  GRPC_WEB,
  grpcWeb,
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
  errorOf,
  nodeAt,
  schemaOf,
  streamOf,
  upstreamOver,
  type CallTerms,
} from "../../../../test/support/query-gateway/upstream-calls.ts";

const image = fixtureImage();

let node: GrpcWebNode;
let bad: MisbehavingNode;

beforeAll(async () => {
  node = await startGrpcWebNode(schemaOf(image));
  bad = await startMisbehavingNode(silence);
});
afterAll(async () => {
  await node.close();
  await bad.close();
});

const message = (fields: Record<string, unknown> = { id: "a" }): Uint8Array => {
  const { bound } = callOf(image);
  return frame(0, toBinary(bound.method.output, create(bound.method.output, fields)));
};
const ok = trailers({ "grpc-status": "0" });

const stream = async (url: string, settings = {}, terms: CallTerms = {}) => {
  const opened = await streamOf(upstreamOver([nodeAt(url)], settings), callOf(image, "Watch", { id: "a" }, terms));
  if ("code" in opened) return opened;
  const items: unknown[] = [];
  for await (const item of opened.messages)
    items.push(item.ok ? (item.value as unknown as { id: string }).id : errorOf(item.error));
  return { items, height: opened.height };
};
const behaving = (behaviour: Behaviour, settings = {}, terms: CallTerms = {}) => {
  bad.behaviour = behaviour;
  return stream(bad.url, settings, terms);
};

test("arrives message by message from a real server", async () => {
  expect(await stream(node.url)).toEqual({ items: ["a", "a", "a"], height: 7n });
});

test("a failure before the first message is the call's, one after it ends the messages [QG-69]", async () => {
  const failed = { "grpc-status": "5", "grpc-message": "gone" };
  expect(await behaving(trailersOnly(failed))).toMatchObject({ code: 5 });
  expect(await behaving(grpcWeb(trailers(failed)))).toMatchObject({ code: 5, message: "gone" });
  expect(await behaving(grpcWeb(message(), trailers(failed)))).toEqual({
    items: ["a", { status: 404, code: 5, message: "gone" }],
  });
  expect(await behaving(grpcWeb(ok))).toEqual({ items: [] });
  expect(await behaving(grpcWeb(message(), frame(0x80, "")))).toMatchObject({
    items: ["a", { code: 14, status: 502 }],
  });
  expect(await behaving(grpcWeb(message()))).toMatchObject({ items: ["a", { code: 14, status: 502 }] });
  expect(await behaving(grpcWeb(message(), message().subarray(0, 6)))).toMatchObject({ items: ["a", { code: 14 }] });
  expect(await behaving(answer(200, { "Content-Type": "text/html" }, "x"))).toMatchObject({ status: 502, code: 14 });
  expect(await behaving(nothingAtAll)).toMatchObject({ status: 503, code: 14 });
});

test("a message after the trailers, and two statuses, are not a success [QG-73]", async () => {
  expect(await behaving(grpcWeb(message(), ok, message()))).toMatchObject({ items: ["a", { code: 14, status: 502 }] });
  const twice = frame(0x80, "grpc-status: 0\r\ngrpc-status: 5\r\n");
  expect(await behaving(grpcWeb(message(), twice))).toMatchObject({ items: ["a", { code: 14, status: 502 }] });
  expect(await behaving(grpcWeb(message(), frame(0x80, "grpc-status: 0\r\ngrpc-status: 0\r\n")))).toEqual({
    items: ["a"],
  });
});

test("is limited by message and in time, and ends when its reader disconnects [QG-69]", async () => {
  const id = "x".repeat(100);
  const responseBytes = message({ id }).byteLength - 5;
  const two = grpcWeb(message({ id }), message({ id }), ok);
  expect(await behaving(two, { responseBytes })).toEqual({ items: [id, id] });
  expect(await behaving(two, { responseBytes: responseBytes - 1 })).toMatchObject({ status: 502, code: 13 });
  const started: Behaviour = (response) => response.writeHead(200, { "Content-Type": GRPC_WEB }).write(message());
  expect(await behaving(started, {}, { timeoutMs: 1000 })).toMatchObject({ items: ["a", { status: 504, code: 4 }] });

  const own = await startMisbehavingNode(started);
  const opened = await streamOf(upstreamOver([nodeAt(own.url)]), callOf(image, "Watch"));
  if ("messages" in opened) for await (const _ of opened.messages) break;
  await own.dropped;
  await own.close();
});
