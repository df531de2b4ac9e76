/** The upstream inside workerd, whose fetch differs from Node's, against real gRPC-web servers on ports outside it. */
import { base64Decode } from "@bufbuild/protobuf/wire";
import { expect, inject, test } from "vitest";
import {
  callOf,
  nodeAt,
  outcomeOf,
  streamOf,
  upstreamOver,
  type CallTerms,
} from "../../support/query-gateway/upstream-calls.ts";
import type { BehaviourName } from "../../support/query-gateway/upstream-nodes.ts";

const nodes = inject("upstreamNodes");
const image = base64Decode(nodes.image);

const outcome = (name: BehaviourName, terms: CallTerms = {}) =>
  outcomeOf(upstreamOver([nodeAt(`${nodes.bad}/${name}`)], { retries: 0 }), callOf(image, "Get", { id: "a" }, terms));

test("a real gRPC-web server answers, unary and streamed", async () => {
  const upstream = upstreamOver([nodeAt(nodes.good)]);
  expect(await outcomeOf(upstream, callOf(image, "Get", { id: "a" }, { height: 42n }))).toEqual({
    answer: { id: "a" },
    height: 7n,
  });
  const opened = await streamOf(upstream, callOf(image, "Watch", { id: "a" }));
  const items: unknown[] = [];
  if ("messages" in opened) for await (const item of opened.messages) items.push(item.ok);
  expect(items).toEqual([true, true, true]);
});

test.each<[BehaviourName, object]>([
  ["fine", { answer: { id: "a" } }],
  ["trailers-only", { status: 404, code: 5, message: "not found", height: 55n }],
  ["empty-trailers", { status: 404, code: 5, message: "not found", height: 55n }],
  ["bad-escape", { status: 404, code: 5, message: "%zz" }],
  ["bad-escape-below", { status: 404, code: 5, message: "%zz" }],
  ["bare-text", { status: 404, code: 5, message: "für" }],
  ["code-99", { status: 500, code: 99, message: "odd" }],
  ["html", { status: 502, code: 14 }],
  ["html-404", { status: 502, code: 14 }],
  ["moved", { status: 502, code: 14 }],
  ["wrong-type", { status: 502, code: 14 }],
  ["cut", { status: 502, code: 14 }],
  ["no-message", { status: 502, code: 14 }],
  ["two-messages", { status: 502, code: 14 }],
  ["too-long", { status: 502, code: 14 }],
  ["too-short", { status: 502, code: 14 }],
  ["503", { status: 503, code: 14 }],
  ["nothing", { status: 503, code: 14 }],
  ["endless", { status: 502, code: 13 }],
])(
  "V80 to V88, V104: %s [QG-38, QG-60, QG-62, QG-63, QG-65, QG-67, QG-71, QG-72, QG-73, QG-79]",
  async (name, expected) => {
    expect(await outcome(name)).toMatchObject(expected);
  },
);

test("V89: an unresponsive node is 504 after the timeout [QG-39]", async () => {
  expect(await outcome("silence", { timeoutMs: 50 })).toMatchObject({ status: 504, code: 4 });
});
