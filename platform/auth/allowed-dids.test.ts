/** An oracle that accepts only some DIDs. */
import { describe, expect, it } from "vitest";
import { issue, mintDelegation, mintInvocation, signer, tokenOf } from "../../test/support/auth/ucan.ts";
import { createAuthenticator, NOT_ALLOWED } from "./authenticator.ts";
import { createDidResolver } from "./did-resolver.ts";

const ORACLE = "did:ixo:ixo1oracletest";
const NOW = 1_800_000_000;
const user = await signer(1);
const other = await signer(2);
const resolve = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock: () => 0 });
const invocation = await mintInvocation(user, ORACLE, NOW + 600);
const expired = await mintInvocation(user, ORACLE, NOW);
const delegation = await mintDelegation(user, ORACLE, NOW + 6000);

const signedIn = { ok: true, value: { did: user.did() } };
const beside = { ok: true, value: { did: user.did(), delegation: expect.objectContaining({ issuer: user.did() }) } };
const byDelegation = { ok: true, value: { ...beside.value, isProvenByDelegation: true } };

describe("a list of the DIDs that can sign in [OR-611]", () => {
  const allowing = (...allowedDids: readonly string[]) =>
    createAuthenticator({ audiences: [ORACLE], resolver: resolve, clock: () => NOW * 1000, allowedDids });
  const notAllowed = { ok: false, error: { code: "forbidden", message: NOT_ALLOWED, reason: "not_allowed" } };

  it("accepts its DIDs with any kind of proof, and no other DID", async () => {
    const named = allowing(user.did());
    const unnamed = allowing(other.did());
    for (const [tokens, outcome] of [
      [{ invocation }, signedIn],
      [{ invocation, delegation }, beside],
      [{ delegation }, byDelegation],
    ] as const) {
      expect(await named.authenticateTokens(tokens)).toEqual(outcome);
      // The second time from the cache.
      expect(await unnamed.authenticateTokens(tokens)).toEqual(notAllowed);
      expect(await unnamed.authenticateTokens(tokens)).toEqual(notAllowed);
    }
    const stale = { invocation: expired, delegation };
    expect(await named.authenticateHandshake(stale)).toEqual(byDelegation);
    expect(await unnamed.authenticateHandshake(stale)).toEqual(notAllowed);
  });

  it("accepts a caller to whom a listed DID delegated the capability, and no caller who only cites one", async () => {
    const given = async (capabilities: readonly { can: string; with: string }[]) =>
      issue({ issuer: other, audience: user.did(), expiration: NOW + 600, capabilities });
    const by = async (proof: Awaited<ReturnType<typeof given>>) =>
      tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: NOW + 600, proofs: [proof] }));
    const oracle = await by(await given([{ can: "*", with: "ixo:oracle" }]));
    expect(await allowing(other.did()).authenticateTokens({ invocation: oracle })).toEqual(signedIn);
    const memory = await by(await given([{ can: "memory/*", with: "ixo:memory" }]));
    expect(await allowing(other.did()).authenticateTokens({ invocation: memory })).toMatchObject({ ok: false });
  });
});
