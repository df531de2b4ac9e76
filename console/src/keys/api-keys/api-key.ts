/** What the screen needs to know of an API key: its state at a moment, and what rotating it would do. */
import type { components } from "../../api/paths.d.ts";

export type ApiKey = components["schemas"]["ApiKey"];
export type Scope = ApiKey["scopes"][number];

/** In the order in which forms and lists show them. */
export const scopes = [
  "domains:read",
  "domains:write",
  "verification:propose",
  "verification:vote",
  "registry:admin",
] as const satisfies readonly Scope[];

export type KeyState = "active" | "expiring" | "replaced" | "expired" | "revoked";

/** Milliseconds before its end from which a key is marked: a week, in which somebody can rotate it at leisure. */
export const EXPIRES_SOON = 7 * 86_400_000;

type Life = Partial<Pick<ApiKey, "revokedAt" | "expiresAt" | "replacedBy">>;

/** @param now milliseconds since 1970. */
export function keyState({ revokedAt, expiresAt, replacedBy }: Life, now: number): KeyState {
  if (typeof revokedAt === "string") return "revoked";
  const left = typeof expiresAt === "string" ? Date.parse(expiresAt) - now : Infinity;
  if (left <= 0) return "expired";
  if (typeof replacedBy === "string") return "replaced";
  return left <= EXPIRES_SOON ? "expiring" : "active";
}

/** Whether the registry would rotate it: once, while it is valid. */
export function canRotate(key: Life, now: number): boolean {
  const state = keyState(key, now);
  return state === "active" || state === "expiring";
}

export interface Rotation {
  /** When the old key stops, milliseconds since 1970. */
  readonly stopsAt: number;
  /** Whether that is its own end, which comes before the overlap is over. */
  readonly isOwnEnd: boolean;
  /** When the new one ends; undefined when it does not. */
  readonly successorEndsAt: number | undefined;
}

/** @param overlap milliseconds. */
export function rotationOf({ createdAt, expiresAt }: ApiKey, overlap: number, now: number): Rotation {
  const end = expiresAt === null ? Infinity : Date.parse(expiresAt);
  return {
    stopsAt: Math.min(end, now + overlap),
    isOwnEnd: end < now + overlap,
    successorEndsAt: expiresAt === null ? undefined : now + (end - Date.parse(createdAt)),
  };
}
