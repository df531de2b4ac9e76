/** Authentication of sockets: the authenticator of the routes, with the one difference of a handshake. */
import { beforeAll, expect, test } from "vitest";
import { mintDelegation, mintInvocation, signer, type Signer } from "../../../test/support/auth/ucan.ts";
import { createAuthenticator } from "../../../platform/auth/authenticator.ts";
import { createDidResolver } from "../../../platform/auth/did-resolver.ts";
import { createAttemptLimit, FAILED_ATTEMPTS_PER_MINUTE } from "../../../platform/http/attempt-limit.ts";
import type { Logger } from "../../../platform/log.ts";
import { parseOracleConfig } from "../config.ts";
import { createSocketAuthenticator } from "./authentication.ts";

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

function authenticatorOf(isLimited = true, allowsBareDelegation = true) {
  const clock = () => NOW;
  const resolver = createDidResolver({ staticKeys: {}, fetch: () => Promise.reject(new Error("offline")), clock });
  const authenticator = createAuthenticator({ audiences: [oracle], allowsBareDelegation, resolver, clock });
  const failedAuthentications = isLimited ? createAttemptLimit(clock) : undefined;
  const config = parseOracleConfig({ ORACLE_DID: "did:key:none", ORACLE_RATE_LIMIT_PER_MINUTE: "120" });
  if (!config.ok) throw new Error("the configuration of the test is invalid");
  const sockets = createSocketAuthenticator({ authenticator, failedAuthentications, config: config.value });
  const verify = (invocation?: string, delegation?: string) => sockets.verify({ invocation, delegation }, ADDRESS, log);
  return { sockets, verify };
}

test("the issuer of the invocation, or of the delegation alone [OR-107]", async () => {
  const { sockets, verify } = authenticatorOf();
  expect(await verify(await mintInvocation(alice, oracle, soon))).toEqual({ ok: true, value: { did: alice.did() } });
  expect(await verify(undefined, await mintDelegation(bob, oracle, soon))).toEqual({
    ok: true,
    value: { did: bob.did(), delegationExpiry: soon },
  });
  expect(sockets.requestsPerMinute).toBe(120);
});

test("a valid invocation with an invalid delegation: the delegation is ignored [OR-109]", async () => {
  const { verify } = authenticatorOf();
  const invocation = await mintInvocation(alice, oracle, soon);
  expect(await verify(invocation, "forged")).toEqual({ ok: true, value: { did: alice.did() } });
});

test("an expired invocation counts only together with a valid delegation of its issuer [OR-109]", async () => {
  const { verify } = authenticatorOf();
  const stale = await mintInvocation(alice, oracle, past);
  const delegations = await Promise.all([alice, bob].map((issuer) => mintDelegation(issuer, oracle, soon)));
  const value = { did: alice.did(), delegationExpiry: soon };
  expect(await verify(stale, delegations[0])).toEqual({ ok: true, value });
  for (const delegation of [delegations[1], undefined]) {
    expect(await verify(stale, delegation)).toMatchObject({ ok: false, error: { message: "Invalid UCAN invocation" } });
  }
});

test("where a delegation alone does not sign in, neither it nor one with an expired invocation connects [OR-194]", async () => {
  const { verify } = authenticatorOf(true, false);
  const delegation = await mintDelegation(alice, oracle, soon);
  const refused = { ok: false, error: { code: "unauthenticated", reason: "missing_authentication" } };
  expect(await verify(undefined, delegation)).toMatchObject(refused);
  expect(await verify(await mintInvocation(alice, oracle, past), delegation)).toMatchObject({
    ok: false,
    error: { reason: "invalid_invocation", details: [{ reason: "expired" }] },
  });
  expect(await verify(await mintInvocation(alice, oracle, soon), delegation)).toEqual({
    ok: true,
    value: { did: alice.did() },
  });
});

test("after 100 failed authentications the next one waits, but valid tokens are still accepted, even new ones [OR-107, ALL-14]", async () => {
  const { verify } = authenticatorOf();
  const valid = await mintInvocation(alice, oracle, soon);
  // A request without a token does not count.
  await verify();
  for (let attempt = 1; attempt <= FAILED_ATTEMPTS_PER_MINUTE; attempt += 1) {
    expect(await verify("forged")).toMatchObject({ ok: false, error: { code: "unauthenticated" } });
  }
  expect(await verify("forged")).toMatchObject({ ok: false, error: { code: "rate_limited" } });
  expect(await verify(valid)).toMatchObject({ ok: true });
});

test("in development failed authentications are not limited", async () => {
  const { verify } = authenticatorOf(false);
  for (let attempt = 0; attempt <= FAILED_ATTEMPTS_PER_MINUTE; attempt += 1) await verify("forged");
  expect(await verify(await mintInvocation(alice, oracle, soon))).toMatchObject({ ok: true });
});
