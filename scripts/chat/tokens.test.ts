import { Delegation } from "@ucanto/core";
import { expect, test } from "vitest";
import { seedIssuer } from "../../sdk/src/core/key-issuer.ts";
import { DELEGATION_LIFETIME, INVOCATION_LIFETIME } from "../../sdk/src/core/signer.ts";
import { mintDelegation, mintInvocation } from "./tokens.ts";

const identity = await seedIssuer(new Uint8Array(32).fill(7));
const oracleDid = "did:ixo:ixo1oracletest";
const now = 1_800_000_000;

async function open(token: string) {
  const { ok, error } = await Delegation.extract(new Uint8Array(Buffer.from(token, "base64")));
  if (ok === undefined) throw error;
  return ok;
}

test("a token equals the published example byte for byte", async () => {
  const token = await mintInvocation(identity, oracleDid, 1_899_999_400);

  expect(token).toBe(
    "OqJlcm9vdHOB2CpYJQABcRIgjdmGPDOz74C7SM/OwTZhXRPEqbAVBvanP+shwkhQpI9ndmVyc2lvbgHgAQFxEiAwSxR99WZqhTO0NKYIrmPbDR5BXYDGklZOxhFv0dH0Fadhc1hE7aEDQI92gnjHngofFkrCaaUhP8l1jdLHChDiwXAitG/f7WVd2fQzne08/NUnQ2belYBk583+qAOVvM7EWQwx3a5FoAJhdmUwLjkuMWNhdHSBomNjYW5hKmR3aXRoaml4bzpvcmFjbGVjYXVkVJ0aaXhvOml4bzFvcmFjbGV0ZXN0Y2V4cBpxP7MAY2lzc1gi7QHqSmxj4pxSCr71UHsTLsX5lUd2rr6+e5JCHuppFEbSLGNwcmaAWQFxEiCN2YY8M7PvgLtIz87BNmFdE8SpsBUG9qc/6yHCSFCkj6FqdWNhbkAwLjkuMdgqWCUAAXESIDBLFH31ZmqFM7Q0pgiuY9sNHkFdgMaSVk7GEW/R0fQV",
  );
});

test("an invocation proves who is calling, for at most 15 minutes", async () => {
  const invocation = await open(await mintInvocation(identity, oracleDid, now));
  expect(invocation.issuer.did()).toBe(identity.did);
  expect(invocation.audience.did()).toBe(oracleDid);
  expect(invocation.capabilities).toEqual([{ can: "*", with: "ixo:oracle" }]);
  expect(invocation.expiration).toBe(now + INVOCATION_LIFETIME);
  expect(INVOCATION_LIFETIME).toBeLessThanOrEqual(900);
});

test("a delegation covers the usual services for a day", async () => {
  const delegation = await open(await mintDelegation(identity, oracleDid, now));
  expect(delegation.capabilities).toEqual([
    { can: "memory/*", with: "ixo:memory" },
    { can: "sandbox/*", with: "ixo:sandbox" },
    { can: "skills/*", with: "ixo:skills" },
    { can: "subscriptions/read", with: "ixo:subscriptions" },
  ]);
  expect(delegation.expiration).toBe(now + DELEGATION_LIFETIME);
});
