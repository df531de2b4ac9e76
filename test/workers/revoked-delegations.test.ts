/** The revoked delegations in a user's store, inside workerd, before and after an eviction. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ENDLESS_REVOCATION, REVOKED_DELEGATIONS } from "../../durable-objects/user-vault/store.ts";
import { mintDelegation, signer } from "../support/auth/ucan.ts";

/** So far ahead that no alarm runs on its own: the runtime uses its own clock. */
const START = Date.UTC(2100, 0, 1);
const RATE = 120;

// Objects run in the isolate of their tests, so they see the stopped clock too.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function vault() {
  return env.USER_VAULT.getByName(`did:key:${crypto.randomUUID()}`);
}

test("a revoked delegation is remembered until it expires, without an expiry for ten years; 1,000 are kept [OR-545]", async () => {
  const stub = vault();
  expect(await stub.isDelegationRevoked("a")).toBe(false);
  await stub.revokeDelegation(RATE, { cid: "a", expiration: START / 1000 + 60 });
  await stub.revokeDelegation(RATE, { cid: "endless", expiration: null });
  const known = async () => [await stub.isDelegationRevoked("a"), await stub.isDelegationRevoked("endless")];
  vi.setSystemTime(START + 59_999);
  expect(await known()).toEqual([true, true]);
  vi.setSystemTime(START + 60_000);
  expect(await known()).toEqual([false, true]);
  vi.setSystemTime(START + ENDLESS_REVOCATION * 1000 - 1000);
  expect(await known()).toEqual([false, true]);
  vi.setSystemTime(START + ENDLESS_REVOCATION * 1000);
  expect(await known()).toEqual([false, false]);
  for (let at = 0; at <= REVOKED_DELEGATIONS; at += 1)
    await stub.revokeDelegation(100_000, { cid: `c${at}`, expiration: START + at });
  expect([await stub.isDelegationRevoked("c0"), await stub.isDelegationRevoked("c1")]).toEqual([false, true]);
});

test("the stored one and the one in the request are revoked, even after an eviction [OR-544]", async () => {
  const stub = vault();
  const expiration = START / 1000 + 600;
  const token = await mintDelegation(await signer(1), "did:ixo:ixo1oracletest", expiration);
  await stub.storeDelegation({ token, expiration, capabilities: [] });
  const { value = [] } = await stub.revokeDelegation(RATE, { cid: "brought", expiration: null });
  expect([value.length, await stub.readDelegation()]).toEqual([2, null]);
  await evictDurableObject(stub);
  for (const cid of value) expect(await stub.isDelegationRevoked(cid)).toBe(true);
});
