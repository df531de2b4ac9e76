/**
 * Leaves the chat: deletes what an identity has at the oracle, which nobody could delete once its key is gone, and then the key. While
 * something could not be deleted the key stays, so that it can be tried again.
 */
import { createOracleClient, readOracleDid } from "@twinedge/sdk/core";
import { hasStatus } from "../api/api-failure.ts";
import { asApiFailure } from "./failure-facts.ts";
import { forgetIdentity, openIdentity, tellIdentityChanged } from "./identity.ts";

/** A request in the name of an identity; it rejects with ApiFailure. */
export type OracleRequest = <Answer>(path: string, method: "GET" | "DELETE") => Promise<Answer>;

interface SessionsPage {
  readonly sessions: readonly { readonly sessionId: string }[];
}

/** Leaves as the identity of this browser, on whatever screen somebody is. */
export async function leaveChat(): Promise<void> {
  const [identity, oracleDid] = await Promise.all([openIdentity(), readOracleDid(location.origin)]);
  const { signer } = identity;
  const endpoints = { apiUrl: location.origin };
  const client = createOracleClient({ oracleDid, userDid: signer.did, endpoints, tokenStore: null, ...signer });
  try {
    await deleteEverything(async (path, method) => {
      try {
        return await client.http.json(path, { method });
      } catch (error) {
        throw asApiFailure(error);
      }
    });
  } finally {
    client.dispose();
  }
  await forgetIdentity(identity);
  tellIdentityChanged();
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
