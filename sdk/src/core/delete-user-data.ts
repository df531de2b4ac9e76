/**
 * Deletes the data that an oracle stores about a user. It needs the user's signature, so call it before the key is
 * deleted.
 */
import { RequestError } from "./errors.ts";
import { segment } from "./http.ts";
import type { OracleClient } from "./oracle-client.ts";

/** Sessions per page of the list. */
const PAGE_SIZE = 100;
/** Milliseconds: the longest wait that a rate-limited oracle requests. */
const LONGEST_WAIT_MS = 60_000;

/** The number of deleted records. */
export interface DeletedData {
  readonly sessions: number;
  /** Facts of the memory; 0 if the oracle has no memory. */
  readonly facts: number;
}

/**
 * Deletes the data that the oracle stores about the client's user: sessions with all messages, facts of the memory,
 * sign-ins at other services, and the delegation. Then call `clearUserData` to delete the rest on this device. Without
 * the user's key, this data cannot be deleted. If a deletion fails, the function rejects with the reason; call it
 * again.
 *
 * @param client the client of the user, who must be able to sign
 * @param options `signal` stops the deletion between two requests
 *
 * @example
 * await deleteUserData(client);
 * client.dispose();
 * await clearUserData(client.userDid);
 */
export async function deleteUserData(
  client: Pick<OracleClient, "http" | "sessions">,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<DeletedData> {
  const deleted = new Set<string>();
  for (;;) {
    const { sessions } = await withRetry(() => client.sessions.list({ limit: PAGE_SIZE }), signal);
    const left = sessions.filter(({ sessionId }) => !deleted.has(sessionId));
    if (left.length === 0) break;
    for (const { sessionId } of left) {
      await withRetry(() => unlessMissing(client.sessions.delete(sessionId)), signal);
      deleted.add(sessionId);
    }
  }
  const remove = <Body>(path: string) =>
    withRetry(() => unlessMissing(client.http.json<Body>(path, { method: "DELETE" })), signal);
  // After the sessions, because their turns write facts.
  const memory = await remove<{ readonly deleted: number }>("/memory");
  const signIns = await withRetry(() => unlessMissing(client.http.json<SignIns>("/mcp/oauth")), signal);
  for (const { name, signedIn } of signIns?.servers ?? []) if (signedIn) await remove(`/mcp/oauth/${segment(name)}`);
  await remove("/delegation");
  return { sessions: deleted.size, facts: memory?.deleted ?? 0 };
}

interface SignIns {
  readonly servers?: readonly { readonly name: string; readonly signedIn: boolean }[];
}

/**
 * Undefined if the resource does not exist, for example because another tab deleted the session or the oracle does not
 * have the plugin.
 */
async function unlessMissing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Retries as long as the oracle sends a retry time. */
async function withRetry<Value>(ask: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const wait = error instanceof RequestError && error.status === 429 ? error.retryAfterMs : undefined;
      if (wait === undefined || wait > LONGEST_WAIT_MS) throw error;
      await new Promise<void>((resolve) => void setTimeout(resolve, wait));
    }
  }
}
