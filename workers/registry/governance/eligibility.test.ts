/** All reasons that make a domain ineligible. */
import { expect, test } from "vitest";
import { isPastValidity, reasonsAgainst } from "./eligibility.ts";

const off = { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null };
const on = { ...off, enabled: true, enabledAt: "2026-01-01T00:00:00Z" };
const sound = {
  status: "active",
  verificationStatus: "Verified",
  validFrom: null,
  validUntil: null,
  services: { reporting: off, issuance: on },
} as const;
const noon = Date.parse("2026-06-01T12:00:00Z");
const codes = (...parameters: Parameters<typeof reasonsAgainst>) =>
  reasonsAgainst(...parameters).map(({ code }) => code);

test("a verified, active and valid domain has no reason", () => {
  expect(reasonsAgainst(sound, noon)).toEqual([]);
  expect(codes(sound, noon, "issuance")).toEqual([]);
  expect(codes(sound, noon, "reporting")).toEqual(["service_disabled"]);
});

test.each([
  ["AwaitingVerification", "awaiting_verification"],
  ["UnderVote", "under_vote"],
  ["Rejected", "rejected"],
  ["Revoked", "revoked"],
] as const)("%s is not Verified", (verificationStatus, code) => {
  expect(codes({ ...sound, verificationStatus }, noon)).toEqual([code]);
});

test("returns all reasons that apply, in order [RG-114]", () => {
  const worst = {
    ...sound,
    status: "suspended",
    verificationStatus: "Rejected",
    validFrom: "2027-01-01T00:00:00Z",
    validUntil: "2026-01-01T00:00:00Z",
  } as const;
  expect(codes(worst, noon, "reporting")).toEqual([
    "suspended",
    "not_yet_valid",
    "expired",
    "rejected",
    "service_disabled",
  ]);
  expect(codes({ ...worst, status: "deactivated" }, noon)[0]).toBe("deactivated");
});

test("validity begins at validFrom and ends at validUntil", () => {
  const bounded = { ...sound, validFrom: "2026-06-01T12:00:00Z", validUntil: "2026-06-01T12:00:01Z" };
  expect(codes(bounded, noon - 1)).toEqual(["not_yet_valid"]);
  expect(codes(bounded, noon)).toEqual([]);
  expect(codes(bounded, noon + 999)).toEqual([]);
  expect(codes(bounded, noon + 1_000)).toEqual(["expired"]);
  expect(isPastValidity({ validUntil: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});
