/** What every operation of the gateway has in common (contract D, sections 5, 6 and 11). */
import type { JsonObject } from "../../platform/json.ts";

export const STATUS_SCHEMA = "google.rpc.Status";
export const HEIGHT_PARAMETER = "BlockHeight";

export const statusSchema: JsonObject = {
  type: "object",
  properties: {
    code: { type: "integer", format: "int32", description: "The number of google.rpc.Code." },
    message: { type: "string" },
    details: { type: "array", items: { type: "object", additionalProperties: true } },
  },
  required: ["code", "message", "details"],
};

export const heightParameter: JsonObject = {
  name: "x-cosmos-block-height",
  in: "header",
  required: false,
  description: "The height of the state to ask; absent or 0 for the latest.",
  schema: { type: "string", format: "int64" },
};

const errors: Readonly<Record<number, string>> = {
  400: "The request is malformed, or the node refused it",
  401: "Credentials are needed",
  403: "The credentials do not open this",
  404: "No such path, or no such thing",
  405: "The path has other methods",
  429: "Too many requests",
  500: "The node failed",
  501: "The method is disabled or not compiled in",
  502: "The node's answer cannot be read",
  503: "No node can be asked now",
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

export const answerHeaders: JsonObject = {
  "X-Cosmos-Block-Height": { description: "The height of the state.", schema: { type: "string" } },
  ETag: { description: "Names these very bytes.", schema: { type: "string" } },
};

export const securitySchemes = {
  bearer: ["gatewayBearer", { type: "http", scheme: "bearer" }],
  apiKey: ["gatewayApiKey", { type: "apiKey", in: "header", name: "X-API-Key" }],
  basic: ["gatewayBasic", { type: "http", scheme: "basic" }],
} as const satisfies Readonly<Record<string, readonly [string, JsonObject]>>;
