/**
 * Which servers are down, in the oracle's own storage, so that `/health` has it in every isolate: written only when it changes, in
 * the background. Also stores which warnings a user has received.
 */
import type { JsonObject } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { McpServer } from "./settings.ts";

/** The state that this isolate has last stored, by server. */
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

/** Names, times and whether sign-in is required; no addresses. */
export async function describeHealth(kv: PluginKv, servers: readonly McpServer[]): Promise<JsonObject> {
  const { keys } = await kv.list("down/");
  const rows = servers.map(async ({ name, auth }): Promise<JsonObject> => {
    const known = { name, ...(auth === "oauth" && { auth }) };
    if (!keys.includes(keyOf(name))) return { ...known, reachable: true };
    return { ...known, reachable: false, since: (await kv.get(keyOf(name))) ?? "" };
  });
  return { servers: await Promise.all(rows) };
}

/**
 * Minimum time between two warnings of a user about a server, milliseconds: it may be down for days, in each turn of every session.
 */
export const WARN_AGAIN_MS = 60 * 60 * 1000;

/**
 * Whether to warn this user that the server is down. Warnings are numbered, and each number can be claimed once: of two concurrent
 * turns, one warns.
 */
export async function claimWarning(kv: PluginKv, server: string, now: number): Promise<boolean> {
  const prefix = `warned/${server}/`;
  const { keys } = await kv.list(prefix);
  const last = Math.max(-1, ...keys.map((key) => Number(key.slice(prefix.length))));
  const warnedAt = last < 0 ? undefined : await kv.get(`${prefix}${last}`);
  if (typeof warnedAt === "number" && now < warnedAt + WARN_AGAIN_MS) return false;
  if (!(await kv.setIfAbsent(`${prefix}${last + 1}`, now))) return false;
  for (const key of keys) await kv.delete(key);
  return true;
}
