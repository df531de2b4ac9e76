/** One route as an OpenAPI operation (contract D, section 11). */
import type { JsonObject } from "../../platform/json.ts";
import { LINES_TYPE } from "../answer/line-stream.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { HTTP_BODY } from "../transcoding/bound-rule.ts";
import type { Route } from "../transcoding/routes.ts";
import type { SchemaWriter } from "./message-schemas.ts";
import { notesOf } from "./notes.ts";
import { queryParameters } from "./query-parameters.ts";
import { answerHeaders, errorResponses, HEIGHT_PARAMETER, securitySchemes } from "./shared-parts.ts";
import type { PathParameter, TemplatePath } from "./template-path.ts";

/** Such as `ixo.entity`, of `ixo.entity.v1beta1.Query`. */
export function tagOf({ method }: Route): string {
  return method.parent.file.proto.package.replace(/\.v\d\w*$/, "");
}

/** As answers print messages, and as requests may give them. */
export interface OperationSchemas {
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

/** A list is parted by commas in a path. */
function pathSchema(chain: Route["variables"][number] | undefined, schemas: SchemaWriter): JsonObject {
  const field = chain?.at(-1);
  if (field === undefined) return { type: "string" };
  const value = schemas.ofParameter(field);
  return field.fieldKind === "list" ? { type: "array", items: value } : value;
}

function requestBody({ method, body }: Route, schemas: SchemaWriter): JsonObject {
  if (body.kind === "none") return {};
  const type = body.kind === "message" ? method.input : body.field.message;
  // Raw data, whatever its type.
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
