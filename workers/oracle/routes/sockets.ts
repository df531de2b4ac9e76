/**
 * `/socket.io/`: hands connections on to the object of their session (contract/oracle.md section 8). Nothing is decided
 * here: what is refused is refused over the connection, since a client whose request is refused asks again for ever.
 * The caller proves himself to the object; no header and no member of the query says who he is.
 */
import { Hono } from "hono";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import { preflightResponse, readEdgePolicy } from "../../platform/http/cors.ts";
import { REQUEST_ID_HEADER } from "../../platform/http/request-id.ts";
import type { OracleHono } from "../context.ts";
import { socketsOf } from "../objects.ts";

export const socketRoutes = new Hono<OracleHono>();

const PATH = "/socket.io";
/** What the socket server reads, and our one member; the rest, such as `userDid`, ends here. */
const KNOWN_MEMBERS = ["EIO", "transport", "sid", "sessionId"];
/** In which the object's admission finds the address that attempts are counted by. */
const ADDRESS = "address";

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
