/** The tokens of the SDK's signer, compared with those of the general libraries. */
import { delegate, DID } from "@ucanto/core";
import { derive } from "@ucanto/principal/ed25519";
import { expect, test } from "vitest";
import { bytesOfDid, didOfKey } from "./did-key.ts";
import { issueToken } from "./ucan-token.ts";

const seeds = [0, 1, 7, 200].map((byte) => new Uint8Array(32).fill(byte));
const audiences = [
  "did:ixo:entity:1a2b",
  "did:web:oracle.example%3A8443:a",
  "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
];
const capabilities = [
  { can: "memory/*", with: "ixo:memory" },
  { can: "*", with: 'ixo:"oracle"/ö' },
] as const;

test.each(audiences)("a token for %s has the bytes that ucanto writes [SD-1, SD-2]", async (audience) => {
  for (const [index, seed] of seeds.entries()) {
    const signer = await derive(seed);
    const issuer = {
      did: signer.did(),
      sign: async (payload: Uint8Array<ArrayBuffer>) => (await signer.sign(payload)).raw,
    };
    for (const expiration of [23, 24, 255, 65_536, 1_795_000_000, 2 ** 33]) {
      const some = capabilities.slice(0, 1 + (index % 2));
      const theirs = await delegate({
        issuer: signer,
        audience: DID.parse(audience),
        capabilities: [...some] as [(typeof capabilities)[number]],
        expiration,
      });
      const { ok } = await theirs.archive();
      expect(await issueToken(issuer, { audience, capabilities: some, expiration })).toEqual(ok);
    }
  }
});

test("a key is the DID that ucanto writes, and a DID its bytes", async () => {
  for (const seed of seeds) {
    const signer = await derive(seed);
    const did = signer.did();
    expect([...bytesOfDid(did)]).toEqual([...DID.parse(did)]);
    expect(didOfKey(bytesOfDid(did).slice(2))).toBe(did);
  }
  expect(() => bytesOfDid("key:z6Mk")).toThrow("is no DID");
  expect(() => bytesOfDid("did:key:z0")).toThrow("is not the DID of a key");
});
