/** The oracle's Durable Objects by session, by run and by user, and the ids that name them. */
import type { ChatSessionRpc } from "../../durable-objects/chat-session/calls.ts";
import type { UserVaultRpc } from "../../durable-objects/user-vault.ts";

/** A lower-case UUID v4. */
export const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** `<sessionId>.<uuid>`; opaque to clients. */
export function isRunId(text: string): boolean {
  const [session = "", run = "", ...rest] = text.split(".");
  return rest.length === 0 && isSessionId(session) && UUID.test(run);
}

/** The session of a well-formed run id. */
export function sessionOfRun(runId: string): string {
  return runId.slice(0, runId.indexOf("."));
}

/** A session's object: its calls, and its sockets via `fetch`. */
type ChatSessionStub = ChatSessionRpc & { fetch(request: Request): Promise<Response> };

/** The binding as it is used here: its generated type would expand the JSON types of the calls without end. */
interface ChatSessions {
  getByName(name: string): ChatSessionStub;
}

export function chatSession(env: Env, sessionId: string): ChatSessionRpc {
  const sessions: unknown = env.CHAT_SESSION;
  return (sessions as ChatSessions).getByName(sessionId);
}

/** The object with this name rejects connections whose session id is invalid. */
const NO_SESSION = "no-session";

/** The object for a connection; the object itself checks that the session exists and belongs to the caller. */
export function socketsOf(env: Env, sessionId: string): Pick<ChatSessionStub, "fetch"> {
  const sessions: unknown = env.CHAT_SESSION;
  return (sessions as ChatSessions).getByName(isSessionId(sessionId) ? sessionId : NO_SESSION);
}

export function userVault(env: Env, did: string): UserVaultRpc {
  return env.USER_VAULT.getByName(did);
}
