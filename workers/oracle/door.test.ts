/** Who may open a socket: the HTTP verifier and its brake, with the one difference of a handshake (contract/oracle.md 8.2). */
import { beforeAll, expect, test } from "vitest";
import { mintDelegation, mintInvocation, signer, type Signer } from "../../test/support/ucan.ts";
import { createAuthenticator } from "../platform/auth/authenticator.ts";
import { createDidResolver } from "../platform/auth/did-resolver.ts";
import { createAttemptLimit, FAILED_ATTEMPTS_PER_MINUTE } from "../platform/http/attempt-limit.ts";
import type { Logger } from "../platform/log.ts";
import { createDoor } from "./door.ts";

const NOW = Date.parse("2026-11-21T09:00:00.000Z");
const soon = NOW / 1000 + 600;
const past = NOW / 1000 - 60;
const log: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ADDRESS = "192.0.2.1";

let alice: Signer;
let bob: Signer;
let oracle: string;

beforeAll(async () => {
  [alice, bob] = await Promise.all([signer(1), signer(2)]);
  oracle = (await signer(7)).did();
});

function doorOf(braked = true) {
  const clock = () => NOW;
  const resolver = createDidResolver({ staticKeys: {}, fetch: () => Promise.reject(new Error("offline")), clock });
  const authenticator = createAuthenticator({ audiences: [oracle], resolver, clock });
  const attempts = braked ? createAttemptLimit(clock) : undefined;
  const door = createDoor({ authenticator, attempts, config: { ORACLE_RATE_LIMIT_PER_MINUTE: 120 } });
  const verify = (invocation?: string, delegation?: string) => door.verify({ invocation, delegation }, ADDRESS, log);
  return { door, verify };
}

test("the issuer of the invocation, or of the delegation alone", async () => {
  const { door, verify } = doorOf();
  expect(await verify(await mintInvocation(alice, oracle, soon))).toEqual({ ok: true, value: { did: alice.did() } });
  expect(await verify(undefined, await mintDelegation(bob, oracle, soon))).toEqual({
    ok: true,
    value: { did: bob.did(), delegationExpiry: soon },
  });
  expect(door.requestsPerMinute).toBe(120);
});

test("a valid invocation with an invalid delegation: the delegation is ignored", async () => {
  const { verify } = doorOf();
  const invocation = await mintInvocation(alice, oracle, soon);
  expect(await verify(invocation, "forged")).toEqual({ ok: true, value: { did: alice.did() } });
});

test("a stale invocation counts beside a good delegation of the same issuer, and only there", async () => {
  const { verify } = doorOf();
  const stale = await mintInvocation(alice, oracle, past);
  const delegations = await Promise.all([alice, bob].map((issuer) => mintDelegation(issuer, oracle, soon)));
  const value = { did: alice.did(), delegationExpiry: soon };
  expect(await verify(stale, delegations[0])).toEqual({ ok: true, value });
  for (const delegation of [delegations[1], undefined]) {
    expect(await verify(stale, delegation)).toMatchObject({ ok: false, error: { message: "Invalid UCAN invocation" } });
  }
});

test("after 100 failed attempts the address waits, but who was seen before is still let in", async () => {
  const { verify } = doorOf();
  const [known, unknown] = await Promise.all([alice, bob].map((issuer) => mintInvocation(issuer, oracle, soon)));
  await verify(known);
  // Without any token it is no attempt.
  await verify();
  for (let attempt = 1; attempt <= FAILED_ATTEMPTS_PER_MINUTE; attempt += 1) {
    expect(await verify("forged")).toMatchObject({ ok: false, error: { code: "unauthenticated" } });
  }
  expect(await verify(unknown)).toMatchObject({ ok: false, error: { code: "rate_limited" } });
  expect(await verify(known)).toMatchObject({ ok: true });
});

test("in development there is no brake", async () => {
  const { verify } = doorOf(false);
  for (let attempt = 0; attempt <= FAILED_ATTEMPTS_PER_MINUTE; attempt += 1) await verify("forged");
  expect(await verify(await mintInvocation(alice, oracle, soon))).toMatchObject({ ok: true });
});
