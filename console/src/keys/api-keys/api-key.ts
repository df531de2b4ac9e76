/** The facts about an API key: its state at a moment, and the effect of rotating it. */
import type { components } from "../../api/paths.d.ts";
import { keyState, type KeyLife } from "../../session/key-state.ts";

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

/** Whether the registry would rotate it: once, while it is valid. */
export function canRotate(key: KeyLife, now: number): boolean {
  const state = keyState(key, now);
  return state === "active" || state === "expiring";
}

export interface Rotation {
  /** When the old key stops, milliseconds since 1970. */
  readonly stopsAt: number;
  /** Whether that is its own end, before the overlap is over. */
  readonly isOwnEnd: boolean;
  /** When the new key ends; undefined if it does not. */
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
