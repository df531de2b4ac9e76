/**
 * Which servers are down, in the oracle's own storage, so that `/health` knows it in every isolate. Written only when it changes;
 * nothing waits for it.
 */
import type { JsonObject } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { McpServer } from "./settings.ts";

/** What this isolate has stored last, by server. */
export type KnownHealth = Map<string, boolean>;

const keyOf = (server: string): string => `down/${server}`;

export async function noteHealth(
  kv: PluginKv,
  known: KnownHealth,
  server: string,
  isUp: boolean,
  now: number,
): Promise<void> {
  if (known.get(server) === isUp) return;
  known.set(server, isUp);
  try {
    if (isUp) await kv.delete(keyOf(server));
    else await kv.setIfAbsent(keyOf(server), new Date(now).toISOString());
  } catch (thrown) {
    known.delete(server);
    throw thrown;
  }
}

/** Names, times and which ones need a sign-in, no addresses. */
export async function describeHealth(kv: PluginKv, servers: readonly McpServer[]): Promise<JsonObject> {
  const { keys } = await kv.list("down/");
  const rows = servers.map(async ({ name, auth }): Promise<JsonObject> => {
    const known = { name, ...(auth === "oauth" && { auth }) };
    if (!keys.includes(keyOf(name))) return { ...known, reachable: true };
    return { ...known, reachable: false, since: (await kv.get(keyOf(name))) ?? "" };
  });
  return { servers: await Promise.all(rows) };
}
