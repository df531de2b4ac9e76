/**
 * Some models wrap the arguments of a call as `{"input": "<json>"}`. They are unwrapped before the call is recorded, so that
 * server, user and transcript see the intended arguments. Tools that have a member of that name are excluded.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import type { AgentMiddleware } from "../../framework/middleware.ts";
import type { ModelToolCall } from "../../framework/model-call.ts";

export function unwrappingMiddleware(schemas: ReadonlyMap<string, JsonObject>): AgentMiddleware {
  return {
    name: "mcp-arguments",
    async wrapModelCall(request, next) {
      const result = await next(request);
      return { ...result, toolCalls: result.toolCalls.map((call) => unwrappedCall(call, schemas.get(call.name))) };
    },
  };
}

function unwrappedCall(call: ModelToolCall, schema: JsonObject | undefined): ModelToolCall {
  return schema === undefined ? call : { ...call, args: unwrapped(call.args, schema) };
}

export function unwrapped(args: JsonValue, { properties }: JsonObject): JsonValue {
  if (!isJsonObject(args) || (isJsonObject(properties) && Object.hasOwn(properties, "input"))) return args;
  const { input } = args;
  if (typeof input !== "string" || Object.keys(args).length !== 1) return args;
  try {
    const parsed = JSON.parse(input) as JsonValue;
    return isJsonObject(parsed) ? parsed : args;
  } catch {
    return args;
  }
}
