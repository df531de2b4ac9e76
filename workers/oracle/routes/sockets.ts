/**
 * `/socket.io/`: forwards connections to the object of their session, and rejects none. A client whose HTTP request
 * fails reconnects forever, so the object rejects over the connection. The object authenticates the caller; headers and
 * query parameters do not.
 */
import { Hono } from "hono";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import { preflightResponse, readEdgePolicy } from "../../../platform/http/cors.ts";
import { REQUEST_ID_HEADER } from "../../../platform/log.ts";
import type { OracleHono } from "../http/failures.ts";
import { socketsOf } from "../objects.ts";

export const socketRoutes = new Hono<OracleHono>();

const PATH = "/socket.io";
/** The socket server's parameters, and `sessionId`; others, such as `userDid`, are dropped. */
const PARAMETERS = ["EIO", "transport", "sid", "sessionId"];
/** The parameter that passes the client's address on, by which failed authentications are counted. */
const ADDRESS_PARAMETER = "address";

socketRoutes.options(PATH, (c) => preflightResponse(c.req.raw, readEdgePolicy(c.env.env)));
socketRoutes.on(["GET", "POST"], [PATH], (c) => {
  const { env, requestId } = c.env;
  const given = new URL(c.req.url);
  const url = new URL(given.pathname, given);
  for (const name of PARAMETERS) {
    const value = given.searchParams.get(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  url.searchParams.set(ADDRESS_PARAMETER, clientNetwork(c.req.raw, readProxyTrust(env)));
  const headers = new Headers(c.req.raw.headers);
  headers.set(REQUEST_ID_HEADER, requestId);
  const sessionId = given.searchParams.get("sessionId") ?? "";
  return socketsOf(env, sessionId).fetch(new Request(url, new Request(c.req.raw, { headers })));
});
