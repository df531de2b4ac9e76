/** The names of Matrix: servers, users and rooms, as they appear in wallets, DIDs and chain records. Pure. */

/**
 * `https://mx.example`, from a name with or without `https://` and slashes. Records on the chain may also contain
 * blanks.
 */
export function homeServerUrl(homeServer: string): string {
  const text = homeServer.replaceAll(/\s+/g, "").replace(/\/+$/, "");
  return /^https?:\/\//.test(text) ? text : `https://${text}`;
}

/** `mx.example`, or `mx.example:8448`: the last part of ids. */
export function serverName(homeServer: string): string {
  return homeServerUrl(homeServer)
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "");
}

/** The address of a homeserver's bot that creates rooms. */
export function roomsBotUrl(homeServer: string): string {
  return `https://rooms.bot.${serverName(homeServer).replace(/:\d+$/, "")}`;
}

/** The server's name in `@user:server`. Throws if the text is not a user's id. */
export function serverOfUser(userId: string): string {
  const [, server] = /^@[^:]+:(.+)$/.exec(userId) ?? [];
  if (server === undefined) throw new Error(`"${userId}" is not the id of a Matrix user`);
  return server;
}

/** The Matrix user of an account on the chain. */
export function userOfAddress(address: string, homeServer: string): string {
  return `@did-ixo-${address}:${serverName(homeServer)}`;
}

/** The alias of the room of a user and an oracle. */
export function oracleRoomAlias(userDid: string, oracleDid: string, homeServer: string): string {
  return `#${dashed(userDid)}_${dashed(oracleDid)}:${serverName(homeServer)}`;
}

function dashed(did: string): string {
  return did.replaceAll(":", "-");
}
