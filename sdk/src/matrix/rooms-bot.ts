/** The bot that creates a user's space and their rooms with oracles. */
import { memberOf, requestJson, textOf } from "./json-request.ts";

export interface RoomsBot {
  /** `https://rooms.bot.mx.example`. */
  readonly url: string;
  /** The access token of the user's Matrix account. */
  readonly accessToken: string;
  readonly fetch?: typeof fetch | undefined;
}

const SERVICE = "The rooms bot";

/** The user's main space, followed by the spaces in it. The bot creates the missing ones. */
export async function userSpaces(bot: RoomsBot, userDid: string): Promise<readonly string[]> {
  const answer = await requestJson(`${bot.url}/spaces/source`, {
    method: "POST",
    body: { did: userDid },
    service: SERVICE,
    fetch: bot.fetch,
  });
  const inner = Object.values(memberOf(answer, "subspaces") ?? {}) as unknown[];
  const ids = inner.map((space) => memberOf(space, "space_id")).filter((id) => typeof id === "string");
  return [textOf(answer, "space_id", SERVICE), ...ids];
}

/** The room of the user and the oracle. The bot creates it if it does not exist, and invites its members. */
export async function oracleRoom(bot: RoomsBot, userDid: string, oracleDid: string): Promise<string> {
  const answer = await requestJson(`${bot.url}/spaces/oracle/create`, {
    method: "POST",
    body: { did: userDid, oracleDid },
    accessToken: bot.accessToken,
    service: SERVICE,
    fetch: bot.fetch,
  });
  return textOf(answer, "roomId", SERVICE);
}
