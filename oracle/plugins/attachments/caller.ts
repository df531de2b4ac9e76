/** The Matrix account of whoever sent the message: their token goes to the homeserver that they named with it, and nowhere else. */
import type { RequestContext } from "../../framework/context.ts";
import type { Account } from "./matrix-client.ts";

/** Undefined unless there are both. Whether the address may be called is checked where it is. */
export function callerOf({
  homeServer,
  matrixAccessToken: token,
}: Pick<RequestContext["request"], "homeServer" | "matrixAccessToken">): Account | undefined {
  if (homeServer === undefined || token === undefined || token === "") return undefined;
  const homeserver = URL.parse(/^https?:\/\//i.test(homeServer) ? homeServer : `https://${homeServer}`);
  return homeserver === null ? undefined : { homeserver, token };
}
