/** Deletes a user's data at the oracle, which cannot be deleted without the identity's key. */
import { hasStatus } from "../api/api-failure.ts";

/** A request signed by an identity; it rejects with ApiFailure. */
export type OracleRequest = <Answer>(path: string, method: "GET" | "DELETE") => Promise<Answer>;

interface SessionsPage {
  readonly sessions: readonly { readonly sessionId: string }[];
}

/** Deletes the user's conversations, and the oracle's memory of them. */
export async function deleteEverything(request: OracleRequest): Promise<void> {
  for (;;) {
    const { sessions } = await request<SessionsPage>("/sessions", "GET");
    if (sessions.length === 0) break;
    for (const { sessionId } of sessions) await request(`/sessions/${encodeURIComponent(sessionId)}`, "DELETE");
  }
  try {
    await request("/memory", "DELETE");
  } catch (error) {
    // A host with the plugin "memory" off does not have this path.
    if (!hasStatus(error, 404)) throw error;
  }
}
