/**
 * A mock Matrix homeserver with the parts that calls and the SDK use: the owner of an OpenID token (server-to-server API), an event
 * of a room that an account is in, and users' actions in their rooms (client-server API).
 */
import { startLocalServer } from "../server/local-server.ts";
import { answerClient, matrixError, type MatrixAccounts, type MatrixAnswer } from "./matrix-accounts.ts";
import type { Peer } from "./peer.ts";

export interface HomeserverOptions {
  /** The server part of its users' ids. */
  readonly serverName?: string;
  /** The account that reads events. */
  readonly accessToken?: string;
}

export interface RoomEvent {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** `@ada` of this server by default. */
  readonly sender?: string;
}

export interface HomeserverPeer extends Peer, MatrixAccounts {
  /** OpenID tokens and their user ids, of any server, so that a test can make this one lie. */
  readonly openIdTokens: Map<string, string>;
  /** Events by `<eventId>@<roomId>`, including those that users sent. */
  readonly events: Map<string, RoomEvent>;
  /** Path of each request, without its query. */
  readonly paths: readonly string[];
  /** Answers each user request with this status, if set. */
  failure: number | undefined;
}

export async function startHomeserver(options: HomeserverOptions = {}): Promise<HomeserverPeer> {
  const { serverName = "home.example", accessToken = "peer-account-token" } = options;
  const events = new Map<string, RoomEvent>([
    ["$call@!room:home.example", { type: "m.ixo.oracles_call", content: { callType: "audio", language: "en" } }],
  ]);
  const accounts: MatrixAccounts & Pick<HomeserverPeer, "failure"> = {
    failure: undefined,
    serverName,
    users: new Map(),
    rooms: new Map(),
    aliases: new Map(),
    files: new Map(),
    openIdTokens: new Map([["peer-openid-token", `@ada:${serverName}`]]),
    sent: [],
    openIdSeconds: 3_600,
  };
  const paths: string[] = [];

  function answer(path: string, query: URLSearchParams, authorization: string | undefined): MatrixAnswer {
    if (path === "/_matrix/federation/v1/openid/userinfo") {
      const sub = accounts.openIdTokens.get(query.get("access_token") ?? "");
      return sub === undefined
        ? matrixError(401, "M_UNKNOWN_TOKEN", "Access token unknown or expired")
        : [200, { sub }];
    }
    const [, room, event] = /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/event\/([^/]+)$/.exec(path) ?? [];
    if (room === undefined || event === undefined) return matrixError(404, "M_UNRECOGNIZED", "Unrecognized request");
    if (authorization === undefined) return matrixError(401, "M_MISSING_TOKEN", "Missing access token");
    if (authorization !== `Bearer ${accessToken}`)
      return matrixError(401, "M_UNKNOWN_TOKEN", "Unrecognised access token");
    const [roomId, eventId] = [decodeURIComponent(room), decodeURIComponent(event)];
    const sent = accounts.sent.find((one) => one.roomId === roomId && one.eventId === eventId);
    const found = sent ?? events.get(`${eventId}@${roomId}`);
    if (found === undefined) return matrixError(404, "M_NOT_FOUND", "Event not found.");
    const { type, content, sender = `@ada:${serverName}` } = found;
    return [200, { type, content, room_id: roomId, event_id: eventId, sender, origin_server_ts: 1 }];
  }

  const server = await startLocalServer((request, body, response) => {
    // As the specification requires of homeservers.
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Headers", "X-Requested-With, Content-Type, Authorization");
    response.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
    if (request.method === "OPTIONS") return void response.writeHead(200).end();
    const url = new URL(String(request.url), "http://home.example");
    const { authorization } = request.headers;
    paths.push(url.pathname);
    const asked = { method: String(request.method), path: url.pathname, authorization };
    const ofUsers =
      accounts.failure === undefined
        ? answerClient(accounts, asked, body)
        : matrixError(accounts.failure, "M_UNKNOWN", "Internal server error");
    const [status, value] =
      ofUsers ??
      (request.method === "GET"
        ? answer(url.pathname, url.searchParams, authorization)
        : matrixError(405, "M_UNRECOGNIZED", "Unrecognized request"));
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  });
  return Object.assign(accounts, {
    name: "homeserver",
    url: server.origin,
    variables: {
      MATRIX_BASE_URL: server.origin,
      MATRIX_ACCESS_TOKEN: accessToken,
      CALLS_HOMESERVERS: `${serverName}=${server.origin}`,
    },
    events,
    paths,
    stop: () => server.close(),
  });
}
