/** The names of Matrix: servers, users and rooms, as wallets, DIDs and the chain's records give them. Pure. */

/** `https://mx.example`, of a name with or without `https://` and slashes; records on the chain also have blanks in them. */
export function homeServerUrl(homeServer: string): string {
  const text = homeServer.replaceAll(/\s+/g, "").replace(/\/+$/, "");
  return /^https?:\/\//.test(text) ? text : `https://${text}`;
}

/** `mx.example`, or `mx.example:8448`: what ids end in. */
export function serverName(homeServer: string): string {
  return homeServerUrl(homeServer)
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "");
}

/** Where the bot of a homeserver is that makes rooms. */
export function roomsBotUrl(homeServer: string): string {
  return `https://rooms.bot.${serverName(homeServer).replace(/:\d+$/, "")}`;
}

/** The server's name in `@user:server`; throws for what is no user's id. */
export function serverOfUser(userId: string): string {
  const [, server] = /^@[^:]+:(.+)$/.exec(userId) ?? [];
  if (server === undefined) throw new Error(`"${userId}" is not the id of a Matrix user`);
  return server;
}

/** The Matrix user of an account on the chain. */
export function userOfAddress(address: string, homeServer: string): string {
  return `@did-ixo-${address}:${serverName(homeServer)}`;
}

/** The room of a user and an oracle. */
export function oracleRoomAlias(userDid: string, oracleDid: string, homeServer: string): string {
  return `#${dashed(userDid)}_${dashed(oracleDid)}:${serverName(homeServer)}`;
}

function dashed(did: string): string {
  return did.replaceAll(":", "-");
}
