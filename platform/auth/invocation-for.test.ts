/** Invocations for one capability of this oracle, as plugins verify them. */
import { describe, expect, test } from "vitest";
import { flipByte, issue, signer, tokenOf, type UcanContent } from "../../test/support/auth/ucan.ts";
import { createDidResolver } from "./did-resolver.ts";
import { verifyInvocationFor } from "./invocation-for.ts";

const ORACLE = "did:ixo:ixo1oracletest";
const NOW = 1_800_000_000;
const wanted = { can: "mcp/call", with: "ixo:oracle:entity:mcp/files/read" };
const user = await signer(1);
const service = await signer(2);
const stranger = await signer(3);
const resolver = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock: () => 0 });

const mint = (more: Partial<UcanContent> = {}) =>
  issue({ issuer: user, audience: ORACLE, expiration: NOW + 600, capabilities: [wanted], ...more });
const verified = (token: string, now = NOW) =>
  verifyInvocationFor(token, wanted, { audiences: [ORACLE], resolver, now });

describe("an invocation for one capability [OR-251]", () => {
  test("issued by the user is its own root", async () => {
    const ucan = await mint();
    expect(await verified(await tokenOf(ucan))).toEqual({
      ok: true,
      value: {
        cid: ucan.cid.toString(),
        issuer: user.did(),
        root: user.did(),
        expiration: NOW + 600,
        ownExpiration: NOW + 600,
      },
    });
  });

  test("issued by a service with the user's permission has the user as its root, and the earliest expiry of the chain", async () => {
    const proof = await issue({
      issuer: user,
      audience: service.did(),
      expiration: NOW + 60,
      capabilities: [{ can: "mcp/*", with: "ixo:oracle:entity:*" }],
    });
    const other = await issue({ issuer: stranger, audience: service.did(), expiration: NOW + 900 });
    const token = await tokenOf(await mint({ issuer: service, proofs: [other, proof] }));
    expect(await verified(token)).toMatchObject({
      ok: true,
      value: { issuer: service.did(), root: user.did(), expiration: NOW + 60, ownExpiration: NOW + 600 },
    });
  });

  test.each([
    ["*", wanted.with],
    ["mcp/*", wanted.with],
    ["mcp/call", "ixo:oracle:*"],
    ["mcp/call", "ixo:*"],
  ])("%s on %s covers it", async (can, resource) => {
    const token = await tokenOf(await mint({ capabilities: [{ can, with: resource }] }));
    expect(await verified(token)).toMatchObject({ ok: true });
  });

  test.each([
    ["mcp/list", wanted.with],
    ["mcp/call", `${wanted.with}2`],
    ["mcp/call", "ixo:oracle:entity:mcp/files"],
    ["mcp/call/*", wanted.with],
    ["oracle/*", wanted.with],
  ])("%s on %s does not", async (can, resource) => {
    const token = await tokenOf(await mint({ capabilities: [{ can, with: resource }] }));
    expect(await verified(token)).toMatchObject({
      ok: false,
      error: { code: "forbidden", message: expect.stringContaining(`does not permit mcp/call on ${wanted.with}`) },
    });
  });

  const refused: readonly (readonly [string, () => Promise<string>, string])[] = [
    ["expired", async () => tokenOf(await mint({ expiration: NOW })), "it has expired"],
    ["never expires", async () => tokenOf(await mint({ expiration: null })), "it never expires"],
    ["not valid yet", async () => tokenOf(await mint({ notBefore: NOW + 61 })), "it is not valid yet"],
    ["for another oracle", async () => tokenOf(await mint({ audience: "did:ixo:other" })), "it is for another oracle"],
    ["no token", async () => "bm9uZQ==", "it is not the base64 of a UCAN"],
    ["changed", async () => flipByte(await tokenOf(await mint()), 250, 1), "The invocation cannot be used: it"],
    [
      "signed by another key",
      async () => tokenOf(await mint({ issuer: stranger.withDID(user.did() as `did:key:${string}`) })),
      "another key signed it",
    ],
    [
      "wider than its proof",
      async () => {
        const proof = await issue({
          issuer: user,
          audience: service.did(),
          expiration: NOW + 600,
          capabilities: [{ can: "mcp/list", with: wanted.with }],
        });
        return tokenOf(await mint({ issuer: service, proofs: [proof] }));
      },
      "its proofs do not cover its capabilities",
    ],
    [
      "citing a proof for another DID",
      async () => {
        const proof = await issue({
          issuer: user,
          audience: stranger.did(),
          expiration: NOW + 600,
          capabilities: [wanted],
        });
        return tokenOf(await mint({ issuer: service, proofs: [proof] }));
      },
      "its proofs do not cover its capabilities, or were issued to others",
    ],
    [
      "limited by a condition",
      async () => tokenOf(await mint({ capabilities: [{ ...wanted, nb: { path: "/a" } }] })),
      "or only under conditions",
    ],
  ];

  test.each(refused)("refuses one that is %s, with the reason as text", async (_, token, words) => {
    const text = await token();
    const result = await verified(text);
    expect(result).toMatchObject({ ok: false, error: { code: "forbidden", message: expect.stringContaining(words) } });
    expect(JSON.stringify(result)).not.toContain(text);
  });
});
