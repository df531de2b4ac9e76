/** The oracle's OpenAPI document: its routes, those of its plugins, and paths served outside `route()`. */
import * as z from "zod";
import { timestamp } from "../../../protocol/json.ts";
import { frontendTools } from "../../../protocol/records.ts";
import { clientEvent, serverEvent } from "../../../protocol/socket-events.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { buildOpenApi, type Operation } from "../../../platform/openapi.ts";
import { securitySchemes } from "./authentication.ts";
import type { OracleRoute } from "./route.ts";

/** The headers of every response to a counted request. */
const rateLimitHeaders = {
  "X-RateLimit-Limit": "Requests that a user may make per minute.",
  "X-RateLimit-Remaining": "Requests that are left in the current minute.",
};
const retryHeaders = { "Retry-After": "Seconds to wait before a retry." };

/** Headers that middleware adds to the responses of an operation. */
function withHeaders(operation: Operation): Operation {
  if (operation.security.length === 0) return operation;
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const isCounted = status !== "401" && status !== "503";
    const headers = {
      ...response.headers,
      ...(isCounted ? rateLimitHeaders : {}),
      ...(["429", "502", "503"].includes(status) ? retryHeaders : {}),
    };
    return [status, Object.keys(headers).length === 0 ? response : { ...response, headers }];
  });
  return { ...operation, responses: Object.fromEntries(responses) as Operation["responses"] };
}

export const ORACLE_DESCRIPTION =
  "Chat sessions with an oracle, answered whole or as server-sent events. Callers authenticate with UCANs.";

export function describeOracle(routes: readonly OracleRoute[]): JsonObject {
  return buildOpenApi({
    title: "Oracle chat service",
    version: "1",
    description: ORACLE_DESCRIPTION,
    tags: [
      { name: "Sessions", description: "Open, list and delete chat sessions" },
      { name: "Messages", description: "Send messages and read the transcript" },
      { name: "Runs", description: "Runs that outlive their client: resume their stream, or stop them" },
      { name: "Events", description: "The Socket.IO channel of a session" },
      { name: "Delegation", description: "The oracle's permission to act for the user at other services" },
      { name: "Preferences", description: "The user's preferences for answers" },
      { name: "Oracle", description: "Models and identity of this oracle" },
    ],
    securitySchemes,
    operations: [
      readRoot,
      readHealth,
      receiveEvents,
      sendEvents,
      ...routes.map((route) => withHeaders(route.document().operation)),
    ],
  });
}

const tag = "Oracle";

const readRoot: Operation = {
  method: "get",
  path: "/",
  id: "readRoot",
  summary: "Check that the service answers",
  tag,
  security: [],
  responses: {
    200: {
      description: "The service answers; nothing else is checked",
      content: {
        schema: z.object({
          status: z.literal("ok"),
          message: z.string(),
          environment: z.string(),
          timestamp: timestamp(),
        }),
      },
    },
  },
};

const health = z
  .object({
    status: z.enum(["ok", "error"]),
    environment: z.string(),
    timestamp: timestamp(),
    uptime: z.number().meta({ description: "Seconds." }),
    database: z.string(),
    frontendTools,
  })
  .catchall(z.unknown());

const readHealth: Operation = {
  method: "get",
  path: "/health",
  id: "readHealth",
  summary: "Check the service, its database and its settings",
  tag,
  security: [],
  responses: {
    200: { description: "Healthy", content: { schema: health } },
    503: { description: "The database cannot be reached, or a setting is wrong", content: { schema: health } },
  },
};

/** The version of Engine.IO. */
const EIO = z.literal("4");
const query = z.object({
  EIO,
  transport: z.enum(["polling", "websocket"]),
  sessionId: z.string().meta({ description: "The session to connect to." }),
  sid: z.string().optional().meta({ description: "The connection, once it has an id." }),
});
const packets = (line: z.ZodType) => ({ schema: z.string(), type: "text/plain", line });

/** Described for its events; clients use a Socket.IO client, which implements the protocol. */
const receiveEvents: Operation = {
  method: "get",
  path: "/socket.io/",
  id: "receiveEvents",
  summary: "Connect to a session's events with a Socket.IO client",
  description:
    "Engine.IO 4 over a websocket, or long polling. The connection is authenticated by its `auth` payload: `invocation` or `ucanDelegation`.",
  tag: "Events",
  security: [],
  query,
  responses: { 200: { description: "Packets that carry events of the oracle", content: packets(serverEvent) } },
};

const sendEvents: Operation = {
  method: "post",
  path: "/socket.io/",
  id: "sendEvents",
  summary: "Send events to the oracle over long polling",
  tag: "Events",
  security: [],
  query: query.required({ sid: true }),
  body: packets(clientEvent),
  responses: {
    200: { description: "The packets were received", content: { schema: z.literal("ok"), type: "text/plain" } },
  },
};
