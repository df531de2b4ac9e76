/**
 * `/socket.io/`: hands connections on to the object of their session (contract/oracle.md section 8). Nothing is decided
 * here: what is refused is refused over the connection, since a client whose request is refused asks again for ever.
 * The caller proves himself to the object; no header and no member of the query says who he is.
 */
import { Hono } from "hono";
import * as z from "zod";
import { clientEvent, serverEvent } from "../../../protocol/socket-events.ts";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import { preflightResponse, readEdgePolicy } from "../../platform/http/cors.ts";
import { REQUEST_ID_HEADER } from "../../platform/http/request-id.ts";
import type { Operation } from "../../platform/openapi.ts";
import type { OracleHono } from "../context.ts";
import { publicSecurity } from "../description.ts";
import { socketsOf } from "../objects.ts";

export const socketRoutes = new Hono<OracleHono>();

const PATH = "/socket.io";
/** What the socket server reads, and our one member; the rest, such as `userDid`, ends here. */
const KNOWN_MEMBERS = ["EIO", "transport", "sid", "sessionId"];
/** In which the object's admission finds the address that attempts are counted by. */
const ADDRESS = "address";

/** The version of Engine.IO. */
const EIO = z.literal("4");
const query = z.object({
  EIO,
  transport: z.enum(["polling", "websocket"]),
  sessionId: z.string().meta({ description: "The session to connect to." }),
  sid: z.string().optional().meta({ description: "The connection, once it has an id." }),
});
const packets = (line: z.ZodType) => ({ schema: z.string(), type: "text/plain", line });

/** Described for the events; clients use a Socket.IO client, which knows the protocol beneath. */
export const receiveEvents: Operation = {
  method: "get",
  path: "/socket.io/",
  id: "receiveEvents",
  summary: "Connect to a session's events with a Socket.IO client",
  description:
    "Engine.IO 4 over a websocket, or long polling. The connection is authenticated by its `auth` payload: `invocation` or `ucanDelegation`.",
  tag: "Events",
  security: publicSecurity,
  query,
  responses: { 200: { description: "Packets that carry events of the oracle", content: packets(serverEvent) } },
};

export const sendEvents: Operation = {
  method: "post",
  path: "/socket.io/",
  id: "sendEvents",
  summary: "Send events to the oracle over long polling",
  tag: "Events",
  security: publicSecurity,
  query: query.required({ sid: true }),
  body: packets(clientEvent),
  responses: {
    200: { description: "The packets were received", content: { schema: z.literal("ok"), type: "text/plain" } },
  },
};

socketRoutes.options(PATH, (c) => preflightResponse(c.req.raw, readEdgePolicy(c.env.env)));
socketRoutes.on(["GET", "POST"], [PATH], (c) => {
  const { env, requestId } = c.env;
  const given = new URL(c.req.url);
  const url = new URL(given.pathname, given);
  for (const name of KNOWN_MEMBERS) {
    const value = given.searchParams.get(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  url.searchParams.set(ADDRESS, clientNetwork(c.req.raw, readProxyTrust(env)));
  const headers = new Headers(c.req.raw.headers);
  headers.set(REQUEST_ID_HEADER, requestId);
  const sessionId = given.searchParams.get("sessionId") ?? "";
  return socketsOf(env, sessionId).fetch(new Request(url, new Request(c.req.raw, { headers })));
});
