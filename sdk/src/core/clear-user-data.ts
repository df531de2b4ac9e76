/** What is left of a user on a device, and its removal when they sign out. */
import { createQueueStore, userKey } from "./chat/queue-store.ts";
import type { QueueStore } from "./client-settings.ts";
import { pageStore } from "./environment.ts";

/** A browser's storage, which says what it holds. */
type ListedStore = Pick<Storage, "length" | "key" | "removeItem">;

/**
 * Forgets what is kept of a user on this device: the messages that were not sent yet and the signed tokens. Call it when they sign out
 * on a device that others use, once their client is disposed of. The key of `createSigner` stays.
 *
 * @param userDid the user's DID
 * @param store where the messages are kept; by default where the SDK keeps them
 * @param tokens where the tokens are kept: `localStorage` by default, null when they are in memory or in a store of your own
 *
 * @example
 * client.dispose();
 * await clearUserData(client.userDid);
 */
export async function clearUserData(
  userDid: string,
  store: QueueStore = createQueueStore(),
  tokens: ListedStore | null = pageStore(),
): Promise<void> {
  if (tokens !== null) forgetTokens(userDid, tokens);
  const own = (await store.keys()).filter((key) => key.startsWith(userKey(userDid)));
  await Promise.all(own.map((key) => store.delete(key)));
}

function forgetTokens(userDid: string, tokens: ListedStore): void {
  const names = Array.from({ length: tokens.length }, (_, index) => tokens.key(index) ?? "");
  const isOwn = (name: string): boolean =>
    name === `twinedge-openid:${userDid}` || /^twinedge (?:delegation|invocation) (\S+) /.exec(name)?.[1] === userDid;
  for (const name of names.filter(isOwn)) tokens.removeItem(name);
}
