/**
 * A Matrix homeserver, as far as calls use it: who holds an OpenID token (server-to-server API), and the event of a room that an
 * account is in (client-server API).
 */
import { startLocalServer } from "../local-server.ts";
import type { Peer } from "./peer.ts";

export interface HomeserverOptions {
  /** What its users' ids end in. */
  readonly serverName?: string;
  /** The account that reads events. */
  readonly accessToken?: string;
}

export interface RoomEvent {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export interface HomeserverPeer extends Peer {
  readonly serverName: string;
  /** OpenID token to the user's id: those of any server, so that a test can make this one lie. */
  readonly openIdTokens: Map<string, string>;
  /** `<eventId>@<roomId>` to the event. */
  readonly events: Map<string, RoomEvent>;
  /** Path of each request, without its query. */
  readonly paths: readonly string[];
}

export async function startHomeserver(options: HomeserverOptions = {}): Promise<HomeserverPeer> {
  const { serverName = "home.example", accessToken = "peer-account-token" } = options;
  const openIdTokens = new Map([["peer-openid-token", `@ada:${serverName}`]]);
  const events = new Map<string, RoomEvent>([
    ["$call@!room:home.example", { type: "m.ixo.oracles_call", content: { callType: "audio", language: "en" } }],
  ]);
  const paths: string[] = [];

  function answer(path: string, query: URLSearchParams, authorization: string | undefined): readonly [number, unknown] {
    if (path === "/_matrix/federation/v1/openid/userinfo") {
      const sub = openIdTokens.get(query.get("access_token") ?? "");
      return sub === undefined ? refused(401, "M_UNKNOWN_TOKEN", "Access token unknown or expired") : [200, { sub }];
    }
    const [, room, event] = /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/event\/([^/]+)$/.exec(path) ?? [];
    if (room === undefined || event === undefined) return refused(404, "M_UNRECOGNIZED", "Unrecognized request");
    if (authorization === undefined) return refused(401, "M_MISSING_TOKEN", "Missing access token");
    if (authorization !== `Bearer ${accessToken}`) return refused(401, "M_UNKNOWN_TOKEN", "Unrecognised access token");
    const [roomId, eventId] = [decodeURIComponent(room), decodeURIComponent(event)];
    const found = events.get(`${eventId}@${roomId}`);
    if (found === undefined) return refused(404, "M_NOT_FOUND", "Event not found.");
    return [200, { ...found, room_id: roomId, event_id: eventId, sender: `@ada:${serverName}`, origin_server_ts: 1 }];
  }

  const server = await startLocalServer((request, _body, response) => {
    const url = new URL(String(request.url), "http://home.example");
    paths.push(url.pathname);
    const [status, body] =
      request.method === "GET"
        ? answer(url.pathname, url.searchParams, request.headers.authorization)
        : refused(405, "M_UNRECOGNIZED", "Unrecognized request");
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  return {
    name: "homeserver",
    url: server.origin,
    variables: {
      MATRIX_BASE_URL: server.origin,
      MATRIX_ACCESS_TOKEN: accessToken,
      CALLS_HOMESERVERS: `${serverName}=${server.origin}`,
    },
    serverName,
    openIdTokens,
    events,
    paths,
    stop: () => server.close(),
  };
}

function refused(status: number, errcode: string, error: string): readonly [number, unknown] {
  return [status, { errcode, error }];
}
