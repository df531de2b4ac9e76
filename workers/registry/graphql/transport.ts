/**
 * GraphQL over HTTP: the operation in a request (JSON by POST, or the query string by GET), the media type of the
 * response, and transport failures as GraphQL errors. The engine interprets the document.
 */
import { readBody } from "../../../platform/http/body.ts";
import { type ErrorMapper, wireHeaders, wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import { type JsonObject, depthOf, isJsonObject, parseJson } from "../../../platform/json.ts";
import { type Result, success } from "../../../platform/result.ts";
import { refused } from "../failures.ts";
import { BODY_DEPTH } from "../limits.ts";
import { GRAPHQL_BODY_BYTES } from "./query-limits.ts";

export const GRAPHQL_TYPE = "application/graphql-response+json";

/** GraphQL's own media type for clients that name it. With the older type, errors of a document have status 200. */
export function answerType(accept: string | undefined): string {
  return acceptedTypes(accept).includes(GRAPHQL_TYPE) ? GRAPHQL_TYPE : "application/json";
}

/** Media types by name, without those with q=0. */
export function acceptedTypes(accept: string | undefined): readonly string[] {
  return (accept ?? "")
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([type = ""]) => type);
}

export interface GraphqlOperation {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: JsonObject | undefined;
  readonly extensions: JsonObject | undefined;
}

const members = ["query", "operationName", "variables", "extensions"];

export function operationOfUrl(url: URL): Result<GraphqlOperation> {
  const asked: Record<string, unknown> = {};
  for (const name of members) {
    const [text, ...more] = url.searchParams.getAll(name);
    if (more.length > 0) return refused("validation_failed", `Send ${name} once`);
    if (text === undefined) continue;
    const isObject = name === "variables" || name === "extensions";
    const parsed = isObject && text !== "" ? parseJson(text) : success(text === "" ? null : text);
    if (!parsed.ok) return refused("malformed_json", `${name} is not valid JSON: ${parsed.error}`);
    asked[name] = parsed.value;
  }
  return operationOf(asked);
}

export async function operationOfBody(request: Request): Promise<Result<GraphqlOperation>> {
  const type = (request.headers.get("Content-Type") ?? "").split(";", 1).join("").trim().toLowerCase();
  if (type !== "application/json") {
    return refused("unsupported_media_type", "Send the operation as application/json");
  }
  const text = await readBody(request, GRAPHQL_BODY_BYTES);
  if (!text.ok) {
    return text.error.code === "too_large"
      ? refused("body_too_large", `The body must not be larger than ${GRAPHQL_BODY_BYTES} bytes`)
      : refused("malformed_json", "The body is not UTF-8 text");
  }
  if (text.value.trim() === "") return refused("malformed_json", "The body is empty; send JSON with a query");
  const parsed = parseJson(text.value);
  if (!parsed.ok) return refused("malformed_json", `The body is not valid JSON: ${parsed.error}`);
  if (Array.isArray(parsed.value)) return refused("validation_failed", "Send one operation, not a list of them");
  if (!isJsonObject(parsed.value)) return refused("validation_failed", "The body must be an object with a query");
  return operationOf(parsed.value);
}

/** Null counts as absent; unknown members are ignored. */
function operationOf({
  query,
  operationName,
  variables,
  extensions,
}: Record<string, unknown>): Result<GraphqlOperation> {
  if (typeof query !== "string") return refused("validation_failed", "query must be the text of a GraphQL document");
  if (!isAbsent(operationName) && typeof operationName !== "string") {
    return refused("validation_failed", "operationName must be a string");
  }
  for (const [name, value] of Object.entries({ variables, extensions })) {
    if (!isAbsent(value) && !isJsonObject(value)) return refused("validation_failed", `${name} must be an object`);
    // Coercion recurses, so the depth is limited first.
    if (depthOf(value) > BODY_DEPTH) {
      return refused("validation_failed", `${name} must not be nested deeper than ${BODY_DEPTH} levels`);
    }
  }
  return success({
    query,
    operationName: isAbsent(operationName) ? undefined : operationName,
    variables: isJsonObject(variables) ? variables : undefined,
    extensions: isJsonObject(extensions) ? extensions : undefined,
  });
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

export function graphqlProblem(accept: string | undefined): ErrorMapper {
  return (failure, { requestId }, additions) => {
    const { code, reason = code, message } = failure;
    const errors = [{ message, extensions: { code: reason, requestId } }];
    const headers = wireHeaders(failure, `${answerType(accept)}; charset=utf-8`, additions);
    return new Response(JSON.stringify({ errors }), { status: wireMeaningOf(code).status, headers });
  };
}
