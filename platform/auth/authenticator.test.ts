/** The decision table of authentication. */
import { describe, expect, it } from "vitest";
import { FIELD_VECTOR, forge, issue, mintDelegation, mintInvocation, tokenOf } from "../../test/support/auth/ucan.ts";
import { newFailure } from "../failure.ts";
import { createLogger } from "../log.ts";
import { INVALID_DELEGATION, INVALID_INVOCATION, MISSING_AUTHENTICATION, REFUSAL_CODES } from "./authenticator.ts";
import {
  ORACLE,
  NOW,
  user,
  other,
  authenticator,
  invocation,
  expired,
  delegation,
  short,
  forged,
  invalid,
  invalidDelegation,
  alone,
  withDelegation,
  byDelegation,
} from "../../test/support/auth/signed-callers.ts";

const foreignDelegation = await mintDelegation(other, ORACLE, NOW + 6000);
const astray = await mintInvocation(user, "did:ixo:ixo1x", NOW + 600);
const expiredAstray = await mintInvocation(user, "did:ixo:ixo1x", NOW);
const overLong = await mintInvocation(user, ORACLE, NOW + 86_461);
const expiredForged = await forge(short, { exp: NOW - 1 });
const astrayDelegation = await mintDelegation(user, "did:ixo:ixo1x", NOW + 6000);
const early = await tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: NOW + 99, notBefore: NOW + 61 }));
const endless = await tokenOf(await issue({ issuer: user, audience: ORACLE, expiration: null }));
const unproven = await forge(short, { exp: NOW + 9, prf: [short.cid] });
const expiredDelegation = await mintDelegation(user, ORACLE, NOW);

const missing = {
  ok: false,
  error: {
    code: "unauthenticated",
    message:
      "Missing UCAN authentication: provide Authorization: Bearer <invocation> with X-Auth-Type: ucan, or an x-ucan-delegation header",
    reason: "missing_authentication",
  },
};

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
