/** Deletes a user's data at the oracle, which could not be deleted after the key of their identity is gone. */
import { hasStatus } from "../api/api-failure.ts";

/** A request in the name of an identity; it rejects with ApiFailure. */
export type OracleRequest = <Answer>(path: string, method: "GET" | "DELETE") => Promise<Answer>;

interface SessionsPage {
  readonly sessions: readonly { readonly sessionId: string }[];
}

/** Deletes the user's conversations, and what the oracle remembers of them. */
export async function deleteEverything(request: OracleRequest): Promise<void> {
  for (;;) {
    const { sessions } = await request<SessionsPage>("/sessions", "GET");
    if (sessions.length === 0) break;
    for (const { sessionId } of sessions) await request(`/sessions/${encodeURIComponent(sessionId)}`, "DELETE");
  }
  try {
    await request("/memory", "DELETE");
  } catch (error) {
    // A host whose plugin "memory" is off has no such path.
    if (!hasStatus(error, 404)) throw error;
  }
}
