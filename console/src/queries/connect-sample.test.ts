/** The copied Connect is run: against a node that speaks gRPC-web, with every kind of parameter. */
import * as protobuf from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import * as connect from "@connectrpc/connect";
import * as connectWeb from "@connectrpc/connect-web";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { runInThisContext } from "node:vm";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { startGrpcWebNode } from "../../../test/support/query-gateway/grpc-web-node.ts";
import { connectSample } from "./code-samples.ts";
import type { Parameter, ParameterKind, QueryPath } from "./gateway-catalogue.ts";
import { emptyForm, type QueryForm } from "./query-form.ts";

const image = readFileSync(resolve(import.meta.dirname, "../../../test/support/query-gateway/gwtest.binpb"));
const registry = protobuf.createFileRegistry(protobuf.fromBinary(FileDescriptorSetSchema, image));
const query: QueryPath = {
  path: "/t/{id}",
  method: "GET",
  name: "gwtest.v1.T/Get",
  parameters: [],
  takesBody: false,
  access: "none",
};
const kinds: Readonly<Record<string, ParameterKind>> = {
  id: "text",
  i32: "integer",
  u64: "integer",
  d: "text",
  b: "boolean",
  by: "bytes",
  e: "choice",
  rs: "list",
  ri: "list",
  m: "map",
  "sub.a": "text",
  "sub.sub.a": "text",
  camelCase: "text",
  ts: "text",
  du: "text",
};
const parameters = Object.entries(kinds).map(([name, kind]): Parameter => ({
  name,
  kind,
  place: "query",
  choices: [],
  isMulti: false,
}));

/** Runs the sample where `./gen` has the fixture's service, and the node's address is the one in it. */
async function run(sample: string, url: string): Promise<unknown> {
  const { outputText } = ts.transpileModule(sample.replace("https://node.example:9091", url), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const modules: Readonly<Record<string, unknown>> = {
    "@bufbuild/protobuf": protobuf,
    "@connectrpc/connect": connect,
    "@connectrpc/connect-web": connectWeb,
    "./gen/gwtest/v1/service_pb": { T: registry.getService("gwtest.v1.T") },
  };
  const program = runInThisContext(`(require, exports) => (async () => {${outputText}; return answer; })()`) as (
    require: (name: string) => unknown,
    exports: object,
  ) => Promise<unknown>;
  return program((name) => modules[name], {});
}

async function asked(form: Partial<QueryForm>) {
  const node = await startGrpcWebNode({ registry });
  onTestFinished(() => node.close());
  const answer = await run(
    connectSample({ ...emptyForm, path: query.path, ...form }, parameters, query) ?? "",
    node.url,
  );
  const [call] = node.seen;
  if (call === undefined) throw new Error("the node was not asked");
  const message = registry.getMessage("gwtest.v1.All");
  if (message === undefined) throw new Error("the fixture has no such message");
  return { call, json: protobuf.toJson(message, call.message, { useProtoFieldName: true }), answer };
}

test("the node gets the message, the height and the method of the form [CN-161]", async () => {
  const values = {
    id: [`a "quoted" \\ id`],
    i32: ["-5"],
    u64: ["18446744073709551615"],
    d: ["0.5"],
    b: ["true"],
    by: ["AQI="],
    e: ["BLUE"],
    rs: ["x", "y"],
    ri: ["1", "2"],
    m: ["k=v=w", "l="],
    "sub.a": ["one"],
    "sub.sub.a": ["two"],
    camelCase: ["c"],
    ts: ["2026-01-02T03:04:05Z"],
    du: ["1.5s"],
  };
  const { call, json, answer } = await asked({ values, height: "42" });
  expect([call.method, call.headers.get("x-cosmos-block-height")]).toEqual(["Get", "42"]);
  expect(json).toEqual({
    id: `a "quoted" \\ id`,
    i32: -5,
    u64: "18446744073709551615",
    d: 0.5,
    b: true,
    by: "AQI=",
    e: "BLUE",
    rs: ["x", "y"],
    ri: [1, 2],
    m: { k: "v=w", l: "" },
    sub: { a: "one", sub: { a: "two" } },
    camelCase: "c",
    ts: "2026-01-02T03:04:05Z",
    du: "1.500s",
  });
  expect(answer).toMatchObject({ id: `a "quoted" \\ id`, u64: 18446744073709551615n });
});

test("a body is the message as it was written [CN-161]", async () => {
  const { json } = await asked({ body: '{"u64": 18446744073709551615, "id": "x"}' });
  expect(json).toEqual({ id: "x", u64: "18446744073709551615" });
});
