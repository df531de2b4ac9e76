import { expect, test } from "vitest";
import { EXPIRES_SOON, keyState } from "../../session/key-state.ts";
import { canRotate, rotationOf, type ApiKey } from "./api-key.ts";

const NOW = Date.parse("2027-01-10T12:00:00Z");
const DAY = 86_400_000;
const key: ApiKey = {
  id: "key_1",
  label: "Field app",
  environment: "test",
  start: "twe_test_abcd",
  did: "did:web:example.org",
  role: null,
  scopes: ["domains:read"],
  createdAt: "2027-01-01T12:00:00Z",
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  replacedBy: null,
};
const at = (time: number): string => new Date(time).toISOString();

test.each([
  ["active", {}],
  ["active", { expiresAt: at(NOW + EXPIRES_SOON + 1) }],
  ["expiring", { expiresAt: at(NOW + EXPIRES_SOON) }],
  ["expiring", { expiresAt: at(NOW + 1) }],
  ["expired", { expiresAt: at(NOW) }],
  ["replaced", { expiresAt: at(NOW + DAY), replacedBy: "key_2" }],
  ["expired", { expiresAt: at(NOW - DAY), replacedBy: "key_2" }],
  ["revoked", { expiresAt: at(NOW - DAY), revokedAt: at(NOW) }],
] as const)("a key is %s with %o", (state, life) => {
  expect(keyState({ ...key, ...life }, NOW)).toBe(state);
  expect(canRotate({ ...key, ...life }, NOW)).toBe(state === "active" || state === "expiring");
});

test("a key from the settings, which has no times, is active", () => {
  expect(keyState({}, NOW)).toBe("active");
});

test("the old key stops after the overlap, or at its own end if that is earlier", () => {
  expect(rotationOf(key, DAY, NOW)).toEqual({ stopsAt: NOW + DAY, isOwnEnd: false, successorEndsAt: undefined });
  const ending = { ...key, expiresAt: at(NOW + DAY) };
  expect(rotationOf(ending, DAY, NOW)).toMatchObject({ stopsAt: NOW + DAY, isOwnEnd: false });
  expect(rotationOf(ending, DAY + 1, NOW)).toMatchObject({ stopsAt: NOW + DAY, isOwnEnd: true });
  // Issued for ten days: the successor lasts ten days too.
  expect(rotationOf(ending, 0, NOW)).toMatchObject({ stopsAt: NOW, successorEndsAt: NOW + 10 * DAY });
});
