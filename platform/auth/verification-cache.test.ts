/** The cache of verification results. */
import { expect, it } from "vitest";
import { createVerificationCache, VERIFICATION_CAPACITY, type Verification } from "./verification-cache.ts";

const verification = (expiration: number): Verification => ({ kind: "invocation", issuer: "did:key:z", expiration });

it("evicts the oldest when it is full", async () => {
  const cache = createVerificationCache(() => 0, 2);
  for (const token of ["a", "b", "c"]) await cache.remember(token, verification(1));
  expect(await cache.recall("invocation", "a")).toBeUndefined();
  expect(await cache.recall("invocation", "b")).toEqual(verification(1));
  expect(await cache.recall("invocation", "c")).toEqual(verification(1));
  expect(VERIFICATION_CAPACITY).toBe(4_096);
});

it("keeps a verification that never expires for an hour", async () => {
  let now = 0;
  const cache = createVerificationCache(() => now);
  const endless: Verification = {
    kind: "delegation",
    cid: "c",
    issuer: "i",
    audience: "a",
    expiration: null,
    capabilities: [],
  };
  await cache.remember("t", endless);
  now = 3_599_999;
  expect(await cache.recall("delegation", "t")).toEqual(endless);
  now = 3_600_000;
  expect(await cache.recall("delegation", "t")).toBeUndefined();
});

it("keeps a verification no longer than the keys that it depends on are known [OR-542]", async () => {
  let now = 0;
  const cache = createVerificationCache(() => now);
  await cache.remember("t", verification(3_600), 60_000);
  now = 59_999;
  expect(await cache.recall("invocation", "t")).toBeDefined();
  now = 60_000;
  expect(await cache.recall("invocation", "t")).toBeUndefined();
});

it("does not cache large tokens", async () => {
  const cache = createVerificationCache(() => 0);
  const capability = { can: "*", with: "ixo:x" };
  const wide = (count: number): Verification => ({
    kind: "delegation",
    cid: "c",
    issuer: "i",
    audience: "a",
    expiration: 1,
    capabilities: Array.from({ length: count }, () => capability),
  });
  await cache.remember("sixteen", wide(16));
  await cache.remember("seventeen", wide(17));
  expect(await cache.recall("delegation", "sixteen")).toBeDefined();
  expect(await cache.recall("delegation", "seventeen")).toBeUndefined();
  const [fits, long] = ["x".repeat(8192), "x".repeat(8193)];
  await cache.remember(fits, verification(1));
  await cache.remember(long, verification(1));
  expect(await cache.recall("invocation", fits)).toBeDefined();
  expect(await cache.recall("invocation", long)).toBeUndefined();
});
