/**
 * Which version of each tool a session has been offered. A server that changes a tool under the same name may have been taken
 * over: the session that knew the tool goes on without it, and a new session starts with what there is.
 */
import type { PluginKv } from "../../framework/storage.ts";
import { isVersion, type ListedTool } from "./listed-tool.ts";
import { fullName } from "./tool-names.ts";

/** Sessions of a user whose tools are remembered, the newest: beyond, one counts as new. */
export const MAX_KNOWN_SESSIONS = 1_000;

/** Sessions that an isolate remembers: each is a few kilobytes. */
export const SETTLED_SESSIONS = 500;

/** `server__tool` to the hash that the session knows, and the other one that its user has been shown of. */
type Known = Readonly<Record<string, readonly string[]>>;

export interface ServerTools {
  readonly server: string;
  readonly tools: readonly ListedTool[];
}

export interface CheckedTools<Listed extends ServerTools> {
  /** Without the tools that changed. */
  readonly servers: readonly Listed[];
  /** Full names of tools that are off, whose user has not been shown yet. */
  readonly changed: readonly string[];
}

/** What an isolate remembers of sessions whose tools were all known and unchanged: a fingerprint of them. */
export type SettledSessions = Map<string, string>;

export async function withoutChanged<Listed extends ServerTools>(
  kv: PluginKv,
  sessionId: string,
  servers: readonly Listed[],
  settled: SettledSessions = new Map(),
): Promise<CheckedTools<Listed>> {
  if (servers.every(({ tools }) => tools.length === 0)) return { servers, changed: [] };
  // What a session knows of a tool is never taken back, so that the same tools come to the same.
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

/** Sessions in the order in which they came; their number is bounded, since no session says when it is gone. */
async function forgetOldest(kv: PluginKv, sessionId: string): Promise<void> {
  const order = (await kv.get("known-sessions")) as unknown as readonly string[] | undefined;
  const sessions = [...(order ?? []), sessionId];
  const dropped = sessions.splice(0, Math.max(0, sessions.length - MAX_KNOWN_SESSIONS));
  await kv.set("known-sessions", sessions);
  for (const session of dropped) await kv.delete(`known/${session}`);
}
