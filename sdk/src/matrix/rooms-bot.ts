/** The bot that makes a user's space and their rooms with oracles. */
import { memberOf, requestJson, textOf } from "./json-request.ts";

export interface RoomsBot {
  /** `https://rooms.bot.mx.example`. */
  readonly url: string;
  /** Of the user's Matrix account. */
  readonly accessToken: string;
  readonly fetch?: typeof fetch | undefined;
}

const SERVICE = "The rooms bot";

/** The user's main space first, then the spaces in it; the bot makes what is missing. */
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

/** The room of the user and the oracle, made when it is missing; its members are invited. */
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
