/** The state of an API key at a moment. */

export type KeyState = "active" | "expiring" | "replaced" | "expired" | "revoked";

/** Milliseconds before its end from which a key is marked: a week, enough time to rotate it. */
export const EXPIRES_SOON = 7 * 86_400_000;

export interface KeyLife {
  readonly revokedAt?: string | null;
  readonly expiresAt?: string | null;
  readonly replacedBy?: string | null;
}

/** @param now milliseconds since 1970. */
export function keyState({ revokedAt, expiresAt, replacedBy }: KeyLife, now: number): KeyState {
  if (typeof revokedAt === "string") return "revoked";
  const left = typeof expiresAt === "string" ? Date.parse(expiresAt) - now : Infinity;
  if (left <= 0) return "expired";
  if (typeof replacedBy === "string") return "replaced";
  return left <= EXPIRES_SOON ? "expiring" : "active";
}
