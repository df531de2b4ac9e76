/** What an oracle keeps of a user, deleted in the user's name: call it before their key is forgotten. */
import { RequestError } from "./errors.ts";
import { segment } from "./http.ts";
import type { OracleClient } from "./oracle-client.ts";

/** Sessions that are listed at a time. */
const PAGE_SIZE = 100;
/** Milliseconds: an oracle that limits requests asks for no longer wait between two of them. */
const LONGEST_WAIT_MS = 60_000;

/** How much was deleted. */
export interface DeletedData {
  readonly sessions: number;
  /** Facts of the memory; 0 of an oracle that has none. */
  readonly facts: number;
}

/**
 * Deletes what the oracle keeps of the client's user: their sessions with all messages, the facts of their memory, their sign-ins
 * at other services and their delegation. Afterwards `clearUserData` forgets the rest on this device. Nobody can delete it any more
 * once the user's key is lost. What cannot be deleted rejects with its reason; call it again then.
 *
 * @param client of the user, who must be able to sign
 * @param options `signal` ends it between two requests
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
    const { sessions } = await patiently(() => client.sessions.list({ limit: PAGE_SIZE }), signal);
    const left = sessions.filter(({ sessionId }) => !deleted.has(sessionId));
    if (left.length === 0) break;
    for (const { sessionId } of left) {
      await patiently(() => known(client.sessions.delete(sessionId)), signal);
      deleted.add(sessionId);
    }
  }
  const remove = <Body>(path: string) =>
    patiently(() => known(client.http.json<Body>(path, { method: "DELETE" })), signal);
  // Behind the sessions, whose turns write facts.
  const memory = await remove<{ readonly deleted: number }>("/memory");
  const signIns = await patiently(() => known(client.http.json<SignIns>("/mcp/oauth")), signal);
  for (const { name, signedIn } of signIns?.servers ?? []) if (signedIn) await remove(`/mcp/oauth/${segment(name)}`);
  await remove("/delegation");
  return { sessions: deleted.size, facts: memory?.deleted ?? 0 };
}

interface SignIns {
  readonly servers?: readonly { readonly name: string; readonly signedIn: boolean }[];
}

/** Undefined for what is not there: a session that another tab deleted, a plugin that the oracle does not have. */
async function known<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Asks again as long as the oracle says when. */
async function patiently<Value>(ask: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
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
