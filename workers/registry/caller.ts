/** Whom an API key speaks for, and what it may do. */
import type { Role, Scope } from "./scopes.ts";

export interface Caller {
  readonly keyId: string;
  readonly did: string;
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
}
