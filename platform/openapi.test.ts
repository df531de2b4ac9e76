import { describe, expect, test } from "vitest";
import * as z from "zod";
import { buildOpenApi, mergeOpenApi, type ApiDescription, type Operation } from "./openapi.ts";

const thing = z.object({ id: z.string(), next: z.string().optional() }).meta({ id: "Thing" });

const change: Operation = {
  method: "post",
  path: "/things/:thingId",
  id: "changeThing",
  summary: "Change a thing",
  tag: "Things",
  security: [["key"], ["token", "mark"]],
  params: z.object({ thingId: z.string().meta({ description: "The thing." }) }),
  query: z.object({ dry: z.string().optional() }),
  body: { schema: z.object({ stream: z.boolean().default(false), thing }), example: { thing: { id: "a" } } },
  responses: {
    200: { description: "Changed", content: { schema: z.object({ things: z.array(thing) }) } },
    204: { description: "Nothing", headers: { "X-Run": "The run." } },
  },
};
const read: Operation = { ...change, method: "get", id: "readThing", security: [], body: undefined };

const api = (operations: readonly Operation[], tag = "Things"): ApiDescription => ({
  title: "Things",
  version: "1",
  description: "All things",
  tags: [{ name: tag, description: "Things" }],
  securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  operations,
});

test("omits what breaks generators: limits of every integer, unnamed schemas that contain themselves", () => {
  const schema = z.object({ count: z.int(), free: z.record(z.string(), z.json()) });
  const line = { schema: z.string(), type: "application/x-ndjson", line: thing };
  const document = buildOpenApi(
    api([{ ...read, responses: { 200: { description: "", content: [{ schema }, line] } } }]),
  );
  expect(document).toHaveProperty(["paths", "/things/{thingId}", "get", "responses", "200", "content"], {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          count: { type: "integer" },
          free: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} },
        },
        required: ["count", "free"],
        additionalProperties: false,
      },
    },
    "application/x-ndjson": { schema: { type: "string" }, "x-item-schema": { $ref: "#/components/schemas/Thing" } },
  });
  expect(Object.keys((document["components"] as { schemas: object }).schemas)).toEqual(["Thing"]);
});

describe("buildOpenApi", () => {
  const document = buildOpenApi(api([change, read]));

  test("is a 3.1 document with both methods on one path", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Things", version: "1" } });
    expect(document).toHaveProperty(["paths", "/things/{thingId}", "get", "operationId"], "readThing");
    expect(document).toHaveProperty(["paths", "/things/{thingId}", "get", "security"], []);
  });

  test("describes parameters, security, body and responses from the schemas", () => {
    expect(document).toHaveProperty(["paths", "/things/{thingId}", "post"], {
      operationId: "changeThing",
      summary: "Change a thing",
      tags: ["Things"],
      security: [{ key: [] }, { token: [], mark: [] }],
      parameters: [
        { name: "thingId", in: "path", required: true, description: "The thing.", schema: { type: "string" } },
        { name: "dry", in: "query", required: false, schema: { type: "string" } },
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: {
                stream: { type: "boolean", default: false },
                thing: { $ref: "#/components/schemas/Thing" },
              },
              required: ["thing"],
            },
            example: { thing: { id: "a" } },
          },
        },
      },
      responses: {
        "200": {
          description: "Changed",
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { things: { type: "array", items: { $ref: "#/components/schemas/Thing" } } },
                required: ["things"],
                additionalProperties: false,
              },
            },
          },
        },
        "204": {
          description: "Nothing",
          headers: { "X-Run": { description: "The run.", schema: { type: "string" } } },
        },
      },
    });
  });

  test("named schemas become components once", () => {
    expect(document).toHaveProperty(["components", "schemas", "Thing", "properties", "id"], { type: "string" });
  });
});

test("mergeOpenApi keeps every path, tag, component and security scheme", () => {
  const other: Operation = { ...read, path: "/others", id: "readOthers", tag: "Others" };
  const merged = mergeOpenApi({ title: "All", version: "1" }, [
    buildOpenApi(api([change])),
    buildOpenApi({ ...api([other], "Others"), securitySchemes: { token: { type: "http", scheme: "bearer" } } }),
  ]);
  expect(merged).toMatchObject({
    openapi: "3.1.0",
    info: { title: "All" },
    tags: [{ name: "Things" }, { name: "Others" }],
    paths: { "/things/{thingId}": { post: {} }, "/others": { get: {} } },
    components: { schemas: { Thing: {} }, securitySchemes: { key: {}, token: {} } },
  });
});
