/** Revoking a user's delegation, and the throttle of prompts to authorise again. */
import { cidOfToken } from "../../platform/auth/ucan-token.ts";
import type { RevocableDelegation } from "../../oracle/user-vault-rpc.ts";
import type { UserVaultStore } from "./store.ts";

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Revokes the stored delegation and `presented`. Returns their CIDs. */
export async function revokeDelegations(
  store: Pick<UserVaultStore, "delegation" | "revokeDelegation">,
  presented: RevocableDelegation | undefined,
): Promise<readonly string[]> {
  for (;;) {
    const stored = store.delegation(nowSeconds());
    const cid = stored === null ? undefined : await cidOfToken(stored.token);
    // Another delegation was stored meanwhile.
    if (store.delegation(nowSeconds())?.token !== stored?.token) continue;
    const revoked = presented === undefined ? [] : [presented];
    if (stored !== null && cid !== undefined) revoked.push({ cid, expiration: stored.expiration });
    store.revokeDelegation(revoked, Date.now());
    return revoked.map((each) => each.cid);
  }
}

/** Whether the prompt may be shown now; showing it restarts the throttle. */
export function claimPrompt(
  store: Pick<UserVaultStore, "promptShownAt" | "setPromptShownAt">,
  throttleSeconds: number,
): boolean {
  if (throttleSeconds <= 0) return true;
  const now = nowSeconds();
  const shownAt = store.promptShownAt();
  if (shownAt !== undefined && now < shownAt + throttleSeconds) return false;
  store.setPromptShownAt(now);
  return true;
}
