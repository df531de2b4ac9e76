/**
 * Who the user is. The example keeps a separate key in the browser, which is their identity; an application with wallets
 * signs the same two tokens with the wallet's key.
 */
import { createSigner, readOracleDid, type OracleSigner } from "@twinedge/sdk/core";

/** Where the oracle is; `npm run example:chat` sets it. */
export const ORACLE_URL: string = import.meta.env.VITE_ORACLE_URL ?? "http://localhost:3000";

export interface SignedIn {
  readonly signer: OracleSigner;
  readonly oracleDid: string;
}

/** Rejects when the oracle cannot be reached. */
export async function signIn(): Promise<SignedIn> {
  const [signer, oracleDid] = await Promise.all([createSigner(), readOracleDid(ORACLE_URL)]);
  return { signer, oracleDid };
}
