/**
 * The oracle's Durable Objects as the surface reaches them: by session, by run and by user. An id that cannot name a
 * session never reaches an object, so that guessing costs nothing and makes nothing.
 */
import type { ChatSessionRpc } from "../../durable-objects/chat-session/calls.ts";
import type { UserStoreRpc } from "../../durable-objects/user-store.ts";
import * as z from "zod";

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A lower-case UUID v4. */
export const sessionIdSchema = z
  .string()
  .regex(SESSION_ID)
  .meta({ description: "The session, a lower-case UUID v4.", format: "uuid" });

/** `<sessionId>.<uuid>`; opaque to clients. */
export const runIdSchema = z
  .string()
  .refine(isRunId)
  .meta({ description: "The run, as the header `x-run-id` or a `run` frame gave it." });

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

function isRunId(text: string): boolean {
  const [session = "", run = "", ...rest] = text.split(".");
  return rest.length === 0 && isSessionId(session) && UUID.test(run);
}

/** The session that a well-formed run id belongs to. */
export function sessionOfRun(runId: string): string {
  return runId.slice(0, runId.indexOf("."));
}

/** A session's object: its calls, and its sockets by `fetch`. */
type ChatSessionStub = ChatSessionRpc & { fetch(request: Request): Promise<Response> };

/** The binding as we use it: its generated type would follow the calls' JSON types without end. */
interface ChatSessions {
  getByName(name: string): ChatSessionStub;
}

export function chatSession(env: Env, sessionId: string): ChatSessionRpc {
  const sessions: unknown = env.CHAT_SESSION;
  return (sessions as ChatSessions).getByName(sessionId);
}

/** No session's name, so its object knows no session: refusals that have no session of their own are told by it. */
const NO_SESSION = "no-session";

/** The object that a connection leads to; whether the session is there and the caller's is the object's to say. */
export function socketsOf(env: Env, sessionId: string): Pick<ChatSessionStub, "fetch"> {
  const sessions: unknown = env.CHAT_SESSION;
  return (sessions as ChatSessions).getByName(isSessionId(sessionId) ? sessionId : NO_SESSION);
}

export function userStore(env: Env, did: string): UserStoreRpc {
  return env.USER_VAULT.getByName(did);
}
