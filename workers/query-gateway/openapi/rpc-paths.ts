/**
 * CometBFT's RPC of a chain profile in the OpenAPI document: requests in a body, a method by URL, and the list of
 * methods.
 */
import type { JsonObject } from "../../../platform/json.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { RPC_BATCH_MAX } from "../serve/json-rpc.ts";
import { methodsOf } from "../serve/rpc-methods.ts";
import { errorResponses, securitySchemes } from "./operation.ts";

export const RPC_TAG = "CometBFT RPC";

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const anything: JsonObject = {};
const id: JsonObject = { oneOf: [{ type: "integer" }, { type: "string" }] };
const version: JsonObject = { type: "string", const: "2.0" };

export const rpcSchemas: Readonly<Record<string, JsonObject>> = {
  RpcRequest: {
    type: "object",
    description: "A request of JSON-RPC 2.0",
    properties: {
      jsonrpc: version,
      id,
      method: { type: "string" },
      params: {
        oneOf: [
          { type: "object", additionalProperties: true },
          { type: "array", items: anything },
        ],
      },
    },
    required: ["jsonrpc", "id", "method"],
  },
  RpcReply: {
    type: "object",
    description: "Either `result` or `error`",
    properties: {
      jsonrpc: version,
      id: { oneOf: [{ type: "integer" }, { type: "string" }, { type: "null" }] },
      result: anything,
      error: {
        type: "object",
        properties: { code: { type: "integer" }, message: { type: "string" }, data: { type: "string" } },
        required: ["code", "message"],
      },
    },
    required: ["jsonrpc", "id"],
  },
};

/** The paths with their operations; empty if the RPC is off. */
export function describeRpc(deployment: Deployment): Readonly<Record<string, JsonObject>> {
  const { rpcPath, settings } = deployment;
  if (rpcPath === undefined) return {};
  const { gate, match, name } = settings;
  const path = `${match.mount ?? ""}${rpcPath}`;
  const suffix = `Of${name.replaceAll(/[^A-Za-z0-9]/g, "_")}`;
  const shared = {
    tags: [RPC_TAG],
    security: gate.mode === "none" ? [] : [{ [securitySchemes[gate.mode][0]]: [] }],
  };
  const replies = (schema: JsonObject, type = "application/json"): JsonObject => ({
    200: { description: "The response, including JSON-RPC errors", content: { [type]: { schema } } },
    ...errorResponses,
  });
  const batch = (item: string, bounds: JsonObject = {}) => ({
    oneOf: [ref(item), { type: "array", items: ref(item), ...bounds }],
  });
  return {
    [path]: {
      get: {
        operationId: `listRpcMethods${suffix}`,
        summary: "List the methods as a page of links",
        ...shared,
        responses: replies({ type: "string" }, "text/html"),
      },
      post: {
        operationId: `callRpc${suffix}`,
        summary: "Send one request or a batch",
        ...shared,
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: batch("RpcRequest", { minItems: 1, maxItems: RPC_BATCH_MAX }),
              example: { jsonrpc: "2.0", id: 1, method: "status", params: {} },
            },
          },
        },
        responses: replies(batch("RpcReply")),
      },
    },
    [`${path}/{method}`]: {
      get: {
        operationId: `callRpcByAddress${suffix}`,
        summary: "Send one request with named parameters: texts in double quotes, bytes as `0x…`",
        ...shared,
        parameters: [
          {
            name: "method",
            in: "path",
            required: true,
            schema: { type: "string", enum: [...methodsOf(deployment)] },
          },
          {
            name: "params",
            in: "query",
            required: false,
            style: "form",
            explode: true,
            schema: { type: "object", additionalProperties: { type: "string" } },
          },
        ],
        responses: replies(ref("RpcReply")),
      },
    },
  };
}
