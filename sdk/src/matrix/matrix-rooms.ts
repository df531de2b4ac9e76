/** The operations on a Matrix homeserver for its user: rooms, members, power levels, OpenID tokens. */
import { RequestError } from "../core/errors.ts";
import { memberOf, requestJson, textOf } from "./json-request.ts";

export interface MatrixAccount {
  /** `https://mx.example`. The access token is sent only there. */
  readonly homeServerUrl: string;
  readonly accessToken: string;
  readonly fetch?: typeof fetch | undefined;
}

/** A Matrix OpenID token, which proves its user's identity to other services. */
export interface IOpenIDToken {
  access_token: string;
  /** `Bearer`. */
  token_type: string;
  matrix_server_name: string;
  /** Seconds. */
  expires_in: number;
}

const SERVICE = "The homeserver";

/** Joins a room or space that is open or that the account is invited to. Resolves to its id. */
export async function joinRoom(account: MatrixAccount, room: string): Promise<string> {
  return textOf(await ask(account, `/join/${encodeURIComponent(room)}`, "POST", {}), "room_id", SERVICE);
}

/** Null if no room has this alias. */
export async function roomOfAlias(account: MatrixAccount, alias: string): Promise<string | null> {
  try {
    return textOf(await ask(account, `/directory/room/${encodeURIComponent(alias)}`), "room_id", SERVICE);
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}

/** The ids of users who have joined the room or are invited, without users who have left or were banned. */
export async function roomMembers(account: MatrixAccount, roomId: string): Promise<string[]> {
  const events = memberOf(await ask(account, `/rooms/${encodeURIComponent(roomId)}/members`), "chunk");
  return (Array.isArray(events) ? events : []).flatMap((event: unknown) => {
    const user = memberOf(event, "state_key") ?? memberOf(event, "user_id");
    const membership = memberOf(memberOf(event, "content"), "membership");
    const present = membership === undefined || membership === "join" || membership === "invite";
    return typeof user === "string" && present ? [user] : [];
  });
}

/** Does nothing if the user has joined or is already invited, because a homeserver refuses a second invitation. */
export async function inviteToRoom(account: MatrixAccount, roomId: string, userId: string): Promise<void> {
  if ((await roomMembers(account, roomId)).includes(userId)) return;
  await ask(account, `/rooms/${encodeURIComponent(roomId)}/invite`, "POST", { user_id: userId });
}

/**
 * Raises a member to `level`, unless the member already has that level or more. The other members' levels stay
 * unchanged.
 */
export async function raisePowerLevel(
  account: MatrixAccount,
  roomId: string,
  userId: string,
  level: number,
): Promise<void> {
  const path = `/rooms/${encodeURIComponent(roomId)}/state/m.room.power_levels`;
  const levels = await ask(account, path);
  const users = memberOf(levels, "users");
  const present = memberOf(users, userId) ?? memberOf(levels, "users_default") ?? 0;
  if (typeof present === "number" && present >= level) return;
  await ask(account, path, "PUT", { ...asObject(levels), users: { ...asObject(users), [userId]: level } });
}

export async function requestOpenIdToken(account: MatrixAccount, userId: string): Promise<IOpenIDToken> {
  const answer = await ask(account, `/user/${encodeURIComponent(userId)}/openid/request_token`, "POST", {});
  const expiresIn = memberOf(answer, "expires_in");
  return {
    access_token: textOf(answer, "access_token", SERVICE),
    token_type: textOf(answer, "token_type", SERVICE),
    matrix_server_name: textOf(answer, "matrix_server_name", SERVICE),
    expires_in: typeof expiresIn === "number" ? expiresIn : 0,
  };
}

function ask(account: MatrixAccount, path: string, method: "GET" | "POST" | "PUT" = "GET", body?: unknown) {
  return requestJson(`${account.homeServerUrl}/_matrix/client/v3${path}`, {
    method,
    body,
    accessToken: account.accessToken,
    service: SERVICE,
    fetch: account.fetch,
  });
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
