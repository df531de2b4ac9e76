/** How long verifications count: outages of the resolver, cached results, revoked delegations. */
import { describe, expect, it } from "vitest";
import { issue, mintDelegation, mintInvocation, signer, tokenOf } from "../../test/support/auth/ucan.ts";
import { newFailure } from "../failure.ts";
import { createAuthenticator, REVOCATION_CHECK_LIFETIME } from "./authenticator.ts";
import { createDidResolver, type KeyResolver } from "./did-resolver.ts";
import {
  ORACLE,
  NOW,
  user,
  other,
  resolve,
  authenticatorAt,
  invocation,
  expired,
  delegation,
  forged,
  invalid,
  invalidDelegation,
  alone,
  byDelegation,
} from "../../test/support/auth/signed-callers.ts";

const ixoUser = await signer(1, "did:ixo:ixo1user");
const ixoInvocation = await mintInvocation(ixoUser, ORACLE, NOW + 600);
const ixoDelegation = await mintDelegation(ixoUser, ORACLE, NOW + 600);

const down: KeyResolver = (did) =>
  did.startsWith("did:key:") ? resolve(did) : Promise.resolve({ ok: false, error: "unresolvable" });

describe("an outage of the resolver [OR-28]", () => {
  const deaf = authenticatorAt(() => NOW, down);
  const unavailable = {
    ok: false,
    error: newFailure("unavailable", "Identity resolution unavailable", { retryAfter: 5 }),
  };

  it("is a 503, not a 401", async () => {
    expect(await deaf.authenticateTokens({ invocation: ixoInvocation })).toEqual(unavailable);
    expect(await deaf.authenticateTokens({ delegation: ixoDelegation })).toEqual(unavailable);
    expect(await deaf.verifyDelegation(ixoDelegation, ixoUser.did())).toEqual(unavailable);
  });

  it("costs a caller who is known otherwise only the delegation", async () => {
    expect(await deaf.authenticateTokens({ invocation, delegation: ixoDelegation })).toEqual(alone);
  });

  it("is over when it is over", async () => {
    let isDown = true;
    const back = authenticatorAt(
      () => NOW,
      (did) => (isDown ? down(did) : resolve(user.did())),
    );
    expect(await back.authenticateTokens({ invocation: ixoInvocation })).toEqual(unavailable);
    isDown = false;
    expect(await back.authenticateTokens({ invocation: ixoInvocation })).toEqual({
      ok: true,
      value: { did: "did:ixo:ixo1user" },
    });
  });
});

function countingResolver() {
  let lookups = 0;
  const resolver: KeyResolver = (did) => {
    lookups += 1;
    return resolve(did);
  };
  return { resolver, lookups: () => lookups };
}

describe("verifications [OR-20]", () => {
  it("are kept until the token expires and not a second longer", async () => {
    let now = NOW;
    const { resolver, lookups } = countingResolver();
    const patient = authenticatorAt(() => now, resolver);
    await patient.authenticateTokens({ invocation });
    now = NOW + 599;
    expect(await patient.authenticateTokens({ invocation })).toEqual(alone);
    expect(lookups()).toBe(1);
    now = NOW + 600;
    expect(await patient.authenticateTokens({ invocation })).toEqual(invalid("expired"));
  });

  it.each(["invocation", "delegation"] as const)(
    "of a token with any issuer whose keys can change, here an %s's, are kept for a minute at most [OR-542]",
    async (kind) => {
      let now = NOW;
      const keys = { "did:ixo:ixo1user": [user.did()], "did:ixo:ixo1granter": [other.did()] };
      const removable = { ...keys };
      const resolver: KeyResolver = (did) =>
        createDidResolver({
          staticKeys: removable,
          fetch: () => Promise.reject(new Error("offline")),
          clock: () => now * 1000,
        })(did);
      const patient = authenticatorAt(() => now, resolver);
      const granter = await signer(2, "did:ixo:ixo1granter");
      const proof = await issue({ issuer: granter, audience: user.did(), expiration: NOW + 6000 });
      const chained = await tokenOf(
        await issue({ issuer: user, audience: ORACLE, expiration: NOW + 600, proofs: [proof] }),
      );
      const own = kind === "invocation" ? ixoInvocation : ixoDelegation;
      const isAccepted = async (token: string) => (await patient.authenticateTokens({ [kind]: token })).ok;
      expect([await isAccepted(own), await isAccepted(chained)]).toEqual([true, true]);
      removable["did:ixo:ixo1user"] = [];
      removable["did:ixo:ixo1granter"] = [];
      now += 59;
      expect([await isAccepted(own), await isAccepted(chained)]).toEqual([true, true]);
      now += 1;
      expect([await isAccepted(own), await isAccepted(chained)]).toEqual([false, false]);
    },
  );

  it("are not kept when negative", async () => {
    const { resolver, lookups } = countingResolver();
    const patient = authenticatorAt(() => NOW, resolver);
    await patient.authenticateTokens({ invocation: forged });
    await patient.authenticateTokens({ invocation: forged });
    expect(lookups()).toBe(2);
  });

  it("on a delegation say nothing of the same token as invocation", async () => {
    const patient = authenticatorAt(() => NOW);
    expect(await patient.authenticateTokens({ delegation })).toEqual(byDelegation);
    expect(await patient.authenticateTokens({ invocation: delegation })).toEqual(invalid("capability"));
  });
});

describe("a revoked delegation", () => {
  function revocable() {
    const state = { revoked: false, asked: 0, now: NOW };
    const authenticator = createAuthenticator({
      audiences: [ORACLE],
      resolver: resolve,
      clock: () => state.now * 1000,
      isRevoked: async (did) => {
        state.asked += 1;
        return state.revoked && did === user.did();
      },
    });
    return { state, authenticator };
  }

  it("is refused after 10 seconds where it was used before, and at once in a handshake [OR-545]", async () => {
    const { state, authenticator: patient } = revocable();
    expect(REVOCATION_CHECK_LIFETIME).toBe(10_000);
    expect(await patient.authenticateTokens({ delegation })).toEqual(byDelegation);
    state.revoked = true;
    state.now += 9;
    expect(await patient.authenticateTokens({ delegation })).toEqual(byDelegation);
    expect(state.asked).toBe(1);
    state.now += 1;
    expect(await patient.authenticateTokens({ delegation })).toEqual(invalidDelegation("revoked"));
    const other = revocable();
    expect(await other.authenticator.authenticateTokens({ delegation })).toEqual(byDelegation);
    other.state.revoked = true;
    expect(await other.authenticator.authenticateHandshake({ delegation })).toEqual(invalidDelegation("revoked"));
    expect(await other.authenticator.authenticateTokens({ delegation })).toEqual(invalidDelegation("revoked"));
  });

  it("is refused at once where it was revoked, and the user's store is not asked again [OR-545]", async () => {
    const { state, authenticator: patient } = revocable();
    const caller = await patient.authenticateTokens({ delegation });
    const cid = caller.ok ? caller.value.delegation?.cid : undefined;
    patient.revoked(user.did(), [cid ?? ""]);
    expect(await patient.authenticateTokens({ delegation })).toEqual(invalidDelegation("revoked"));
    expect(state.asked).toBe(1);
  });

  it("does not sign in as the proof that was taken from an invocation of the oracle, nor beside an expired invocation [OR-544]", async () => {
    const { state, authenticator: patient } = revocable();
    state.revoked = true;
    const oracle = await signer(9, ORACLE);
    const given = await issue({ issuer: user, audience: ORACLE, expiration: NOW + 6000 });
    const sent = await issue({
      issuer: oracle,
      audience: "did:web:memory.example",
      expiration: NOW + 60,
      proofs: [given],
    });
    const [taken] = sent.proofs as (typeof given)[];
    expect(await patient.authenticateTokens({ delegation: await tokenOf(taken ?? sent) })).toEqual(
      invalidDelegation("revoked"),
    );
    expect(await patient.authenticateTokens({ delegation: await tokenOf(sent) })).toEqual(
      invalidDelegation("bad_signature"),
    );
    expect(await patient.authenticateHandshake({ invocation: expired, delegation })).toEqual(invalid("expired"));
    expect(await patient.authenticateTokens({ invocation, delegation })).toEqual(alone);
  });
});
