/**
 * OpenAPI 3.1 documents from the zod schemas that validate the requests, so that a document cannot disagree with the
 * code. A schema with `.meta({ id })` becomes a named component. Surfaces describe operations; this file contains none.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

export interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In the router's notation: `/sessions/:sessionId`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Alternatives; each lists the security schemes that are sent together. Empty for a public operation. */
  readonly security: readonly (readonly string[])[];
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: Content & { readonly optional?: boolean };
  readonly responses: Readonly<Record<number, OperationResponse>>;
}

export interface Content {
  readonly schema: z.ZodType;
  /** `application/json` by default. */
  readonly type?: string;
  /** The schema of one line, if the content is JSON lines. OpenAPI 3.2 has a place for it, 3.1 does not. */
  readonly line?: z.ZodType;
  readonly example?: JsonValue;
}

export interface OperationResponse {
  readonly description: string;
  /** Several if the operation responds in several media types. */
  readonly content?: Content | readonly Content[];
  /** Maps a header's name to its description. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly securitySchemes: Readonly<Record<string, JsonObject>>;
  /** The surface's routes, each with its own description. */
  readonly routes?: readonly { document(): { readonly operation: Operation } }[];
  /** Operations that are not declared by `route()`. */
  readonly operations?: readonly Operation[];
}

/** Relative to the place where the document was read. */
const servers = [{ url: "/", description: "This deployment" }];

export function buildOpenApi(api: ApiDescription): JsonObject {
  const schemas: Record<string, JsonValue> = {};
  const paths: Record<string, Record<string, JsonValue>> = {};
  const { routes = [], operations = [] } = api;
  for (const operation of [...routes.map((route) => route.document().operation), ...operations]) {
    const path = templateOf(operation.path);
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: { title: api.title, version: api.version, description: api.description },
    servers,
    tags: [...api.tags],
    paths,
    components: { schemas, securitySchemes: { ...api.securitySchemes } },
  };
}

/**
 * One document for several surfaces. Their paths are disjoint, because each has one owner; components with one name are
 * equal.
 */
export function mergeOpenApi(info: JsonObject, documents: readonly JsonObject[]): JsonObject {
  const union = (...path: readonly string[]): JsonObject =>
    documents.reduce<JsonObject>((all, document) => ({ ...all, ...memberOf(document, path) }), {});
  return {
    openapi: "3.1.0",
    info,
    servers,
    tags: documents.flatMap(({ tags }) => (Array.isArray(tags) ? (tags as readonly JsonValue[]) : [])),
    paths: union("paths"),
    components: {
      schemas: union("components", "schemas"),
      ...ifAny("parameters"),
      ...ifAny("responses"),
      securitySchemes: union("components", "securitySchemes"),
    },
  };

  /** Omits kinds of components that few documents have if they are empty. */
  function ifAny(kind: string): JsonObject {
    const all = union("components", kind);
    return Object.keys(all).length === 0 ? {} : { [kind]: all };
  }
}

/** `/runs/:runId` in OpenAPI notation: `/runs/{runId}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");
}

type Schemas = Record<string, JsonValue>;

function describeOperation(operation: Operation, schemas: Schemas): JsonObject {
  const { id, summary, description, tag, security, params, query, headers, body, responses } = operation;
  const parameters = [
    ...describeParameters("path", params, schemas),
    ...describeParameters("query", query, schemas),
    ...describeParameters("header", headers, schemas),
  ];
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    security: security.map((together) => Object.fromEntries(together.map((scheme) => [scheme, []]))),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.optional !== true, content: describeContents(body, "input", schemas) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(response, schemas)]),
    ),
  };
}

function describeParameters(place: string, shape: z.ZodObject | undefined, schemas: Schemas): JsonObject[] {
  if (shape === undefined) return [];
  const { properties, required } = describeSchema(shape, "input", schemas);
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...schema } = isJsonObject(property) ? property : {};
    return {
      name,
      in: place,
      required: Array.isArray(required) && required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}

function describeResponse({ description, content, headers }: OperationResponse, schemas: Schemas): JsonObject {
  const described = Object.entries(headers ?? {}).map(([name, text]): [string, JsonValue] => [
    name,
    { description: text, schema: { type: "string" } },
  ]);
  return {
    description,
    ...(described.length === 0 ? {} : { headers: Object.fromEntries(described) }),
    ...(content === undefined ? {} : { content: describeContents(content, "output", schemas) }),
  };
}

function describeContents(
  contents: Content | readonly Content[],
  io: "input" | "output",
  schemas: Schemas,
): JsonObject {
  return Object.fromEntries(
    [contents].flat().map(({ schema, type = "application/json", line, example }) => [
      type,
      {
        schema: describeSchema(schema, io, schemas),
        ...(line === undefined ? {} : { "x-item-schema": describeSchema(line, io, schemas) }),
        ...(example === undefined ? {} : { example }),
      },
    ]),
  );
}

/** The JSON Schema of a zod schema; its named parts move to the components of the document. */
function describeSchema(schema: z.ZodType, io: "input" | "output", schemas: Schemas): JsonObject {
  const { $schema: _, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  for (const [name, part] of Object.entries($defs ?? {})) {
    if (!name.startsWith(NAMELESS)) schemas[name] = rebase(part as JsonValue);
  }
  return rebase(own as JsonObject) as JsonObject;
}

/**
 * zod's name for an unnamed schema that refers to itself, such as the schema of any JSON. Its numbers restart in each
 * operation, and generators turn it into circular types, so it is described as any value. Schemas that matter have
 * names.
 */
const NAMELESS = "__schema";

/** References inside one schema become references into the document; the limits of every integer are omitted. */
function rebase(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(rebase);
  if (!isJsonObject(value)) return value ?? null;
  const { $ref: reference } = value;
  if (typeof reference === "string" && reference.startsWith(`#/$defs/${NAMELESS}`)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => typeof member !== "number" || Math.abs(member) !== Number.MAX_SAFE_INTEGER)
      .map(([name, member]) => [
        name,
        name === "$ref" && typeof member === "string"
          ? member.replace("#/$defs/", "#/components/schemas/")
          : rebase(member),
      ]),
  );
}

function memberOf(document: JsonObject, path: readonly string[]): JsonObject {
  let value: JsonValue | undefined = document;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(value) ? value : {};
}
