/** The identity and rights of an API key. No scope makes its holder a voter. */

export interface Caller {
  readonly keyId: string;
  readonly did: string;
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
}

/** The rights of an API key. A scope never gives a vote: admins cannot vote with it. */
export const scopes = [
  "domains:read",
  "domains:write",
  "verification:propose",
  "verification:vote",
  "registry:admin",
] as const;
export type Scope = (typeof scopes)[number];

/** The role of a representative in governance. Only a key with a role can propose. */
export const roles = ["compliance", "program"] as const;
export type Role = (typeof roles)[number];

/** Scopes that include other scopes. */
const implied: Partial<Record<Scope, readonly Scope[]>> = {
  "domains:write": ["domains:read"],
  "registry:admin": ["domains:read", "domains:write"],
};

/** A deployment accepts only keys of its environment. */
export const keyEnvironments = ["live", "test"] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

export function holds(granted: readonly Scope[], wanted: Scope): boolean {
  return granted.some((scope) => scope === wanted || implied[scope]?.includes(wanted) === true);
}

/** The secrets of the configuration. */
export interface KnownSecrets {
  /** Both take the SHA-256 of the presented secret in hexadecimal and compare in constant time. */
  isAdminToken(digest: string): boolean;
  bootstrapCaller(digest: string): Caller | undefined;
}
