/** The decision table. */
import { describe, expect, it } from "vitest";
import {
  FIELD_VECTOR,
  forge,
  issue,
  mintDelegation,
  mintInvocation,
  signer,
  tokenOf,
} from "../../test/support/auth/ucan.ts";
import { newFailure } from "../failure.ts";
import { createLogger } from "../log.ts";
import {
  createAuthenticator,
  INVALID_DELEGATION,
  INVALID_INVOCATION,
  MISSING_AUTHENTICATION,
  REFUSAL_CODES,
  REVOCATION_CHECK_LIFETIME,
} from "./authenticator.ts";
import { createDidResolver, type KeyResolver } from "./did-resolver.ts";

const ORACLE = "did:ixo:ixo1oracletest";
const NOW = 1_800_000_000;
const user = await signer(1);
const other = await signer(2);
const resolve = createDidResolver({ fetch: () => Promise.reject(new Error("no network")), clock: () => 0 });

function authenticatorAt(seconds: () => number, resolver: KeyResolver = resolve) {
  return createAuthenticator({ audiences: [ORACLE], resolver, clock: () => seconds() * 1000 });
}
const authenticator = authenticatorAt(() => NOW);

const invocation = await mintInvocation(user, ORACLE, NOW + 600);
const expired = await mintInvocation(user, ORACLE, NOW);
const delegation = await mintDelegation(user, ORACLE, NOW + 6000);
const foreignDelegation = await mintDelegation(other, ORACLE, NOW + 6000);
const astray = await mintInvocation(user, "did:ixo:ixo1x", NOW + 600);
const expiredAstray = await mintInvocation(user, "did:ixo:ixo1x", NOW);
const overLong = await mintInvocation(user, ORACLE, NOW + 86_461);
const short = await issue({ issuer: user, audience: ORACLE, expiration: NOW });
const forged = await forge(short, { exp: NOW + 9 });
const expiredForged = await forge(short, { exp: NOW - 1 });
const astrayDelegation = await mintDelegation(user, "did:ixo:ixo1x", NOW + 6000);
const early = await tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: NOW + 99, notBefore: NOW + 61 }));
const endless = await tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: null }));
const unproven = await forge(short, { exp: NOW + 9, prf: [short.cid] });
const expiredDelegation = await mintDelegation(user, ORACLE, NOW);

const invalid = (reason: string) => ({
  ok: false,
  error: {
    code: "unauthenticated",
    message: "Invalid UCAN invocation",
    reason: "invalid_invocation",
    details: [{ reason, message: expect.any(String) }],
  },
});
const invalidDelegation = (reason: string) => ({
  ok: false,
  error: {
    code: "unauthenticated",
    message: "Invalid UCAN delegation",
    reason: "invalid_delegation",
    details: [{ reason, message: expect.any(String) }],
  },
});
const missing = {
  ok: false,
  error: {
    code: "unauthenticated",
    message:
      "Missing UCAN authentication: provide Authorization: Bearer <invocation> with X-Auth-Type: ucan, or an x-ucan-delegation header",
    reason: "missing_authentication",
  },
};
const alone = { ok: true, value: { did: user.did() } };
const withDelegation = {
  ok: true,
  value: {
    did: user.did(),
    delegation: {
      token: delegation,
      cid: expect.any(String),
      issuer: user.did(),
      audience: ORACLE,
      expiration: NOW + 6000,
      capabilities: [{ can: "memory/*", with: "ixo:memory" }],
    },
  },
};

const byDelegation = { ok: true, value: { ...withDelegation.value, isProvenByDelegation: true } };

describe("the decision table [OR-23, OR-24, OR-25, OR-26, OR-27]", () => {
  it.each<[string, object, object]>([
    ["valid, none", { invocation }, alone],
    ["valid, invalid", { invocation, delegation: "nonsense" }, alone],
    ["valid, expired", { invocation, delegation: expiredDelegation }, alone],
    ["valid, same issuer", { invocation, delegation }, withDelegation],
    ["valid, other issuer", { invocation, delegation: foreignDelegation }, alone],
    ["malformed, none", { invocation: "nonsense" }, invalid("malformed")],
    ["malformed, valid", { invocation: "nonsense", delegation }, invalid("malformed")],
    ["expired, valid", { invocation: expired, delegation }, invalid("expired")],
    ["wrong audience, valid", { invocation: astray, delegation }, invalid("wrong_audience")],
    ["over-long, valid", { invocation: overLong, delegation }, invalid("too_long")],
    ["the established client's vector, valid", { invocation: FIELD_VECTOR.token, delegation }, invalid("too_long")],
    ["bad signature, valid", { invocation: forged, delegation }, invalid("bad_signature")],
    ["a delegation, valid", { invocation: delegation, delegation }, invalid("capability")],
    ["absent, valid", { delegation }, byDelegation],
    ["absent, none", {}, missing],
    ["absent, invalid", { delegation: "nonsense" }, invalidDelegation("malformed")],
    ["absent, expired", { delegation: expiredDelegation }, invalidDelegation("expired")],
    ["absent, astray", { delegation: astrayDelegation }, invalidDelegation("wrong_audience")],
    ["early, none", { invocation: early }, invalid("not_yet_valid")],
    ["endless, none", { invocation: endless }, invalid("too_long")],
    ["citing a missing proof, none", { invocation: unproven }, invalid("capability")],
  ])("invocation and delegation: %s", async (_, tokens, outcome) => {
    expect(await authenticator.authenticateTokens(tokens)).toEqual(outcome);
    expect(await authenticator.authenticateTokens(tokens)).toEqual(outcome); // from the cache, if it is kept
  });

  it("exports its messages as constants", () => {
    expect([INVALID_INVOCATION, MISSING_AUTHENTICATION]).toEqual(["Invalid UCAN invocation", missing.error.message]);
    expect(INVALID_DELEGATION).toBe("Invalid UCAN delegation");
    expect(REFUSAL_CODES).toEqual(["missing_authentication", "invalid_invocation", "invalid_delegation"]);
  });
});

describe("headers [OR-21]", () => {
  it.each<[string, Record<string, string>, object]>([
    ["Bearer and ucan", { Authorization: `Bearer ${invocation}`, "X-Auth-Type": "ucan" }, alone],
    ["any letter case", { authorization: `bEaReR ${invocation}`, "x-auth-type": "UCAN" }, alone],
    ["more than one blank", { Authorization: `Bearer   ${invocation}  `, "X-Auth-Type": " ucan " }, alone],
    [
      "both tokens",
      { Authorization: `Bearer ${invocation}`, "X-Auth-Type": "ucan", "x-ucan-delegation": delegation },
      withDelegation,
    ],
    ["a delegation alone", { "X-UCAN-Delegation": delegation }, byDelegation],
    ["no X-Auth-Type", { Authorization: `Bearer ${invocation}` }, missing],
    ["another X-Auth-Type", { Authorization: `Bearer ${invocation}`, "X-Auth-Type": "jwt" }, missing],
    ["another scheme", { Authorization: `Basic ${invocation}`, "X-Auth-Type": "ucan" }, missing],
    ["no scheme", { Authorization: invocation, "X-Auth-Type": "ucan" }, missing],
    ["no token", { Authorization: "Bearer ", "X-Auth-Type": "ucan" }, missing],
    ["X-Auth-Type alone", { "X-Auth-Type": "ucan" }, missing],
    [
      "a bad invocation that is ignored next to a good delegation",
      { Authorization: "Bearer x", "x-ucan-delegation": delegation },
      byDelegation,
    ],
    [
      "a bad invocation that counts",
      { Authorization: "Bearer x", "X-Auth-Type": "ucan", "x-ucan-delegation": delegation },
      invalid("malformed"),
    ],
    ["a blank delegation", { "x-ucan-delegation": " " }, missing],
    ["x-did", { "x-did": user.did() }, missing],
  ])("%s", async (_, headers, outcome) => {
    expect(await authenticator.authenticate(new Headers(headers))).toEqual(outcome);
  });
});

describe("a handshake [OR-107, OR-109]", () => {
  it.each<[string, object, object]>([
    ["valid, none", { invocation }, alone],
    ["expired, valid of the same issuer", { invocation: expired, delegation }, byDelegation],
    ["expired, none", { invocation: expired }, invalid("expired")],
    ["expired, of another issuer", { invocation: expired, delegation: foreignDelegation }, invalid("expired")],
    ["expired, expired", { invocation: expired, delegation: expiredDelegation }, invalid("expired")],
    ["malformed, valid", { invocation: "nonsense", delegation }, invalid("malformed")],
    ["expired and for another audience, valid", { invocation: expiredAstray, delegation }, invalid("wrong_audience")],
    ["expired and forged, valid", { invocation: expiredForged, delegation }, invalid("bad_signature")],
    ["absent, valid", { delegation }, byDelegation],
    ["absent, none", {}, missing],
  ])("invocation and delegation: %s", async (_, tokens, outcome) => {
    expect(await authenticator.authenticateHandshake(tokens)).toEqual(outcome);
  });
});

const ixoUser = await signer(1, "did:ixo:ixo1user");
const ixoInvocation = await mintInvocation(ixoUser, ORACLE, NOW + 600);
const ixoDelegation = await mintDelegation(ixoUser, ORACLE, NOW + 600);

const down: KeyResolver = (did) =>
  did.startsWith("did:key:") ? resolve(did) : Promise.resolve({ ok: false, error: "unresolvable" });

describe("an outage of the resolver [OR-28]", () => {
  const deaf = authenticatorAt(() => NOW, down);
  const unavailable = {
    ok: false,
    error: newFailure("unavailable", "Identity resolution unavailable", { retryAfter: 5 }),
  };

  it("is a 503, not a 401", async () => {
    expect(await deaf.authenticateTokens({ invocation: ixoInvocation })).toEqual(unavailable);
    expect(await deaf.authenticateTokens({ delegation: ixoDelegation })).toEqual(unavailable);
    expect(await deaf.verifyDelegation(ixoDelegation, ixoUser.did())).toEqual(unavailable);
  });

  it("costs a caller with other proof only the delegation", async () => {
    expect(await deaf.authenticateTokens({ invocation, delegation: ixoDelegation })).toEqual(alone);
  });

  it("ends when the service is back", async () => {
    let isDown = true;
    const back = authenticatorAt(
      () => NOW,
      (did) => (isDown ? down(did) : resolve(user.did())),
    );
    expect(await back.authenticateTokens({ invocation: ixoInvocation })).toEqual(unavailable);
    isDown = false;
    expect(await back.authenticateTokens({ invocation: ixoInvocation })).toEqual({
      ok: true,
      value: { did: "did:ixo:ixo1user" },
    });
  });
});

function countingResolver() {
  let lookups = 0;
  const resolver: KeyResolver = (did) => {
    lookups += 1;
    return resolve(did);
  };
  return { resolver, lookups: () => lookups };
}

describe("verifications [OR-20]", () => {
  it("are cached until the token expires and not a second longer", async () => {
    let now = NOW;
    const { resolver, lookups } = countingResolver();
    const patient = authenticatorAt(() => now, resolver);
    await patient.authenticateTokens({ invocation });
    now = NOW + 599;
    expect(await patient.authenticateTokens({ invocation })).toEqual(alone);
    expect(lookups()).toBe(1);
    now = NOW + 600;
    expect(await patient.authenticateTokens({ invocation })).toEqual(invalid("expired"));
  });

  it.each(["invocation", "delegation"] as const)(
    "of a token with any issuer whose keys can change, here an %s's, are cached for a minute at most [OR-542]",
    async (kind) => {
      let now = NOW;
      const keys = { "did:ixo:ixo1user": [user.did()], "did:ixo:ixo1granter": [other.did()] };
      const removable = { ...keys };
      const resolver: KeyResolver = (did) =>
        createDidResolver({
          staticKeys: removable,
          fetch: () => Promise.reject(new Error("offline")),
          clock: () => now * 1000,
        })(did);
      const patient = authenticatorAt(() => now, resolver);
      const granter = await signer(2, "did:ixo:ixo1granter");
      const proof = await issue({ issuer: granter, audience: user.did(), expiration: NOW + 6000 });
      const chained = await tokenOf(
        await issue({ issuer: user, audience: ORACLE, expiration: NOW + 600, proofs: [proof] }),
      );
      const own = kind === "invocation" ? ixoInvocation : ixoDelegation;
      const isAccepted = async (token: string) => (await patient.authenticateTokens({ [kind]: token })).ok;
      expect([await isAccepted(own), await isAccepted(chained)]).toEqual([true, true]);
      removable["did:ixo:ixo1user"] = [];
      removable["did:ixo:ixo1granter"] = [];
      now += 59;
      expect([await isAccepted(own), await isAccepted(chained)]).toEqual([true, true]);
      now += 1;
      expect([await isAccepted(own), await isAccepted(chained)]).toEqual([false, false]);
    },
  );

  it("are not cached when negative", async () => {
    const { resolver, lookups } = countingResolver();
    const patient = authenticatorAt(() => NOW, resolver);
    await patient.authenticateTokens({ invocation: forged });
    await patient.authenticateTokens({ invocation: forged });
    expect(lookups()).toBe(2);
  });

  it("of a delegation do not apply to its use as an invocation", async () => {
    const patient = authenticatorAt(() => NOW);
    expect(await patient.authenticateTokens({ delegation })).toEqual(byDelegation);
    expect(await patient.authenticateTokens({ invocation: delegation })).toEqual(invalid("capability"));
  });
});

describe("a revoked delegation", () => {
  function revocable() {
    const state = { revoked: false, asked: 0, now: NOW };
    const authenticator = createAuthenticator({
      audiences: [ORACLE],
      resolver: resolve,
      clock: () => state.now * 1000,
      isRevoked: async (did) => {
        state.asked += 1;
        return state.revoked && did === user.did();
      },
    });
    return { state, authenticator };
  }

  it("is refused after 10 seconds where it was used before, and at once in a handshake [OR-545]", async () => {
    const { state, authenticator: patient } = revocable();
    expect(REVOCATION_CHECK_LIFETIME).toBe(10_000);
    expect(await patient.authenticateTokens({ delegation })).toEqual(byDelegation);
    state.revoked = true;
    state.now += 9;
    expect(await patient.authenticateTokens({ delegation })).toEqual(byDelegation);
    expect(state.asked).toBe(1);
    state.now += 1;
    expect(await patient.authenticateTokens({ delegation })).toEqual(invalidDelegation("revoked"));
    const other = revocable();
    expect(await other.authenticator.authenticateTokens({ delegation })).toEqual(byDelegation);
    other.state.revoked = true;
    expect(await other.authenticator.authenticateHandshake({ delegation })).toEqual(invalidDelegation("revoked"));
    expect(await other.authenticator.authenticateTokens({ delegation })).toEqual(invalidDelegation("revoked"));
  });

  it("is refused at once where it was revoked, and the user's store is not asked again [OR-545]", async () => {
    const { state, authenticator: patient } = revocable();
    const caller = await patient.authenticateTokens({ delegation });
    const cid = caller.ok ? caller.value.delegation?.cid : undefined;
    patient.revoked(user.did(), [cid ?? ""]);
    expect(await patient.authenticateTokens({ delegation })).toEqual(invalidDelegation("revoked"));
    expect(state.asked).toBe(1);
  });

  it("does not sign in when extracted from an invocation of the oracle, nor with an expired invocation [OR-544]", async () => {
    const { state, authenticator: patient } = revocable();
    state.revoked = true;
    const oracle = await signer(9, ORACLE);
    const given = await issue({ issuer: user, audience: ORACLE, expiration: NOW + 6000 });
    const sent = await issue({
      issuer: oracle,
      audience: "did:web:memory.example",
      expiration: NOW + 60,
      proofs: [given],
    });
    const [taken] = sent.proofs as (typeof given)[];
    expect(await patient.authenticateTokens({ delegation: await tokenOf(taken ?? sent) })).toEqual(
      invalidDelegation("revoked"),
    );
    expect(await patient.authenticateTokens({ delegation: await tokenOf(sent) })).toEqual(
      invalidDelegation("bad_signature"),
    );
    expect(await patient.authenticateHandshake({ invocation: expired, delegation })).toEqual(invalid("expired"));
    expect(await patient.authenticateTokens({ invocation, delegation })).toEqual(alone);
  });
});

describe("POST /delegation", () => {
  it("accepts the caller's own", async () => {
    expect(await authenticator.verifyDelegation(delegation, user.did())).toEqual({
      ok: true,
      value: withDelegation.value.delegation,
    });
  });

  it("returns the reason otherwise", async () => {
    const ucan = await issue({ issuer: user, audience: ORACLE, expiration: NOW + 5 });
    const early = await tokenOf(
      await issue({ issuer: user, audience: ORACLE, expiration: NOW + 99, notBefore: NOW + 61 }),
    );
    const broken = await forge(ucan, { prf: [ucan.cid] });
    const cases: [string, string][] = [
      ["nonsense", "malformed CAR"],
      [broken, "proof chain"],
      [await forge(ucan, { exp: NOW + 6 }), "signature"],
      [await mintDelegation(user, "did:ixo:ixo1other", NOW + 5), "audience"],
      [foreignDelegation, "issuer"],
      [expiredDelegation, "expired"],
      [early, "not yet valid"],
    ];
    for (const [token, reason] of cases)
      expect(await authenticator.verifyDelegation(token, user.did())).toEqual({
        ok: false,
        error: newFailure("invalid_request", `Invalid delegation: ${reason}`),
      });
  });
});

it("logs the reason of a refusal, and no token", async () => {
  const lines: string[] = [];
  const log = createLogger({ surface: "oracle" }, (_, line) => lines.push(line));
  await authenticator.authenticateTokens({ invocation: expired, delegation }, log);
  await authenticator.authenticateTokens({ invocation, delegation: foreignDelegation }, log);
  await authenticator.authenticateTokens({ delegation: expiredDelegation }, log);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: "info", event: "authentication-refused", surface: "oracle", credential: "invocation", reason: "expired" },
    { level: "info", event: "delegation-ignored", surface: "oracle", reason: "issuer" },
    { level: "info", event: "authentication-refused", surface: "oracle", credential: "delegation", reason: "expired" },
  ]);
});
