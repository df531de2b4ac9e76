/** The Matrix account of the message's sender. The token is sent only to the homeserver that the sender named with it. */
import type { RequestContext } from "../../framework/context.ts";
import type { Account } from "./matrix-client.ts";

/** Undefined unless both are given. The address is checked where it is called. */
export function callerOf({
  homeServer,
  matrixAccessToken: token,
}: Pick<RequestContext["request"], "homeServer" | "matrixAccessToken">): Account | undefined {
  if (homeServer === undefined || token === undefined || token === "") return undefined;
  const homeserver = URL.parse(/^https?:\/\//i.test(homeServer) ? homeServer : `https://${homeServer}`);
  return homeserver === null ? undefined : { homeserver, token };
}
