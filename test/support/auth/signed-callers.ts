/** Tokens of every kind for one authenticator, and the results that it gives. */
import { expect } from "vitest";
import { forge, issue, mintDelegation, mintInvocation, signer } from "./ucan.ts";
import { createAuthenticator } from "../../../platform/auth/authenticator.ts";
import { createDidResolver, type KeyResolver } from "../../../platform/auth/did-resolver.ts";

export const ORACLE = "did:ixo:ixo1oracletest";
export const NOW = 1_800_000_000;
export const user = await signer(1);
export const other = await signer(2);
export const resolve = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock: () => 0 });

export function authenticatorAt(seconds: () => number, resolver: KeyResolver = resolve) {
  return createAuthenticator({ audiences: [ORACLE], resolver, clock: () => seconds() * 1000 });
}

export const authenticator = authenticatorAt(() => NOW);

export const invocation = await mintInvocation(user, ORACLE, NOW + 600);
export const expired = await mintInvocation(user, ORACLE, NOW);
export const delegation = await mintDelegation(user, ORACLE, NOW + 6000);
export const short = await issue({ issuer: user, audience: ORACLE, expiration: NOW });
export const forged = await forge(short, { exp: NOW + 9 });

export const invalid = (reason: string) => ({
  ok: false,
  error: {
    code: "unauthenticated",
    message: "Invalid UCAN invocation",
    reason: "invalid_invocation",
    details: [{ reason, message: expect.any(String) }],
  },
});

export const invalidDelegation = (reason: string) => ({
  ok: false,
  error: {
    code: "unauthenticated",
    message: "Invalid UCAN delegation",
    reason: "invalid_delegation",
    details: [{ reason, message: expect.any(String) }],
  },
});

export const alone = { ok: true, value: { did: user.did() } };

export const withDelegation = {
  ok: true,
  value: {
    did: user.did(),
    delegation: {
      token: delegation,
      cid: expect.any(String),
      issuer: user.did(),
      audience: ORACLE,
      expiration: NOW + 6000,
      capabilities: [{ can: "memory/*", with: "ixo:memory" }],
    },
  },
};

export const byDelegation = { ok: true, value: { ...withDelegation.value, isProvenByDelegation: true } };
