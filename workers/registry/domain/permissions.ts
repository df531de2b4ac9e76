/** Who may change a domain (contract/registry.md section 5): its current controllers and the registry's admins. */
import { holds, type Scope } from "../scopes.ts";
import type { DomainRecord } from "./domain.ts";

export interface Actor {
  readonly did: string;
  readonly scopes: readonly Scope[];
}

export function mayUpdate(actor: Actor, { controllers }: Pick<DomainRecord, "controllers">): boolean {
  return isAdmin(actor) || controllers.includes(actor.did);
}

export function isAdmin({ scopes }: Pick<Actor, "scopes">): boolean {
  return holds(scopes, "registry:admin");
}
