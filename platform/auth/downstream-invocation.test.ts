/** Downstream minting: verified by ucanto's own validator. */
import { Delegation, type API } from "@ucanto/core";
import { ed25519 } from "@ucanto/principal";
import { access, capability, DIDResolutionError, Schema } from "@ucanto/validator";
import { describe, expect, it } from "vitest";
import { fromBase64, issue, mintDelegation, signer, tokenOf } from "../../test/support/auth/ucan.ts";
import { DOWNSTREAM_LIFETIME, mintInvocation, type WantedCapability } from "./downstream-invocation.ts";
import { createOracleSigner } from "./oracle-signer.ts";
import { readToken } from "./ucan-token.ts";

const ORACLE = "did:ixo:ixo1oracletest";
const ENTITY = "did:ixo:entity:0f";
const NOW = Math.floor(Date.now() / 1000); // ucanto's own validator has no other clock
const user = await signer(1);
const service = await signer(9);
const oracle = await createOracleSigner(new Uint8Array(32).fill(7), ORACLE);
const read: WantedCapability = { can: "memory/read", with: "ixo:memory" };

async function mint(token: string, expiration: number | null, wanted: WantedCapability = read) {
  const request = {
    audience: service.did(),
    capability: wanted,
    delegation: { token, expiration },
    now: NOW,
    nonce: "n-1",
  };
  return mintInvocation(oracle, [ORACLE, ENTITY], request);
}

async function minted(token: string, expiration: number | null, wanted?: WantedCapability): Promise<string> {
  const outcome = await mint(token, expiration, wanted);
  if (!outcome.ok) throw new Error(outcome.error);
  return outcome.value;
}

it("mints the documented token", async () => {
  const token = await minted(await mintDelegation(user, ORACLE, NOW + 9000), NOW + 9000);
  const outermost = await readToken(token);
  expect(outermost).toMatchObject({
    ok: true,
    value: {
      outermost: {
        issuer: ORACLE,
        audience: service.did(),
        expiration: NOW + DOWNSTREAM_LIFETIME,
        capabilities: [read],
      },
    },
  });
  expect(outermost.ok && outermost.value.outermost.view.facts).toEqual([{ nonce: "n-1" }]);
  expect(outermost.ok && outermost.value.outermost.proofs).toHaveLength(1);
});

it("never outlives the delegation", async () => {
  const cases: [number | null, number][] = [
    [NOW + 3_599, NOW + 3_599],
    [NOW + 3_601, NOW + 3_600],
    [null, NOW + 3_600],
  ];
  for (const [expiration, expected] of cases) {
    const token = await readToken(await minted(await mintDelegation(user, ORACLE, expiration), expiration));
    expect(token.ok && token.value.outermost.expiration).toBe(expected);
  }
});

it("is issued by the oracle's DID that the user named", async () => {
  const token = await readToken(await minted(await mintDelegation(user, ENTITY, null), null));
  expect(token.ok && token.value.outermost.issuer).toBe(ENTITY);
});

describe("a service that uses ucanto's validator [OR-35]", () => {
  const definition = capability({ can: "memory/read", with: Schema.literal("ixo:memory") });
  const decide = async (token: string) => {
    const { ok: invocation } = await Delegation.extract(fromBase64(token));
    if (invocation === undefined) throw new Error("no token");
    return access(invocation as API.Invocation<API.Capability<"memory/read", "ixo:memory", API.Caveats>>, {
      capability: definition,
      authority: service,
      principal: ed25519.Verifier,
      canIssue: (_, issuer) => issuer === user.did(),
      resolveDIDKey: (did) =>
        did === ORACLE ? { ok: [oracle.keyDid as API.DIDKey] } : { error: new DIDResolutionError(did) },
      validateAuthorization: () => ({ ok: {} }),
    });
  };

  it("accepts the user's oracle", async () => {
    const token = await minted(await mintDelegation(user, ORACLE, null), null);
    expect((await decide(token)).error).toBeUndefined();
  });

  it("refuses calls on behalf of another user", async () => {
    const token = await minted(await mintDelegation(await signer(66), ORACLE, null), null);
    expect((await decide(token)).error).toBeDefined();
  });
});

describe("refusals [OR-35]", () => {
  it("expired", async () => {
    const token = await mintDelegation(user, ORACLE, NOW);
    expect(await mint(token, NOW)).toEqual({ ok: false, error: "expired" });
  });

  it("audience", async () => {
    const token = await mintDelegation(user, "did:ixo:ixo1other", null);
    expect(await mint(token, null)).toEqual({ ok: false, error: "audience" });
  });

  it("malformed CAR", async () => {
    expect(await mint("!", null)).toEqual({ ok: false, error: "malformed CAR" });
    expect(await mint("AAAA", null)).toEqual({ ok: false, error: "malformed CAR" });
  });

  it.each<[string, WantedCapability]>([
    ["another ability", { can: "sandbox/run", with: "ixo:memory" }],
    ["another resource", { can: "memory/read", with: "ixo:sandbox" }],
    ["more than the namespace", { can: "memorybank/read", with: "ixo:memory" }],
  ])("capability: %s", async (_, wanted) => {
    expect(await mint(await mintDelegation(user, ORACLE, null), null, wanted)).toEqual({
      ok: false,
      error: "capability",
    });
  });

  it("capability: an altered caveat", async () => {
    const capabilities = [{ can: "memory/*", with: "ixo:memory", nb: { space: "a" } }];
    const token = await tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: null, capabilities }));
    expect(await mint(token, null, { ...read, nb: { space: "b" } })).toEqual({ ok: false, error: "capability" });
    expect(await mint(token, null, read)).toEqual({ ok: false, error: "capability" });
    expect(await mint(token, null, { ...read, nb: { space: "a" } })).toMatchObject({ ok: true });
  });
});
