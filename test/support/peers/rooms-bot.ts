/** The bot that creates a user's spaces and their room with an oracle on a homeserver, and invites the user. */
import { startLocalServer } from "../server/local-server.ts";
import { matrixError, type MatrixAccounts, type MatrixAnswer } from "./matrix-accounts.ts";
import type { Peer } from "./peer.ts";

export interface RoomsBotPeer extends Peer {
  /** Path of each request and the DIDs in it. */
  readonly requests: readonly { readonly path: string; readonly did: string; readonly oracleDid?: string }[];
}

/** `userOf`: the Matrix user of a DID. */
export async function startRoomsBot(accounts: MatrixAccounts, userOf: (did: string) => string): Promise<RoomsBotPeer> {
  const requests: { path: string; did: string; oracleDid?: string }[] = [];

  function room(id: string, user: string): string {
    const existing = accounts.rooms.get(id) ?? { members: new Map(), powerLevels: { users: {} } };
    accounts.rooms.set(id, existing);
    if (existing.members.get(user) !== "join") existing.members.set(user, "invite");
    existing.powerLevels = { ...existing.powerLevels, users: { ...existing.powerLevels.users, [user]: 100 } };
    return id;
  }

  function answer(path: string, authorization: string | undefined, body: Record<string, string>): MatrixAnswer {
    const { did = "", oracleDid } = body;
    requests.push({ path, did, ...(oracleDid === undefined ? {} : { oracleDid }) });
    const [server, user] = [accounts.serverName, userOf(did)];
    const name = did.replaceAll(":", "-");
    if (path === "/spaces/source") {
      const subspaces = Object.fromEntries(
        ["oracles", "projects"].map((kind) => [kind, { space_id: room(`!${kind}-${name}:${server}`, user) }]),
      );
      return [200, { space_id: room(`!main-${name}:${server}`, user), subspaces }];
    }
    if (path !== "/spaces/oracle/create" || oracleDid === undefined)
      return matrixError(404, "M_NOT_FOUND", "Not found");
    if (accounts.users.get(String(authorization).replace(/^Bearer /, "")) !== user)
      return matrixError(401, "M_UNKNOWN_TOKEN", "Unrecognised access token");
    const roomId = room(`!oracle-${name}:${server}`, user);
    accounts.aliases.set(`#${name}_${oracleDid.replaceAll(":", "-")}:${server}`, roomId);
    return [200, { roomId }];
  }

  const server = await startLocalServer((request, body, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*").setHeader("Access-Control-Allow-Headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    const [status, value] = answer(String(request.url), request.headers.authorization, JSON.parse(body || "{}"));
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  });
  return { name: "rooms bot", url: server.origin, variables: {}, requests, stop: () => server.close() };
}
