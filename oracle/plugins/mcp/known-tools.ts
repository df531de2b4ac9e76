/**
 * Which version of each tool a session has been offered. A server that changes a tool under its old name may have been compromised:
 * a session that knew the tool continues without it, and a new session starts with the current version.
 */
import type { PluginKv } from "../../framework/storage.ts";
import { isVersion, type ListedTool } from "./listed-tool.ts";
import { fullName } from "./tool-names.ts";

/** How many of a user's newest sessions are remembered; older ones count as new. */
export const MAX_KNOWN_SESSIONS = 1_000;

/** How many sessions an isolate caches: each takes a few kilobytes. */
export const SETTLED_SESSIONS = 500;

/** `server__tool` to the hash that the session knows, and the other hash that its user was warned of. */
type Known = Readonly<Record<string, readonly string[]>>;

export interface ServerTools {
  readonly server: string;
  readonly tools: readonly ListedTool[];
}

export interface CheckedTools<Listed extends ServerTools> {
  /** The servers without their changed tools. */
  readonly servers: readonly Listed[];
  /** Full names of disabled tools that the user has not been warned of yet. */
  readonly changed: readonly string[];
}

/** Sessions whose tools were all known and unchanged, with a fingerprint of these tools, cached by the isolate. */
export type SettledSessions = Map<string, string>;

export async function withoutChanged<Listed extends ServerTools>(
  kv: PluginKv,
  sessionId: string,
  servers: readonly Listed[],
  settled: SettledSessions = new Map(),
): Promise<CheckedTools<Listed>> {
  if (servers.every(({ tools }) => tools.length === 0)) return { servers, changed: [] };
  // A session never forgets a tool, so an equal fingerprint gives an equal result.
  const fingerprint = fingerprintOf(servers);
  if (settled.get(sessionId) === fingerprint) return { servers, changed: [] };
  const checked = await check(kv, sessionId, servers);
  if (fingerprintOf(checked.servers) === fingerprint) {
    settled.delete(sessionId);
    settled.set(sessionId, fingerprint);
    const [oldest] = settled.keys();
    if (settled.size > SETTLED_SESSIONS && oldest !== undefined) settled.delete(oldest);
  }
  return checked;
}

function fingerprintOf(servers: readonly ServerTools[]): string {
  return servers
    .flatMap(({ server, tools }) => tools.map(({ name, hash }) => `${fullName(server, name)} ${hash}`))
    .join("\n");
}

async function check<Listed extends ServerTools>(
  kv: PluginKv,
  sessionId: string,
  servers: readonly Listed[],
): Promise<CheckedTools<Listed>> {
  const key = `known/${sessionId}`;
  const stored = (await kv.get(key)) as unknown as Known | undefined;
  const known = new Map(Object.entries(stored ?? {}));
  const changed: string[] = [];
  let isNew = false;
  const kept = servers.map((listed) => ({
    ...listed,
    tools: listed.tools.filter((tool) => {
      const { name, hash } = tool;
      const full = fullName(listed.server, name);
      const [before, shown] = known.get(full) ?? [];
      if (before === hash) return true;
      if (before !== undefined && shown === hash) return false;
      isNew = true;
      const isKnown = isVersion(tool, before);
      known.set(full, before === undefined || isKnown ? [hash] : [before, hash]);
      if (before === undefined || isKnown) return true;
      changed.push(full);
      return false;
    }),
  }));
  if (isNew) await kv.set(key, Object.fromEntries([...known].map(([name, hashes]) => [name, [...hashes]])));
  if (stored === undefined) await forgetOldest(kv, sessionId);
  return { servers: kept, changed };
}

/** Sessions in order of arrival. Their number is limited, since the end of a session is not reported. */
async function forgetOldest(kv: PluginKv, sessionId: string): Promise<void> {
  const order = (await kv.get("known-sessions")) as unknown as readonly string[] | undefined;
  const sessions = [...(order ?? []), sessionId];
  const dropped = sessions.splice(0, Math.max(0, sessions.length - MAX_KNOWN_SESSIONS));
  await kv.set("known-sessions", sessions);
  for (const session of dropped) await kv.delete(`known/${session}`);
}
