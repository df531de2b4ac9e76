/** The parts of a Matrix homeserver's client-server API that the SDK uses: accounts, rooms with members and power levels, files. */
import { randomUUID } from "node:crypto";

export interface MatrixRoom {
  readonly members: Map<string, "join" | "invite" | "leave">;
  /** The content of `m.room.power_levels`. */
  powerLevels: { users?: Record<string, number>; [name: string]: unknown };
}

export interface SentEvent {
  readonly roomId: string;
  readonly eventId: string;
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** The user's id. */
  readonly sender: string;
}

export interface MatrixAccounts {
  readonly serverName: string;
  /** Access tokens and their user ids. */
  readonly users: Map<string, string>;
  readonly rooms: Map<string, MatrixRoom>;
  /** Room ids by `#alias:server`. */
  readonly aliases: Map<string, string>;
  /** File contents by `<server>/<media id>`. */
  readonly files: Map<string, unknown>;
  /** OpenID tokens and their user ids. */
  readonly openIdTokens: Map<string, string>;
  readonly sent: SentEvent[];
  /** Lifetime of an OpenID token, seconds. */
  openIdSeconds: number;
}

export type MatrixAnswer = readonly [status: number, body: unknown];

interface Asked {
  readonly user: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly parts: readonly string[];
}

type Handler = (accounts: MatrixAccounts, asked: Asked) => MatrixAnswer;

/** By method and path after `/_matrix/client/`; each `*` is a decoded segment. */
const routes: readonly (readonly [method: string, pattern: string, handler: Handler])[] = [
  ["POST", "v3/join/*", join],
  ["GET", "v3/directory/room/*", directory],
  ["GET", "v3/rooms/*/members", members],
  ["POST", "v3/rooms/*/invite", invite],
  ["GET", "v3/rooms/*/state/m.room.power_levels", (accounts, { user, parts }) => inRoom(accounts, user, parts, levels)],
  ["PUT", "v3/rooms/*/state/m.room.power_levels", setLevels],
  ["PUT", "v3/rooms/*/send/*/*", send],
  ["POST", "v3/user/*/openid/request_token", openId],
  ["GET", "v1/media/download/*/*", download],
];

/** Undefined for an unknown path. */
export function answerClient(
  accounts: MatrixAccounts,
  request: { readonly method: string; readonly path: string; readonly authorization: string | undefined },
  body: string,
): MatrixAnswer | undefined {
  for (const [method, pattern, handler] of routes) {
    const parts = matched(pattern, request.path);
    if (method !== request.method || parts === undefined) continue;
    if (request.authorization === undefined) return matrixError(401, "M_MISSING_TOKEN", "Missing access token");
    const user = accounts.users.get(request.authorization.replace(/^Bearer /, ""));
    if (user === undefined) return matrixError(401, "M_UNKNOWN_TOKEN", "Unrecognised access token");
    return handler(accounts, { user, parts, body: body === "" ? {} : JSON.parse(body) });
  }
  return undefined;
}

export function matrixError(status: number, errcode: string, error: string): MatrixAnswer {
  return [status, { errcode, error }];
}

function matched(pattern: string, path: string): readonly string[] | undefined {
  const expression = pattern.split("*").map((text) => text.replaceAll(".", String.raw`\.`));
  const found = new RegExp(`^/_matrix/client/${expression.join("([^/]+)")}$`).exec(path);
  return found?.slice(1).map((part) => decodeURIComponent(part));
}

const forbidden = (error: string) => matrixError(403, "M_FORBIDDEN", error);

function inRoom(
  accounts: MatrixAccounts,
  user: string,
  [roomId = ""]: readonly string[],
  answer: (room: MatrixRoom, roomId: string) => MatrixAnswer,
): MatrixAnswer {
  const room = accounts.rooms.get(roomId);
  if (room?.members.get(user) !== "join") return forbidden(`User ${user} not in room ${roomId}`);
  return answer(room, roomId);
}

function join(accounts: MatrixAccounts, { user, parts: [name = ""] }: Asked): MatrixAnswer {
  const roomId = accounts.aliases.get(name) ?? name;
  const room = accounts.rooms.get(roomId);
  if (room === undefined) return matrixError(404, "M_NOT_FOUND", "Can't join remote room");
  if (!["join", "invite"].includes(room.members.get(user) ?? "")) return forbidden("You are not invited to this room.");
  room.members.set(user, "join");
  return [200, { room_id: roomId }];
}

function directory(accounts: MatrixAccounts, { parts: [alias = ""] }: Asked): MatrixAnswer {
  const roomId = accounts.aliases.get(alias);
  if (roomId === undefined) return matrixError(404, "M_NOT_FOUND", `Room alias ${alias} not found`);
  return [200, { room_id: roomId, servers: [accounts.serverName] }];
}

function members(accounts: MatrixAccounts, { user, parts }: Asked): MatrixAnswer {
  return inRoom(accounts, user, parts, (room, roomId) => [
    200,
    {
      chunk: [...room.members].map(([member, membership]) => ({
        type: "m.room.member",
        room_id: roomId,
        state_key: member,
        user_id: member,
        sender: member,
        content: { membership },
      })),
    },
  ]);
}

function invite(accounts: MatrixAccounts, { user, parts, body }: Asked): MatrixAnswer {
  const invited = String(body["user_id"]);
  return inRoom(accounts, user, parts, (room) => {
    if (room.members.get(invited) === "join") return forbidden(`${invited} is already in the room.`);
    room.members.set(invited, "invite");
    return [200, {}];
  });
}

function levels(room: MatrixRoom): MatrixAnswer {
  return [200, room.powerLevels];
}

function setLevels(accounts: MatrixAccounts, { user, parts, body }: Asked): MatrixAnswer {
  return inRoom(accounts, user, parts, (room) => {
    if ((room.powerLevels.users?.[user] ?? 0) < 100) return forbidden("You don't have permission to change levels");
    room.powerLevels = body;
    return [200, { event_id: `$${randomUUID()}` }];
  });
}

function send(accounts: MatrixAccounts, { user, parts, body }: Asked): MatrixAnswer {
  return inRoom(accounts, user, parts, (_room, roomId) => {
    // Event ids of newer rooms are URL-safe base64 of a hash; those of older rooms contain slashes and plus signs.
    const eventId = `$${Buffer.from(randomUUID()).toString("base64").replace("=", "")}/+`;
    accounts.sent.push({ roomId, eventId, type: String(parts[1]), content: body, sender: user });
    return [200, { event_id: eventId }];
  });
}

function openId(accounts: MatrixAccounts, { user, parts: [asked] }: Asked): MatrixAnswer {
  if (asked !== user) return forbidden("Cannot request tokens for other users.");
  const token = `openid-${randomUUID()}`;
  accounts.openIdTokens.set(token, user);
  const { serverName, openIdSeconds } = accounts;
  return [
    200,
    { access_token: token, token_type: "Bearer", matrix_server_name: serverName, expires_in: openIdSeconds },
  ];
}

function download(accounts: MatrixAccounts, { parts }: Asked): MatrixAnswer {
  const file = accounts.files.get(parts.join("/"));
  return file === undefined ? matrixError(404, "M_NOT_FOUND", "Not found") : [200, file];
}
