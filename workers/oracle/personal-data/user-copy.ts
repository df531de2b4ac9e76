/**
 * A copy of a user's data as NDJSON: one JSON object per line, each with a `kind`. It is written while the client reads, page by
 * page, because all transcripts of a user fit neither memory nor one call.
 */
import { END_OF_COPY, ndjsonOf } from "../../../platform/http/ndjson.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { describeThrown } from "../../../platform/log.ts";
import { outsideContext, type OutsideParts } from "../outside-context.ts";
import { chatSession, userVault } from "../objects.ts";
import type { ErasurePlugin } from "./erase-user.ts";

export interface CopyParts {
  readonly plugins: readonly ErasurePlugin[];
  readonly outside: OutsideParts;
}

/** Sessions and turns per page. Nearly all users have one page of sessions, so a deletion meanwhile hides no other. */
const SESSIONS = 1_000;
const TURNS = 100;

/** Rejects if the user's object cannot be reached; a later failure breaks the stream off. */
export function copyOf(parts: CopyParts, did: string): Promise<ReadableStream<Uint8Array>> {
  return ndjsonOf(completeCopyOf(parts, did), (thrown) =>
    parts.outside.logger.error("user-copy-failed", { reason: describeThrown(thrown) }),
  );
}

async function* completeCopyOf(parts: CopyParts, did: string): AsyncGenerator<JsonObject> {
  yield* recordsOf(parts, did);
  yield END_OF_COPY;
}

/** All records but the last line. */
export async function* recordsOf({ plugins, outside }: CopyParts, did: string): AsyncGenerator<JsonObject> {
  const { env, clock } = outside;
  const vault = userVault(env, did);
  const delegation = await vault.readDelegation();
  yield { kind: "user", did, copiedAt: new Date(clock()).toISOString() };
  // The token itself is a secret of the user's wallet and of no use in a copy.
  if (delegation !== null)
    yield {
      kind: "delegation",
      expiration: delegation.expiration,
      storedAt: delegation.storedAt,
      capabilities: delegation.capabilities.map(({ can, with: resource }) => ({ can, with: resource })),
    };
  for (const { plugin, context } of plugins) {
    const records = plugin.exportUser?.(did, outsideContext({ plugin, context }, outside));
    if (records !== undefined) for await (const data of records) yield { kind: "plugin", plugin: plugin.name, data };
    let after: number | undefined;
    do {
      const page = await vault.listPluginTexts(plugin.name, after);
      for (const { id, text, details, storedAt } of page.texts)
        yield {
          kind: "text",
          plugin: plugin.name,
          id,
          text,
          details: JSON.parse(details) as JsonObject,
          storedAt: new Date(storedAt).toISOString(),
        };
      after = page.after;
    } while (after !== undefined);
  }
  yield* sessionsOf(env, did);
}

async function* sessionsOf(env: Env, did: string): AsyncGenerator<JsonObject> {
  const vault = userVault(env, did);
  const seen = new Set<string>();
  for (let offset = 0; ; offset += SESSIONS) {
    const page = await vault.listSessions(Infinity, { limit: SESSIONS, offset });
    const sessions = page.value?.sessions ?? [];
    for (const session of sessions) {
      // A session that is used meanwhile moves to the front of the list.
      if (seen.has(session.sessionId)) continue;
      seen.add(session.sessionId);
      yield { kind: "session", ...session };
      yield* messagesOf(env, did, session.sessionId);
    }
    if (sessions.length < SESSIONS) return;
  }
}

async function* messagesOf(env: Env, did: string, sessionId: string): AsyncGenerator<JsonObject> {
  const written = new Set<string>();
  let after: string | undefined;
  for (;;) {
    const position = after === undefined ? { fromStart: true as const } : { after };
    const page = await chatSession(env, sessionId).messagePage(did, { limit: TURNS, ...position });
    // The session was deleted meanwhile.
    if (!page.ok) return;
    for (const message of page.value.messages) {
      // The next page repeats turns that had not ended.
      if (written.has(message.id)) continue;
      written.add(message.id);
      yield { kind: "message", sessionId, message: message };
    }
    const { hasNewer, nextCursor } = page.value;
    if (!hasNewer || nextCursor === null || nextCursor === after) return;
    after = nextCursor;
  }
}
