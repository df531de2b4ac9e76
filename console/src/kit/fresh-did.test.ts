import * as ed25519 from "@ucanto/principal/ed25519";
import { base58btc } from "multiformats/bases/base58";
import { expect, test } from "vitest";
import { didOfKey, freshDid } from "./fresh-did.ts";

test("a public key becomes the did:key that ucanto creates", async () => {
  const dids = [(await ed25519.generate()).did(), (await ed25519.generate()).did()];
  for (const did of dids) {
    const [, , ...publicKey] = base58btc.decode(did.slice("did:key:".length));
    expect(didOfKey(Uint8Array.from(publicKey))).toBe(did);
  }
});

test("each DID is new", async () => {
  const [first, second] = [await freshDid(), await freshDid()];
  expect(first).toMatch(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
  expect(second).not.toBe(first);
});
