/**
 * Leaves the chat: deletes the identity's data at the oracle, and then the key, without which the data could not be deleted. If
 * something cannot be deleted, the key stays, so that the user can retry.
 */
import { createOracleClient, readOracleDid } from "@twinedge/sdk/core";
import { deleteEverything } from "./delete-everything.ts";
import { asApiFailure } from "./failure-facts.ts";
import { forgetIdentity, openIdentity, tellIdentityChanged } from "./identity.ts";

/** Leaves with this browser's identity, from any screen. */
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
