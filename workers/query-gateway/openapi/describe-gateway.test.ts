/** The gateway's own document against what it serves (contract D, section 11). */
import { describe, expect, test } from "vitest";
import { gatewayEdge } from "../../../test/support/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/gateway-fixture.ts";
import { standInEntities } from "../../../test/support/stand-in-entities.ts";

const image = ixoImage();
const source = standInEntities();

async function documentOf(deployment: object = {}, using = image, env: object = {}) {
  const { surface, env: complete } = gatewayEdge({ image: using, source, deployment, env });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what came
  return (await surface.openapi?.(complete)) as any;
}

const document = await documentOf();

describe("the built-in set", () => {
  test("has every reachable binding that is not disabled", () => {
    const operations = Object.values<Record<string, unknown>>(document.paths).flatMap((item) => Object.keys(item));
    // 260 routes, without one that another shadows and seven that are disabled by default.
    expect(operations).toHaveLength(252);
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

  test("every path of it routes to its own method", async () => {
    const { ask } = gatewayEdge({ image, source });
    for (const [path, item] of Object.entries<Record<string, { summary: string }>>(document.paths)) {
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

  test("operation ids are unique, references lead somewhere", () => {
    const text = JSON.stringify(document);
    const ids = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(1000);
    for (const [, kind = "", name = ""] of references) expect(document.components).toHaveProperty([kind, name]);
  });

  test("schemas have the writer's names, and null where it prints null", () => {
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
    // Members of a oneof are there or not, never null.
    expect(schemas["ixo.iid.v1beta1.VerificationMethod"].required).toEqual(["id", "type", "controller"]);
  });

  test("the query is flattened, enums in a path are names", () => {
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

test("the fixture: verbs, several segments, bodies, streams, raw data, types that hold themselves", async () => {
  const { paths } = await documentOf({ protocolPrefix: "ixo" }, fixtureImage());
  expect(paths["/t/{id}:do"].get.operationId).toBe("GwtestV1TDo");
  expect(paths["/deep/{id}/tail"].get.parameters[0]).toMatchObject({ name: "id", "x-multi-segment": true });
  expect(paths["/alt/{id}"].get.operationId).toMatch(/^GwtestV1TGet2?$/);
  expect(paths["/post"].post.requestBody.content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/gwtest.v1.All",
  });
  const names = paths["/t/{id}"].get.parameters.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["sub.a", "m", "rs", "ts", "bv"]));
  expect(names.filter((name: string) => name?.startsWith("sub."))).toEqual(["sub.a"]);
});

test("prefix, mount and chain are told; a gated deployment only when its document is open", async () => {
  const mounted = await documentOf({ protocolPrefix: "acme", chainId: "acme-1", match: { mount: "/chain" } });
  expect(mounted.paths["/chain/acme/token/params"].get["x-chain-id"]).toBe("acme-1");
  const gate = { mode: "apiKey", keys: [{ secret: "secret:KEY", label: "k" }] };
  const env = { KEY: "k" };
  expect(await documentOf({ gate }, image, env)).toBeUndefined();
  const open = await documentOf({ gate: { ...gate, open: ["/openapi.json"] } }, image, env);
  expect(open.paths["/ixo/token/params"].get.security).toEqual([{ gatewayApiKey: [] }]);
  expect(open.components.securitySchemes).toHaveProperty("gatewayApiKey");
});
