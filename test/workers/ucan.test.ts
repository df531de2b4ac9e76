/** Authentication inside workerd, whose Ed25519, SHA-256 and module resolution are not Node's. */
import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../platform/auth/authenticator.ts";
import { createDidResolver } from "../../platform/auth/did-resolver.ts";
import { mintInvocation as mintDownstream } from "../../platform/auth/downstream-invocation.ts";
import { createOracleSigner } from "../../platform/auth/oracle-signer.ts";
import { FIELD_VECTOR, flipByte, forge, issue, mintDelegation, mintInvocation, signer } from "../support/auth/ucan.ts";

const NOW = 1_800_000_000;
const ORACLE = FIELD_VECTOR.audience;

function authenticatorAt(seconds: number, staticKeys = {}) {
  const clock = () => seconds * 1000;
  const resolver = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock, staticKeys });
  return createAuthenticator({ audiences: [ORACLE], resolver, clock });
}

describe("in workerd [OR-10, OR-12]", () => {
  it("verifies the established client's vector while it is short enough", async () => {
    const near = authenticatorAt(FIELD_VECTOR.expiration - 600);
    expect(await near.authenticateTokens({ invocation: FIELD_VECTOR.token })).toEqual({
      ok: true,
      value: { did: FIELD_VECTOR.issuer },
    });
    const far = authenticatorAt(NOW);
    expect(await far.authenticateTokens({ invocation: FIELD_VECTOR.token })).toMatchObject({ ok: false });
  });

  it("verifies the tokens that it mints, for did:key and did:ixo", async () => {
    const key = await signer(1);
    const named = await signer(1, "did:ixo:ixo1user");
    const authenticator = authenticatorAt(NOW, { "did:ixo:ixo1user": [key.did()] });
    for (const user of [key, named]) {
      const tokens = {
        invocation: await mintInvocation(user, ORACLE, NOW + 600),
        delegation: await mintDelegation(user, ORACLE, null),
      };
      expect(await authenticator.authenticateTokens(tokens)).toMatchObject({
        ok: true,
        value: { did: user.did(), delegation: { expiration: null } },
      });
    }
  });

  it("refuses forged content, a zero signature and every changed byte", async () => {
    const authenticator = authenticatorAt(FIELD_VECTOR.expiration - 600);
    const ucan = await issue({ issuer: await signer(7), audience: ORACLE, expiration: FIELD_VECTOR.expiration });
    const zero = Uint8Array.of(0xed, 0xa1, 0x03, 0x40, ...new Uint8Array(64));
    const damaged = Array.from({ length: 75 }, (_, index) => flipByte(FIELD_VECTOR.token, index * 5, 1));
    for (const invocation of [
      await forge(ucan, { exp: FIELD_VECTOR.expiration - 1 }),
      await forge(ucan, { s: zero }),
      ...damaged,
    ]) {
      expect(await authenticator.authenticateTokens({ invocation })).toMatchObject({
        error: { message: "Invalid UCAN invocation" },
      });
    }
  });

  it("refuses 32 bytes that are not a key without failing", async () => {
    const { Verifier } = await import("@ucanto/principal/ed25519");
    const noPoint = Verifier.decode(Uint8Array.of(0xed, 0x01, ...new Uint8Array(32).fill(0xff))).did();
    const impostor = (await signer(1)).withDID(noPoint);
    const invocation = await mintInvocation(impostor, ORACLE, NOW + 600);
    expect(await authenticatorAt(NOW).authenticateTokens({ invocation })).toMatchObject({
      ok: false,
      error: { code: "unauthenticated" },
    });
  });

  it("mints for a downstream service", async () => {
    const oracle = await createOracleSigner(new Uint8Array(32).fill(7), ORACLE);
    const minted = await mintDownstream(oracle, [ORACLE], {
      audience: "did:web:memory.example",
      capability: { can: "memory/read", with: "ixo:memory" },
      delegation: { token: await mintDelegation(await signer(1), ORACLE, null), expiration: null },
      now: NOW,
      nonce: "n",
    });
    expect(minted).toMatchObject({ ok: true });
  });
});
