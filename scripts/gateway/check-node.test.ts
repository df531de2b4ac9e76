/** The check of a node: one that speaks gRPC-web on a port, and other servers. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ixoImage } from "../../test/support/query-gateway/gateway-fixture.ts";
import { startGrpcWebNode } from "../../test/support/query-gateway/grpc-web-node.ts";
import { answer, startMisbehavingNode } from "../../test/support/query-gateway/misbehaving-node.ts";
import { loadSchema } from "../../workers/query-gateway/descriptors/schema.ts";
import { checkNode } from "./check-node.ts";

const image = ixoImage();

async function check(url: string, fetchThrough: typeof fetch = fetch) {
  const lines: string[] = [];
  const failed = await checkNode(url, {
    image,
    timeoutMs: 2000,
    fetch: fetchThrough,
    print: (line) => void lines.push(line),
  });
  return { failed, text: lines.join("\n") };
}

test("reports that a node is reachable, its height, and its services [QG-122]", async () => {
  const node = await startGrpcWebNode(loadSchema(image), (_, context, output) => {
    if (output.typeName.startsWith("cosmos.group.")) throw new ConnectError("unknown service", Code.Unimplemented);
    context.responseHeader.set("x-cosmos-block-height", "42");
    return create(output);
  });
  const { failed, text } = await check(node.url);
  await node.close();
  expect(failed).toBeUndefined();
  expect(text).toMatch(/^gRPC-web {3}on$/m);
  expect(text).toMatch(/^height {5}42$/m);
  expect(text).toMatch(/^served {5}ixo\.entity\.v1beta1\.Query$/m);
  expect(text).toMatch(/^absent {5}cosmos\.group\.v1\.Query$/m);
});

test("refuses a node behind a redirect, since the gateway follows none", async () => {
  const good = await startGrpcWebNode(loadSchema(image));
  const moved = await startMisbehavingNode((response, request) =>
    answer(308, { Location: good.url + (request.url ?? "") })(response, request),
  );
  const { failed } = await check(moved.url);
  await Promise.all([good.close(), moved.close()]);
  expect([failed, good.seen.length]).toEqual([expect.stringContaining("HTTP 308"), 0]);
});

test.each<[string, () => Promise<Response>]>([
  ["gRPC-web is off", async () => Response.json({ code: 12 }, { status: 501 })],
  ["gRPC-web is off", async () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
  ["without a status", async () => new Response("", { headers: { "Content-Type": "application/grpc-web+proto" } })],
  ["cannot be reached", async () => Promise.reject(new TypeError("refused"))],
  ["within 2000 ms", async () => Promise.reject(new DOMException("late", "TimeoutError"))],
])("%s", async (words, answer) => {
  expect((await check("http://node.invalid", answer)).failed).toContain(words);
});
