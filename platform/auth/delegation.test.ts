/** Delegations, with the reasons of `POST /delegation`. */
import { describe, expect, it } from "vitest";
import { forge, issue, mintChain, signer, swapBlock, tokenOf, type UcanContent } from "../../test/support/auth/ucan.ts";
import { createDidResolver } from "./did-resolver.ts";
import { verifyDelegationToken } from "./delegation.ts";
import type { API } from "@ucanto/core";

const ORACLE = "did:ixo:ixo1oracletest";
const ENTITY = "did:ixo:entity:0f";
const NOW = 1_800_000_000;
const user = await signer(1);
const resolveKeys = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock: () => 0 });
const capabilities = [
  { can: "memory/*", with: "ixo:memory" },
  { can: "skills/*", with: "ixo:skills", nb: { only: ["reading"] } },
];

async function outcomeOf(token: string, now = NOW) {
  const verified = await verifyDelegationToken(token, [ORACLE, ENTITY], resolveKeys, now);
  return verified.ok ? verified.value.delegation : verified.error;
}

const issueIt = (more: Partial<UcanContent> = {}) =>
  issue({ issuer: user, audience: ORACLE, expiration: NOW + 600, capabilities, ...more });
const mint = async (more: Partial<UcanContent> = {}) => tokenOf(await issueIt(more));

it("returns user, rights and expiry", async () => {
  const token = await mint();
  expect(await outcomeOf(` ${token} `)).toEqual({
    token,
    cid: (await issueIt()).cid.toString(),
    issuer: user.did(),
    audience: ORACLE,
    expiration: NOW + 600,
    capabilities: [
      { can: "memory/*", with: "ixo:memory" },
      { can: "skills/*", with: "ixo:skills" },
    ],
  });
});

it("can be issued to the oracle's entity DID too, and without expiry", async () => {
  expect(await outcomeOf(await mint({ audience: ENTITY, expiration: null }))).toMatchObject({
    audience: ENTITY,
    expiration: null,
  });
});

it("uses the rights and the issuer of the outermost UCAN and the earliest expiry, in any order of blocks", async () => {
  const proof = await issue({
    issuer: user,
    audience: (await signer(2)).did(),
    expiration: NOW + 5,
    capabilities: [{ can: "*", with: "ixo:*" }],
  });
  const outermost = await issueIt({ issuer: await signer(2), proofs: [proof] });
  expect(await outcomeOf(await tokenOf(outermost))).toMatchObject({
    issuer: (await signer(2)).did(),
    expiration: NOW + 5,
    capabilities: [{ can: "memory/*" }, { can: "skills/*" }],
  });
});

describe("reasons [OR-31]", () => {
  it("malformed CAR", async () => {
    expect(await outcomeOf("AAAA")).toBe("malformed CAR");
    expect(await outcomeOf("")).toBe("malformed CAR");
  });

  it("signature, for a changed content and for a swapped block", async () => {
    expect(await outcomeOf(await forge(await issueIt(), { exp: NOW + 601 }))).toBe("signature");
    const chain = await mintChain(2, ORACLE, NOW + 600);
    const [proof = chain] = chain.proofs as API.Delegation[];
    expect(await outcomeOf(await swapBlock(chain, proof, await issueIt()))).toBe("signature");
  });

  it("proof chain", async () => {
    expect(await outcomeOf(await tokenOf(await mintChain(8, ORACLE, NOW + 600)))).toMatchObject({
      expiration: NOW + 600,
    });
    expect(await outcomeOf(await tokenOf(await mintChain(9, ORACLE, NOW + 600)))).toBe("proof chain");
  });

  it("audience", async () => {
    expect(await outcomeOf(await mint({ audience: "did:ixo:ixo1other" }))).toBe("audience");
  });

  it("expired, at the exact second, for any UCAN in the chain", async () => {
    const token = await mint();
    expect(await outcomeOf(token, NOW + 599)).toMatchObject({ issuer: user.did() });
    expect(await outcomeOf(token, NOW + 600)).toBe("expired");
    const proof = await issue({
      issuer: await signer(3),
      audience: user.did(),
      expiration: NOW,
      capabilities: [{ can: "*", with: "ixo:*" }],
    });
    expect(await outcomeOf(await mint({ proofs: [proof] }))).toBe("expired");
  });

  it("not yet valid, beyond 60 seconds of skew", async () => {
    expect(await outcomeOf(await mint({ notBefore: NOW + 60 }))).toMatchObject({ issuer: user.did() });
    expect(await outcomeOf(await mint({ notBefore: NOW + 61 }))).toBe("not yet valid");
  });
});
