/** Whom an API key speaks for, and what it may do. No scope makes anyone a voter. */

export interface Caller {
  readonly keyId: string;
  readonly did: string;
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
}

/** What an API key may do. A scope never stands for a voice: admins cannot vote by it. */
export const scopes = [
  "domains:read",
  "domains:write",
  "verification:propose",
  "verification:vote",
  "registry:admin",
] as const;
export type Scope = (typeof scopes)[number];

/** The part that a representative plays in governance; only a key that has one can propose. */
export const roles = ["compliance", "program"] as const;
export type Role = (typeof roles)[number];

/** Scopes that bring others with them. */
const implied: Partial<Record<Scope, readonly Scope[]>> = {
  "domains:write": ["domains:read"],
  "registry:admin": ["domains:read", "domains:write"],
};

/** A deployment knows the keys of its own environment and no others. */
export const keyEnvironments = ["live", "test"] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

export function holds(granted: readonly Scope[], wanted: Scope): boolean {
  return granted.some((scope) => scope === wanted || implied[scope]?.includes(wanted) === true);
}

/** The secrets of the configuration. */
export interface KnownSecrets {
  /** Both take the SHA-256 of what was presented, in hexadecimal, and compare in constant time. */
  isAdminToken(digest: string): boolean;
  bootstrapCaller(digest: string): Caller | undefined;
}
