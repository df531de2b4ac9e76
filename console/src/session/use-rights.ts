/** What the key of this tab may do, so that a page offers what will succeed; undefined while that is not known. The server decides. */
import { useCaller } from "./use-caller.ts";

export interface Rights {
  readonly did: string;
  /** The key's label; null for a key that comes from the server's settings. */
  readonly label: string | null;
  readonly mayWrite: boolean;
  readonly mayVote: boolean;
  readonly mayPropose: boolean;
  readonly isAdmin: boolean;
}

export function useRights(): Rights | undefined {
  const { data: { did, label = null, scopes = [] } = {} } = useCaller();
  if (did === undefined) return undefined;
  return {
    did,
    label,
    mayWrite: scopes.includes("domains:write"),
    mayVote: scopes.includes("verification:vote"),
    mayPropose: scopes.includes("verification:propose"),
    isAdmin: scopes.includes("registry:admin"),
  };
}

/** A domain is changed by its controllers and by admins. */
export function mayChange(rights: Rights | undefined, { controllers }: { readonly controllers: readonly string[] }) {
  if (rights === undefined) return false;
  return rights.isAdmin || (rights.mayWrite && controllers.includes(rights.did));
}
