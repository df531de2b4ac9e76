/** A user of a test: a new key, and the signed tokens that prove it. */
import { DID, delegate } from "@ucanto/core";
import { generate } from "@ucanto/principal/ed25519";
import { base64pad } from "multiformats/bases/base64";

/** Lifetime of a token, and how long before its expiry it is replaced, in seconds. */
const TOKEN_SECONDS = 600;
const RENEWED_SECONDS = 60;

/** A right that the user grants for one use. */
export interface InvocationContent {
  readonly can: string;
  readonly with: string;
  /** The oracle by default. */
  readonly audience?: string;
  /** Unix seconds; ten minutes from now by default. */
  readonly expiration?: number;
}

export interface TestUser {
  readonly did: string;
  /** An invocation for one capability, base64 of a CAR, as in a message's `mcpInvocations`; a new one each time. */
  invocation(content: InvocationContent): Promise<string>;
  /** An invocation for the oracle, reused until shortly before it expires. */
  token(): Promise<string>;
}

export async function createTestUser(oracleDid: string): Promise<TestUser> {
  const key = await generate();
  let minted = { text: "", expiration: 0 };

  async function sign(
    audience: string,
    capability: { readonly can: string; readonly with: string },
    expiration: number,
    nonce?: string,
  ): Promise<string> {
    const invocation = await delegate({
      issuer: key,
      audience: DID.parse(audience),
      capabilities: [{ can: capability.can, with: capability.with }] as never,
      expiration,
      ...(nonce === undefined ? {} : { nonce }),
    });
    const archive = await invocation.archive();
    if (archive.error !== undefined) throw archive.error;
    return base64pad.baseEncode(archive.ok);
  }

  return {
    did: key.did(),
    invocation: ({ audience = oracleDid, expiration, ...capability }) =>
      sign(audience, capability, expiration ?? Math.floor(Date.now() / 1000) + TOKEN_SECONDS, crypto.randomUUID()),
    async token() {
      const now = Math.floor(Date.now() / 1000);
      // A test's clock can move in both directions.
      const left = minted.expiration - now;
      if (left > RENEWED_SECONDS && left <= TOKEN_SECONDS) return minted.text;
      const expiration = now + TOKEN_SECONDS;
      minted = { text: await sign(oracleDid, { can: "*", with: "ixo:oracle" }, expiration), expiration };
      return minted.text;
    },
  };
}
