/** A user of a test: a fresh key, and the signed tokens that prove it. */
import { DID, delegate } from "@ucanto/core";
import { generate } from "@ucanto/principal/ed25519";
import { base64pad } from "multiformats/bases/base64";

/** How long a token is good for, and when it is replaced before that, seconds. */
const TOKEN_SECONDS = 600;
const RENEWED_SECONDS = 60;

export interface TestUser {
  readonly did: string;
  /** An invocation for the oracle; the same one until shortly before it expires. */
  token(): Promise<string>;
}

export async function createTestUser(oracleDid: string): Promise<TestUser> {
  const key = await generate();
  let minted = { text: "", expiration: 0 };
  return {
    did: key.did(),
    async token() {
      const now = Math.floor(Date.now() / 1000);
      // The clock of a test may go in both directions.
      const left = minted.expiration - now;
      if (left > RENEWED_SECONDS && left <= TOKEN_SECONDS) return minted.text;
      const expiration = now + TOKEN_SECONDS;
      const invocation = await delegate({
        issuer: key,
        audience: DID.parse(oracleDid),
        capabilities: [{ can: "*", with: "ixo:oracle" }],
        expiration,
      });
      const archive = await invocation.archive();
      if (archive.error !== undefined) throw archive.error;
      minted = { text: base64pad.baseEncode(archive.ok), expiration };
      return minted.text;
    },
  };
}
