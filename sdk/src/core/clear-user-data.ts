/** Deletes a user's data from a device when the user signs out. */
import { createQueueStore, userKey } from "./chat/queue-store.ts";
import type { QueueStore } from "./client-settings.ts";
import { pageStore } from "./environment.ts";

/** A browser's storage whose keys can be listed. */
type ListedStore = Pick<Storage, "length" | "key" | "removeItem">;

/**
 * Deletes a user's data from this device: unsent messages and signed tokens. On a shared device, call it when the user
 * signs out, after you have disposed of the client. The key of `createSigner` stays.
 *
 * @param userDid the user's DID
 * @param store the store of the messages; default: the SDK's own store
 * @param tokens the store of the tokens; default: `localStorage`. Pass null if the tokens are in memory or in your
 * own store
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
