/** One route as an OpenAPI operation, and the components that all operations share. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { JsonObject } from "../../../platform/json.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { LINES_TYPE } from "../serve/stream-answer.ts";
import { hasNamedFields } from "../transcoding/fields.ts";
import { HTTP_BODY } from "../transcoding/http-rule.ts";
import { readsFromText } from "../transcoding/request/text-values.ts";
import type { Route } from "../transcoding/routes.ts";
import { type SchemaWriter, notesOf } from "./message-schemas.ts";
import type { PathParameter, TemplatePath } from "./template-path.ts";

/** For example `ixo.entity` for `ixo.entity.v1beta1.Query`. */
export function tagOf({ method }: Route): string {
  return method.parent.file.proto.package.replace(/\.v\d\w*$/, "");
}

/** The schemas of messages in responses, and in requests. */
interface OperationSchemas {
  readonly answers: SchemaWriter;
  readonly requests: SchemaWriter;
}

export function describeRoute(
  route: Route,
  operationId: string,
  { parameters }: TemplatePath,
  { answers, requests }: OperationSchemas,
  { settings }: Deployment,
): JsonObject {
  const { gate, chainId } = settings;
  return {
    operationId,
    summary: `${route.method.parent.typeName}/${route.method.name}`,
    ...notesOf(route.method),
    tags: [tagOf(route)],
    ...(chainId !== "" && { "x-chain-id": chainId }),
    security: gate.mode === "none" ? [] : [{ [securitySchemes[gate.mode][0]]: [] }],
    parameters: [
      ...parameters.map((parameter) => pathParameter(parameter, answers)),
      ...queryParameters(route, answers),
      { $ref: `#/components/parameters/${HEIGHT_PARAMETER}` },
    ],
    ...requestBody(route, requests),
    responses: {
      200: { description: "The answer", headers: answerHeaders, content: answerContent(route, answers) },
      ...errorResponses,
    },
  };
}

function pathParameter({ name, chain, isMulti, pieceOf }: PathParameter, schemas: SchemaWriter): JsonObject {
  const field = chain?.at(-1);
  return {
    name,
    in: "path",
    required: true,
    ...(pieceOf !== undefined && { description: `A part of \`${pieceOf}\`` }),
    ...(field !== undefined && notesOf(field)),
    ...(isMulti && { "x-multi-segment": true }),
    schema: pathSchema(chain, schemas),
  };
}

/** A list is separated by commas in a path. */
function pathSchema(chain: Route["variables"][number] | undefined, schemas: SchemaWriter): JsonObject {
  const field = chain?.at(-1);
  if (field === undefined) return { type: "string" };
  const value = schemas.ofParameter(field);
  return field.fieldKind === "list" ? { type: "array", items: value } : value;
}

function requestBody({ method, body }: Route, schemas: SchemaWriter): JsonObject {
  if (body.kind === "none") return {};
  const type = body.kind === "message" ? method.input : body.field.message;
  // Raw data of any type.
  if (type?.typeName === HTTP_BODY) return { requestBody: { required: false, content: { "*/*": { schema: {} } } } };
  const schema = body.kind === "message" ? schemas.ofMessage(method.input) : schemas.ofMember(body.field);
  return { requestBody: { required: false, content: { "application/json": { schema } } } };
}

function answerContent({ method, response }: Route, schemas: SchemaWriter): JsonObject {
  if (response.kind === "http-body") return { "*/*": { schema: {} } };
  const schema = response.kind === "field" ? schemas.ofMember(response.field) : schemas.ofMessage(response.message);
  return method.methodKind === "server_streaming"
    ? { [LINES_TYPE]: { schema: { type: "string" }, "x-item-schema": schema } }
    : { "application/json": { schema } };
}

/** Levels of dots. Deeper names work but are not listed. */
const DEPTH = 4;

function queryParameters({ method, variables, body }: Route, schemas: SchemaWriter): readonly JsonObject[] {
  if (body.kind === "message") return [];
  const taken = new Set(variables.map((chain) => chain.map(({ name }) => name).join(".")));
  if (body.kind === "field") taken.add(body.field.name);
  return below(method.input, "", []);

  function below(message: DescMessage, prefix: string, above: readonly DescMessage[]): readonly JsonObject[] {
    // A recursive type is listed once.
    if (above.includes(message) || above.length >= DEPTH) return [];
    return message.fields.flatMap((field) => {
      const name = prefix + field.name;
      return taken.has(name) ? [] : parametersOf(field, name, [...above, message]);
    });
  }

  function parametersOf(field: DescField, name: string, above: readonly DescMessage[]): readonly JsonObject[] {
    const parameter = (schema: JsonObject, more: JsonObject = {}) => [
      { name, in: "query", ...notesOf(field), ...more, schema },
    ];
    switch (field.fieldKind) {
      case "scalar":
      case "enum":
        return parameter(schemas.ofParameter(field));
      case "list":
        if (field.listKind === "message") return [];
        return parameter({ type: "array", items: schemas.ofParameter(field) }, { style: "form", explode: true });
      case "map":
        if (field.mapKind === "message") return [];
        return parameter(
          { type: "object", additionalProperties: schemas.ofParameter(field) },
          { style: "deepObject", explode: true },
        );
      case "message":
        if (readsFromText(field.message)) return parameter(schemas.ofMessage(field.message));
        return hasNamedFields(field) ? below(field.message, `${name}.`, above) : [];
    }
  }
}

export const STATUS_SCHEMA = "google.rpc.Status";
export const HEIGHT_PARAMETER = "BlockHeight";

export const statusSchema: JsonObject = {
  type: "object",
  properties: {
    code: { type: "integer", format: "int32", description: "The number of the google.rpc.Code." },
    message: { type: "string" },
    details: { type: "array", items: { type: "object", additionalProperties: true } },
  },
  required: ["code", "message", "details"],
};

export const heightParameter: JsonObject = {
  name: "x-cosmos-block-height",
  in: "header",
  required: false,
  description: "The block height to query. If absent or 0, the latest.",
  schema: { type: "string", format: "int64" },
};

const errors: Readonly<Record<number, string>> = {
  400: "The request is malformed, or the node refused it",
  401: "Authentication required",
  403: "These credentials do not give access to this path",
  404: "The path or the requested object does not exist",
  405: "Method not allowed",
  429: "Too many requests",
  500: "The node failed",
  501: "The method is disabled or not compiled in",
  502: "Invalid response from the node",
  503: "No node is available",
  504: "No node answered in time",
};

/** Name of the component that describes an error of this status. */
const errorName = (status: string) => `GatewayError${status}`;

const content: JsonObject = { "application/json": { schema: { $ref: `#/components/schemas/${STATUS_SCHEMA}` } } };

export const errorComponents: JsonObject = Object.fromEntries(
  Object.entries(errors).map(([status, description]) => [errorName(status), { description, content }]),
);

export const errorResponses: JsonObject = Object.fromEntries(
  Object.keys(errors).map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]),
);

const answerHeaders: JsonObject = {
  "X-Cosmos-Block-Height": { description: "The block height of the answer.", schema: { type: "string" } },
  ETag: { description: "Identifies these exact bytes.", schema: { type: "string" } },
};

export const securitySchemes = {
  bearer: ["gatewayBearer", { type: "http", scheme: "bearer" }],
  apiKey: ["gatewayApiKey", { type: "apiKey", in: "header", name: "X-API-Key" }],
  basic: ["gatewayBasic", { type: "http", scheme: "basic" }],
} as const satisfies Readonly<Record<string, readonly [string, JsonObject]>>;
