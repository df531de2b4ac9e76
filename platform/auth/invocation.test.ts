/** Invocations. */
import { describe, expect, it } from "vitest";
import { FIELD_VECTOR, forge, issue, signer, tokenOf, type UcanContent } from "../../test/support/auth/ucan.ts";
import { createDidResolver } from "./did-resolver.ts";
import { DEFAULT_MAX_TTL, identifyInvoker } from "./invocation.ts";

const ORACLE = "did:ixo:ixo1oracletest";
const ENTITY = "did:ixo:entity:0f";
const NOW = 1_800_000_000;
const user = await signer(1);
const resolveKeys = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock: () => 0 });

async function outcomeOf(token: string, now = NOW, maxTtl = DEFAULT_MAX_TTL) {
  const identity = await identifyInvoker(token, { audiences: [ORACLE, ENTITY], maxTtl }, resolveKeys, now);
  return identity.ok ? identity.value : identity.error;
}

const mint = async (more: Partial<UcanContent> = {}) =>
  tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: NOW + 600, ...more }));
const identity = { issuer: user.did(), expiration: NOW + 600 };

describe("the established client's vector", () => {
  const identified = { issuer: FIELD_VECTOR.issuer, expiration: FIELD_VECTOR.expiration };

  it("verifies, but is over-long by the real clock", async () => {
    expect(await outcomeOf(FIELD_VECTOR.token)).toBe("over-long");
  });

  it("is accepted within a day, and the skew, before it expires", async () => {
    const edge = FIELD_VECTOR.expiration - 86_400 - 60;
    expect(await outcomeOf(FIELD_VECTOR.token, edge)).toEqual(identified);
    expect(await outcomeOf(FIELD_VECTOR.token, edge - 1)).toBe("over-long");
    expect(await outcomeOf(FIELD_VECTOR.token, FIELD_VECTOR.expiration - 1)).toEqual(identified);
  });
});

describe("audience [OR-17]", () => {
  it.each([ORACLE, ENTITY])("accepts %s", async (audience) => {
    expect(await outcomeOf(await mint({ audience }))).toEqual(identity);
  });

  it.each(["did:ixo:ixo1other", "did:ixo:ixo1oracletes", user.did()])("refuses %s", async (audience) => {
    expect(await outcomeOf(await mint({ audience }))).toBe("audience");
  });
});

describe("capability [OR-18]", () => {
  it.each([
    ["*", "ixo:oracle"],
    ["*", "ixo:*"],
    ["oracle/*", "ixo:oracle"],
    ["oracle/call", "ixo:oracle"],
    ["*", ORACLE],
    ["*", ENTITY],
    ["oracle/use", user.did()],
  ])("accepts %s on %s", async (can, resource) => {
    expect(await outcomeOf(await mint({ capabilities: [{ can, with: resource }] }))).toEqual(identity);
  });

  it.each([
    ["mcp/call", "ixo:oracle"],
    ["oracles/call", "ixo:oracle"],
    ["oracle/call/*", "ixo:oracle"],
    ["memory/*", "ixo:oracle"],
    ["*", "ixo:memory"],
    ["*", "ixo:oracles"],
    ["*", "did:ixo:ixo1other"],
    ["*", "ucan:*"],
  ])("refuses %s on %s", async (can, resource) => {
    expect(await outcomeOf(await mint({ capabilities: [{ can, with: resource }] }))).toBe("capability");
  });

  it("accepts exactly one", async () => {
    const one = { can: "*", with: "ixo:oracle" };
    expect(await outcomeOf(await mint({ capabilities: [] }))).toBe("capability");
    expect(await outcomeOf(await mint({ capabilities: [one, one] }))).toBe("capability");
  });
});

describe("time [OR-19]", () => {
  it("requires an expiry", async () => {
    expect(await outcomeOf(await mint({ expiration: null }))).toBe("over-long");
  });

  it.each([DEFAULT_MAX_TTL, 900])("accepts one at most %i seconds and the skew ahead", async (maxTtl) => {
    expect(await outcomeOf(await mint({ expiration: NOW + maxTtl + 60 }), NOW, maxTtl)).toMatchObject({
      issuer: user.did(),
    });
    expect(await outcomeOf(await mint({ expiration: NOW + maxTtl + 61 }), NOW, maxTtl)).toBe("over-long");
  });

  it("accepts a start at most 60 seconds ahead", async () => {
    expect(await outcomeOf(await mint({ notBefore: NOW + 60 }))).toEqual(identity);
    expect(await outcomeOf(await mint({ notBefore: NOW + 61 }))).toBe("not yet valid");
  });

  it("leaves the check of its expiry to the caller", async () => {
    expect(await outcomeOf(await mint({ expiration: NOW - 9 }))).toEqual({ issuer: user.did(), expiration: NOW - 9 });
  });
});

const giver = await signer(3);

describe("proofs [OR-13, OR-14]", () => {
  it("are checked as a chain, whose earliest expiry counts", async () => {
    const proof = await issue({ issuer: giver, audience: user.did(), expiration: NOW + 5 });
    expect(await outcomeOf(await mint({ proofs: [proof] }))).toEqual({
      issuer: user.did(),
      root: giver.did(),
      expiration: NOW + 5,
    });
  });

  it("must cover the claim, be issued to the issuer and have begun", async () => {
    const narrow = await issue({
      issuer: giver,
      audience: user.did(),
      expiration: NOW + 600,
      capabilities: [{ can: "oracle/use", with: "ixo:oracle" }],
    });
    expect(await outcomeOf(await mint({ proofs: [narrow] }))).toBe("proof chain");
    const astray = await issue({ issuer: giver, audience: giver.did(), expiration: NOW + 600 });
    expect(await outcomeOf(await mint({ proofs: [astray] }))).toBe("proof chain");
    const future = await issue({ issuer: giver, audience: user.did(), expiration: NOW + 600, notBefore: NOW + 61 });
    expect(await outcomeOf(await mint({ proofs: [future] }))).toBe("not yet valid");
  });
});

describe("signature [OR-12]", () => {
  it("must be the issuer's own over exactly this content", async () => {
    const ucan = await issue({ issuer: user, audience: ORACLE, expiration: NOW - 5 });
    expect(await outcomeOf(await forge(ucan, { exp: NOW + 600 }))).toBe("signature");
    const impostor = (await signer(66)).withDID(user.did());
    expect(await outcomeOf(await mint({ issuer: impostor }))).toBe("signature");
  });

  it("of an unknown issuer is refused", async () => {
    expect(await outcomeOf(await mint({ issuer: await signer(1, "did:ixo:ixo1unknown") }))).toBe("signature");
  });
});

it("is a CAR, not a JWT", async () => {
  expect(await outcomeOf("eyJhbGciOiJFZERTQSJ9.e30.c2ln")).toBe("malformed CAR");
});
