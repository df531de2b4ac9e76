/** The gateway's own document compared with its routes. */
import { create, fromBinary, setExtension, toBinary } from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FileDescriptorSetSchema,
  MethodOptionsSchema,
  SourceCodeInfoSchema,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema } from "../descriptors/schema.ts";

const image = ixoImage();
const source = entitiesInNode();

async function documentOf(deployment: object = {}, using = image, env: object = {}) {
  const { surface, env: complete } = gatewayEdge({ image: using, source, deployment, env });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what came
  return (await surface.openapi?.(complete)) as any;
}

const document = await documentOf();
/** Without CometBFT's RPC, which is not a method of a service. */
const queries = Object.entries<Record<string, { summary: string }>>(document.paths).filter(
  ([path]) => !path.startsWith("/ixo/rpc"),
);

describe("the built-in set [QG-125]", () => {
  test("has every reachable binding that is not disabled", () => {
    const operations = queries.flatMap(([, item]) => Object.keys(item));
    // 271 routes, minus one that another shadows and seven that are disabled by default.
    expect(operations).toHaveLength(263);
    expect(document.paths["/cosmos/tx/v1beta1/txs"].post).toBeUndefined();
    expect(document.paths["/ixo/entity/{id}"].get).toMatchObject({
      operationId: "IxoEntityV1beta1QueryEntity",
      tags: ["ixo.entity"],
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "string" } },
        { $ref: expect.any(String) },
      ],
    });
    expect(document["x-legacy-aliases"]["/ixo/claim/{id}"]).toBe("/ixo/claims/claim/{id}");
    expect(document.paths["/ixo/claim/{id}"]).toBeUndefined();
  });

  test("each of its paths routes to its own method [QG-125]", async () => {
    const { ask } = gatewayEdge({ image, source });
    for (const [path, item] of queries) {
      for (const [method, { summary }] of Object.entries(item)) {
        const concrete = path.replaceAll(/\{([\w.]+)\}/g, (_, name) => (name === "targetRole" ? "1" : "1111"));
        const { status, body } = await ask(`${method.toUpperCase()} ${concrete}`);
        const name = summary.slice(summary.indexOf("/") + 1);
        const isServed =
          /^(ixo\.entity|ixo\.iid|ixo\.claims|ixo\.token|cosmos\.base\.tendermint)\./.test(summary) && body.code !== 12;
        expect([path, isServed || (status === 501 && body.message === `${name} is not served here`)]).toEqual([
          path,
          true,
        ]);
      }
    }
  });

  test("operation ids are unique, and references resolve", () => {
    const text = JSON.stringify(document);
    const ids = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(1000);
    for (const [, kind = "", name = ""] of references) expect(document.components).toHaveProperty([kind, name]);
  });

  test("schemas have the writer's names, and null where it prints null [QG-126]", () => {
    const { schemas } = document.components;
    expect(schemas["ixo.entity.v1beta1.QueryEntityResponse"]).toEqual({
      type: "object",
      properties: {
        entity: { $ref: "#/components/schemas/ixo.entity.v1beta1.Entity" },
        iidDocument: { $ref: "#/components/schemas/ixo.iid.v1beta1.IidDocument" },
      },
      required: ["entity", "iidDocument"],
    });
    expect(schemas["ixo.entity.v1beta1.Entity"].properties).toMatchObject({
      start_date: { type: ["string", "null"], format: "date-time" },
      metadata: { anyOf: [{ $ref: expect.any(String) }, { type: "null" }] },
      credentials: { type: "array", items: { type: "string" } },
      status: { type: "integer", format: "int32" },
    });
    expect(schemas["ixo.claims.v1beta1.Params"].properties).toMatchObject({
      collection_sequence: { type: "string", format: "uint64" },
      network_fee_percentage: { type: "string", format: "decimal18" },
    });
    expect(schemas["cosmos.base.query.v1beta1.PageResponse"].properties.next_key.type).toEqual(["string", "null"]);
    // Members of a oneof are present or absent, never null.
    expect(schemas["ixo.iid.v1beta1.VerificationMethod"].required).toEqual(["id", "type", "controller"]);
  });

  test("the query is flattened, enums in a path are names [QG-127]", () => {
    const { parameters } = document.paths["/ixo/claims/claims"].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      "pagination.key",
      "pagination.offset",
      "pagination.limit",
      "pagination.count_total",
      "pagination.reverse",
      undefined,
    ]);
    expect(parameters[2].schema).toEqual({ type: "string", format: "uint64" });
    const [, role] = document.paths["/ixo/claims/dispute-by-subject/{subjectId}/{targetRole}"].get.parameters;
    expect(role.schema.enum).toContain("DISPUTE_TARGET_ROLE_EVALUATOR");
  });
});

test("CometBFT's RPC is described if it is served, with the methods of the profile [QG-152]", async () => {
  const methodsIn = (paths: typeof document.paths, path: string) =>
    paths[`${path}/{method}`]?.get.parameters[0].schema.enum;
  expect(methodsIn(document.paths, "/ixo/rpc")).toEqual(["abci_query", "status", "abci_info", "health"]);
  const { get, post } = document.paths["/ixo/rpc"];
  expect(Object.keys(get.responses[200].content)).toEqual(["text/html"]);
  const [single, batch] = post.requestBody.content["application/json"].schema.oneOf;
  expect([single, batch]).toEqual([
    { $ref: "#/components/schemas/RpcRequest" },
    { type: "array", items: single, minItems: 1, maxItems: 20 },
  ]);
  expect(post.security).toEqual([]);
  const { ask } = gatewayEdge({ image, source });
  const { body } = await ask("POST /ixo/rpc", {
    body: JSON.stringify(post.requestBody.content["application/json"].example),
  });
  const { required, properties } = document.components.schemas.RpcReply;
  expect(Object.keys(body)).toEqual(expect.arrayContaining(required));
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(body)));
  const nodes = [{ kind: "abci-query", url: "https://rpc.test" }];
  const acme = await documentOf({
    protocolPrefix: "acme/net",
    match: { mount: "/m" },
    nodes,
    rpc: { broadcast: true },
  });
  expect(methodsIn(acme.paths, "/m/acme/net/rpc")).toEqual(expect.arrayContaining(["block", "broadcast_tx_sync"]));
  expect(methodsIn((await documentOf({ nodes })).paths, "/ixo/rpc")).not.toContain("broadcast_tx_sync");
  const off = await documentOf({ rpc: { enabled: false } });
  expect(Object.keys(off.paths).filter((path) => path.includes("/rpc"))).toEqual([]);
});

test("the fixture: verbs, several segments, bodies, streams, raw data, recursive types", async () => {
  const { paths } = await documentOf({ protocolPrefix: "ixo" }, fixtureImage());
  expect(paths["/t/{id}:do"].get.operationId).toBe("GwtestV1TDo");
  expect(paths["/deep/{id}/tail"].get.parameters[0]).toMatchObject({ name: "id", "x-multi-segment": true });
  expect(paths["/alt/{id}"].get.operationId).toMatch(/^GwtestV1TGet2?$/);
  expect(paths["/post"].post.requestBody.content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/gwtest.v1.All-request",
  });
  expect(paths["/more/raw"].post.requestBody.content).toEqual({ "*/*": { schema: {} } });
  const names = paths["/t/{id}"].get.parameters.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["sub.a", "m", "rs", "ts", "bv"]));
  expect(names.filter((name: string) => name?.startsWith("sub."))).toEqual(["sub.a"]);
});

test("a request requires no member, accepts null, and long integers in both forms [QG-126]", async () => {
  const { components } = await documentOf({}, fixtureImage());
  const request = components.schemas["gwtest.v1.All-request"];
  expect(request.required).toBeUndefined();
  expect(request.properties).toMatchObject({
    id: { type: ["string", "null"] },
    i64: { type: ["string", "integer", "null"], format: "int64" },
    rs: { type: ["array", "null"], items: { type: "string" } },
    sub: { anyOf: [{ $ref: "#/components/schemas/gwtest.v1.Sub-request" }, { type: "null" }] },
  });
  // A response has every member outside a oneof.
  expect(components.schemas["gwtest.v1.All"].required).toContain("i64");
  expect(components.schemas["gwtest.v1.All"].properties.i64).toEqual({ type: "string", format: "int64" });
});

test("an enum is one of its names, or the number of a value that the descriptor set does not know [QG-126]", async () => {
  const { components, paths } = await documentOf({}, fixtureImage());
  const names = { type: "string", enum: ["RED", "BLUE"] };
  expect(components.schemas["gwtest.v1.All"].properties.e).toEqual({
    anyOf: [names, { type: "integer", format: "int32" }],
  });
  const parameter = paths["/t/{id}"].get.parameters.find(({ name }: { name?: string }) => name === "e");
  expect(parameter.schema).toEqual(names);
});

describe("definitions in an operator's own set", () => {
  /** The fixture's set with other templates for `T/Get`, and with `change` applied to its file. */
  function changed(templates: readonly string[], change: (file: FileDescriptorProto) => void = () => undefined) {
    const set = fromBinary(FileDescriptorSetSchema, fixtureImage());
    const file = set.file.find(({ name }) => name.endsWith("gwtest.proto"));
    const [service] = file?.service ?? [];
    if (file === undefined || service === undefined) throw new Error("the fixture has lost its service");
    const [get] = service.method;
    if (get === undefined) throw new Error("the fixture has lost its method");
    const http = loadSchema(fixtureImage()).registry.getExtension("google.api.http");
    if (http?.message === undefined) throw new Error("the fixture has lost its option");
    const [first = "", ...more] = templates;
    const rule = (template: string) => ({ pattern: { case: "get", value: template } });
    get.options = create(MethodOptionsSchema);
    const value = create(http.message, { ...rule(first), additionalBindings: more.map(rule) });
    setExtension(get.options, http, value as never);
    service.method = [get];
    change(file);
    return toBinary(FileDescriptorSetSchema, set);
  }

  test("a variable with a pattern shows it, so that templates that differ only there stay separate [QG-127]", async () => {
    const image = changed(["/lib/{id=shelves/*/books/*}", "/lib/{id=shops/*}", "/lib/{id=trees/**}", "/lib/{id=all}"]);
    const { paths } = await documentOf({}, image);
    expect(Object.keys(paths).filter((path) => path.startsWith("/lib/"))).toEqual([
      "/lib/shelves/{id-1}/books/{id-2}",
      "/lib/shops/{id-1}",
      "/lib/trees/{id-1}",
      "/lib/all",
    ]);
    const [part] = paths["/lib/shops/{id-1}"].get.parameters;
    expect(part).toMatchObject({ name: "id-1", in: "path", required: true, schema: { type: "string" } });
    expect(paths["/lib/trees/{id-1}"].get.parameters[0]["x-multi-segment"]).toBe(true);
    const { ask } = gatewayEdge({ image, source, deployment: { sets: ["ixo"] } });
    for (const path of ["/lib/shelves/a/books/b", "/lib/shops/a", "/lib/trees/a/b", "/lib/all"])
      expect([path, (await ask(path)).body.message]).toEqual([path, "Get is not served here"]);
  });

  test("literals are written as in requests", async () => {
    const image = changed(["/lib/a%25ab/%7Bid%7D/b%20c/~x;y=1@z/{id}"]);
    const { paths } = await documentOf({}, image);
    const [path = ""] = Object.keys(paths).filter((each) => each.startsWith("/lib/"));
    expect(path).toBe("/lib/a%25ab/%7Bid%7D/b%20c/~x;y=1@z/{id}");
    const { ask } = gatewayEdge({ image, source });
    expect((await ask(path.replace("{id}", "q"))).body.message).toBe("Get is not served here");
    expect(() => decodeURIComponent(path)).not.toThrow();
  });

  test("paths that differ only in the names of parameters are one", async () => {
    const image = changed(["/lib/{id}", "/lib/{oa}/x", "/lib/{ob}/x", "/lib/{sub.a}"]);
    const { paths } = await documentOf({}, image);
    expect(Object.keys(paths).filter((path) => path.startsWith("/lib/"))).toEqual(["/lib/{id}", "/lib/{oa}/x"]);
  });

  test("deprecated items are marked, and comments are descriptions", async () => {
    const image = changed(["/lib/{id}"], (file) => {
      const [service] = file.service;
      const [get] = service?.method ?? [];
      if (get?.options === undefined) throw new Error("the fixture has lost its method");
      get.options.deprecated = true;
      const all = file.messageType.findIndex(({ name }) => name === "All");
      const [id, i32] = file.messageType[all]?.field ?? [];
      if (id === undefined || i32 === undefined) throw new Error("the fixture has lost its fields");
      i32.options = create(FieldOptionsSchema, { deprecated: true });
      const above = (path: number[], leadingComments: string) => ({ path, leadingComments });
      file.sourceCodeInfo = create(SourceCodeInfoSchema, {
        location: [
          above([6, 0, 2, 0], " Gets one.\n Or none.\n"),
          above([4, all], " All kinds.\n"),
          above([4, all, 2, 0], " Its name.\n"),
        ],
      });
    });
    const { paths, components } = await documentOf({}, image);
    const { get } = paths["/lib/{id}"];
    expect(get).toMatchObject({ deprecated: true, description: "Gets one.\nOr none." });
    expect(get.parameters.slice(0, 2)).toMatchObject([
      { name: "id", description: "Its name." },
      { name: "i32", deprecated: true },
    ]);
    const { description, properties } = components.schemas["gwtest.v1.All"];
    expect([description, properties.id.description, properties.i32.deprecated]).toEqual([
      "All kinds.",
      "Its name.",
      true,
    ]);
  });
});

test("the built-in set describes its messages and marks what the chain has deprecated", () => {
  expect(document.components.schemas["ixo.claims.v1beta1.Params"].description).toBe("Parameters of the module.");
  expect(document.components.schemas["cosmos.tx.v1beta1.GetTxsEventRequest-request"]).toBeUndefined();
  const events = document.paths["/cosmos/tx/v1beta1/txs"].get.parameters.find(
    ({ name }: { name?: string }) => name === "events",
  );
  expect(events.deprecated).toBe(true);
});

test("prefix, mount and chain are described; a profile with access control only if its document is open [QG-128]", async () => {
  const mounted = await documentOf({ protocolPrefix: "acme", chainId: "acme-1", match: { mount: "/chain" } });
  expect(mounted.paths["/chain/acme/token/params"].get["x-chain-id"]).toBe("acme-1");
  const gate = { mode: "apiKey", keys: [{ secret: "secret:KEY", label: "k" }] };
  const env = { KEY: "k" };
  expect(await documentOf({ gate }, image, env)).toBeUndefined();
  const open = await documentOf({ gate: { ...gate, open: ["/openapi.json"] } }, image, env);
  expect(open.paths["/ixo/token/params"].get.security).toEqual([{ gatewayApiKey: [] }]);
  expect(open.components.securitySchemes).toHaveProperty("gatewayApiKey");
});

test("the document is built once, however often it is requested [QG-129]", async () => {
  const { surface, env } = gatewayEdge({ image: ixoImage(), source: entitiesInNode() });
  const first = await surface.openapi?.(env);
  expect(first).toHaveProperty("paths");
  expect(await surface.openapi?.(env)).toBe(first);
});
