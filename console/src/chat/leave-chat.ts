/**
 * Leaves the chat: deletes what an identity has at the oracle, which could not be deleted after its key is gone, and then the
 * key. While something could not be deleted the key stays, so that it can be tried again.
 */
import { createOracleClient, readOracleDid } from "@twinedge/sdk/core";
import { deleteEverything } from "./delete-everything.ts";
import { asApiFailure } from "./failure-facts.ts";
import { forgetIdentity, openIdentity, tellIdentityChanged } from "./identity.ts";

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
